// Forges, from connecting one to the Task, the same for each: entities, moves by rule, comments in both directions,
// actions of strangers, and stale deliveries.
import { createHmac } from "node:crypto";
import { afterAll, describe, expect, test } from "vitest";
import {
  type AtForge,
  atForge,
  bindTo,
  changePull,
  connectForge,
  openPull,
  resourcesOf,
} from "../../../test/connected-forge.ts";
import { eventually } from "../../../test/eventually.ts";
import { reachingFrom, signedBySlack } from "../../../test/integrations.ts";
import { type Forge, nextId, openForge, someone } from "../../../test/providers/forges.ts";
import { newComment, newProject } from "../../../test/work.ts";
import { newKey, service, world } from "../../../test/world.ts";
import type { JobParts } from "../../platform/background/jobs.ts";
import { newId } from "../../platform/wire/ids.ts";
import { tellProviders } from "./send/outbound-notifications.ts";

const forges = await Promise.all((["github", "gitlab", "gitea"] as const).map(openForge));
afterAll(() => Promise.all(forges.map(({ server }) => server.close())));
const apps = { ...Object.fromEntries(forges.map(({ key, app }) => [key, app])), slack: { signing_secret: "slack's" } };
const running = service({ roles: ["api", "worker"], apps });
const [github] = forges as [Forge];

const OLD = new Date(Date.now() - 31 * 24 * 3600 * 1000).toISOString();
const said = (by: { id: number; login: string }, number: number, text = "Looks good") => ({
  id: nextId(),
  number,
  text,
  by,
});

describe.each(forges.map((forge) => [forge.key, forge] as const))("%s", (key, forge) => {
  const met = (place: AtForge, writes: boolean) => {
    const who = forge.meet();
    if (writes) place.repository.writers.push(who);
    return who;
  };

  test("from a push to a merged Task: entities, moves by rule, and comments both ways without a circle", async () => {
    const place = await atForge(running, forge);
    const { repository, task, owner } = place;
    const ada = met(place, true);
    const branch = `${task.code.toLowerCase()}-mend`;
    repository.branches.add(branch);
    const commit = { id: "a".repeat(40), message: `Mend it\n\nCloses ${task.code}`, author: "Ada" };
    expect(await forge.pushed(repository, running.url, branch, [commit], ada)).toEqual([200]);
    await place.worked(1);
    const shown = async () =>
      (await place.entities()).map(({ kind, state }: Record<string, string>) => `${kind} ${state}`).sort();
    expect(await shown()).toEqual(["branch open", "commit pushed"]);

    const pull = openPull(place, ada);
    await forge.pulled(repository, running.url, "opened", pull, ada);
    await place.worked(2);
    expect([await shown(), await place.status()]).toEqual([
      ["branch open", "commit pushed", "pull_request open"],
      place.begun,
    ]);

    const hers = said(ada, pull.number);
    for (const _time of [1, 2]) await forge.commented(repository, running.url, hers);
    await place.worked(3);
    expect(await place.comments()).toMatchObject([{ markdown: expect.stringContaining("Looks good") }]);
    await newComment(owner, task.id, "Thank you");
    await tellProviders(reachingFrom(running, apps) as unknown as JobParts);
    await eventually(() =>
      expect(repository.said.map(({ text }) => text)).toEqual([expect.stringMatching(/^Thank you\n/)]),
    );
    // What was written there for us comes back, and is not brought in again.
    await forge.commented(repository, running.url, repository.said[0] as (typeof repository.said)[number]);
    await place.worked(4);
    expect(await place.comments()).toHaveLength(2);

    const merged = changePull(repository, pull, { state: "merged" });
    await forge.pulled(repository, running.url, "merged", merged, ada);
    await place.worked(5);
    expect([await shown(), await place.status()]).toEqual([
      ["branch open", "commit pushed", "pull_request merged"],
      place.done,
    ]);
    await tellProviders(reachingFrom(running, apps) as unknown as JobParts);
    expect(repository.said, "nothing that came from there goes back").toHaveLength(1);
    expect(await place.deliveries()).toEqual(
      Array.from({ length: 5 }, () => ({ state: "done", error_code: null, attempts: 1 })),
    );
  });

  test("a stranger's pull request is shown and moves nothing, and their comment stays there; who they are is asked once", async () => {
    const place = await atForge(running, forge);
    const { repository } = place;
    const before = await place.status();
    const stranger = met(place, false);
    const pull = openPull(place, stranger);
    await forge.pulled(repository, running.url, "opened", pull, stranger);
    await forge.commented(repository, running.url, said(stranger, pull.number));
    await place.worked(2);
    expect(await place.entities()).toMatchObject([{ kind: "pull_request", state: "open" }]);
    expect([await place.status(), await place.comments()]).toEqual([before, []]);
    const about = key === "gitlab" ? `members/all/${stranger.id}` : `collaborators/${stranger.login}/permission`;
    expect(forge.server.asked.filter(({ path }) => path.includes(about))).toHaveLength(1);
  });

  test("somebody who is linked moves it as themselves, within what they may here", async () => {
    const place = await atForge(running, forge);
    const { home, repository, task } = place;
    const [ada, guest] = [await home.member("member"), await home.member("viewer")];
    const [hers, theirs] = [met(place, false), met(place, true)];
    const link = `insert into integration_identities (id, user_id, provider_key, external_id, name)
        values ($1, $2, $3, $4, 'linked')`;
    await running.sql(link, [newId(), ada.userId, key, String(hers.id)]);
    await running.sql(link, [newId(), guest.userId, key, String(theirs.id)]);
    const before = await place.status();
    // A viewer here changes nothing, whatever they may there.
    await forge.pulled(repository, running.url, "opened", openPull(place, theirs), theirs);
    await place.worked(1);
    expect(await place.status()).toBe(before);
    await forge.pulled(repository, running.url, "opened", openPull(place, hers), hers);
    await place.worked(2);
    expect(await place.status()).toBe(place.begun);
    const { body } = await home.owner.call("GET", `/tasks/${task.id}/activity`);
    expect(JSON.stringify(body.items)).toContain(ada.actorId);
  });

  test("what is not so any more, or is old, moves nothing: what stands there now is shown", async () => {
    const place = await atForge(running, forge);
    const { repository, task } = place;
    const ada = met(place, true);
    const before = await place.status();
    // Opened, as it was once, of one that is closed by now.
    const closed = openPull(place, ada, { state: "closed", title: `Closed ${task.code}` });
    await forge.pulled(repository, running.url, "opened", { ...closed, state: "open" }, ada);
    // Merged, as somebody says, of one that is not.
    const open = openPull(place, ada, { title: `Open ${task.code}` });
    await forge.pulled(repository, running.url, "merged", { ...open, state: "merged" }, ada);
    // What was true a month ago, and is true, may have been delivered then.
    const relic = openPull(place, ada, { title: `Relic ${task.code}`, updated: OLD });
    await forge.pulled(repository, running.url, "opened", relic, ada);
    // Renamed, and of no Task since; and one that is gone.
    const renamed = openPull(place, ada, { title: "Of no Task" });
    await forge.pulled(repository, running.url, "opened", { ...renamed, title: `Was ${task.code}` }, ada);
    await forge.pulled(repository, running.url, "opened", { ...open, number: 99_999 }, ada);
    // A branch of which it is said that it was deleted, and is there; and one that is not.
    repository.branches.add(`${task.code}-here`);
    const commit = { id: "b".repeat(40), message: "Of no Task", author: "Ada" };
    await forge.pushed(repository, running.url, `${task.code}-gone`, [commit], ada);
    const stale = { ...repository, branches: new Set<string>() };
    await forge.pushed(stale, running.url, `${task.code}-here`, [], ada);
    await place.worked(7);
    const shown = (await place.entities()).map(({ title, state }: Record<string, string>) => `${title}: ${state}`);
    expect(shown.sort()).toEqual([
      ...[
        `Closed ${task.code}: closed`,
        `${task.code}-here: open`,
        `Open ${task.code}: open`,
        `Relic ${task.code}: open`,
      ].sort(),
    ]);
    expect(await place.status()).toBe(before);
  });

  test("while it does not answer nothing is done, and all of it once it does", async () => {
    const place = await atForge(running, forge);
    const { repository } = place;
    const ada = met(place, true);
    const before = await place.status();
    forge.state.down = true;
    const pull = openPull(place, ada);
    const deliver = () => forge.pulled(repository, running.url, "opened", pull, ada);
    await deliver();
    await eventually(async () =>
      expect(await place.deliveries()).toMatchObject([{ state: "waiting", error_code: "unreachable" }]),
    );
    expect([await place.entities(), await place.status()]).toEqual([[], before]);
    const read = async () => (await place.owner.call("GET", `/integration-installations/${place.installationId}`)).body;
    expect(await read()).toMatchObject({ state: "degraded", error_code: "unreachable" });
    forge.state.down = false;
    // Sent again it is no second one, and has somebody look.
    await eventually(async () => {
      await deliver();
      expect(await place.deliveries()).toMatchObject([{ state: "done", error_code: null }]);
    }, 500);
    expect([(await place.entities()).length, await place.status()]).toEqual([1, place.begun]);
    expect(await read()).toMatchObject({ state: "active", error_code: null });
  });

  test("what is forged is refused, and leaves nothing", async () => {
    const place = await atForge(running, forge);
    const { repository } = place;
    const ada = met(place, true);
    const url =
      key === "github" ? `${running.url}/api/v1/webhooks/integrations/github` : (repository.hooks[0]?.url ?? "");
    const forger = { ...repository, hooks: [{ id: 1, url, secret: "another secret" }] };
    const pull = openPull(place, ada);
    if (key === "github") {
      const raw = JSON.stringify({ installation: { id: repository.account.id } });
      const mac = createHmac("sha256", "another secret").update(raw).digest("hex");
      const headers = {
        "content-type": "application/json",
        "x-github-event": "push",
        "x-hub-signature-256": `sha256=${mac}`,
      };
      expect((await fetch(url, { method: "POST", body: raw, headers })).status).toBe(404);
    } else expect(await forge.pulled(forger, running.url, "opened", pull, ada)).toEqual([404]);
    expect(await place.deliveries()).toEqual([]);
  });
});

describe.each(forges.slice(1).map((forge) => [forge.key, forge] as const))("%s", (_key, forge) => {
  test.each([
    [403, "refused"],
    [404, "missing"],
  ])(
    "a webhook that one repository answers with %s is said of that repository alone, and made once it may",
    async (status, code) => {
      const home = await world(running);
      const { owner } = home;
      const account = forge.meet();
      const [good, bad] = [forge.add(account), forge.add(account)];
      bad.refusesHooks = status;
      const installationId = await connectForge(running, forge, home, owner, account);
      const resources = await eventually(async () => {
        const listed = await resourcesOf(owner, installationId);
        expect(listed).toHaveLength(2);
        return listed;
      });
      const project = await newProject(home);
      for (const { id } of resources) await bindTo(owner, project.id, installationId, id, {});
      const errors = async () => {
        const { body } = await owner.call("GET", `/projects/${project.id}/integration-bindings`);
        const items: { resource: { name: string; error_code: string | null } }[] = body.items;
        return Object.fromEntries(items.map(({ resource }) => [resource.name, resource.error_code]));
      };
      await eventually(async () => expect(await errors()).toEqual({ [good.name]: null, [bad.name]: code }));
      await eventually(() => expect(good.hooks).toHaveLength(1));
      const installation = async () => (await owner.call("GET", `/integration-installations/${installationId}`)).body;
      expect(await installation()).toMatchObject({ state: "active", error_code: null });
      expect((await resourcesOf(owner, installationId)).find(({ name }) => name === bad.name)).toMatchObject({
        error_code: code,
      });
      bad.refusesHooks = null;
      await owner.call("POST", `/integration-installations/${installationId}/resources/refresh`);
      await eventually(async () => expect(await errors()).toEqual({ [good.name]: null, [bad.name]: null }));
      expect([good.hooks.length, bad.hooks.length]).toEqual([1, 1]);
    },
  );
});

describe("GitLab signs no author: in the name of somebody who is linked", () => {
  const [, gitlab] = forges as [Forge, Forge];
  async function linked() {
    const place = await atForge(running, gitlab);
    const ada = await place.home.member("member");
    const hers = gitlab.meet();
    const link = `insert into integration_identities (id, user_id, provider_key, external_id, name)
        values ($1, $2, 'gitlab', $3, 'linked')`;
    await running.sql(link, [newId(), ada.userId, String(hers.id)]);
    const done = async () => {
      const { body } = await place.owner.call("GET", `/tasks/${place.task.id}/activity`);
      return JSON.stringify(body.items).includes(ada.actorId) ? "as her" : "not as her";
    };
    return { place, ada, hers, done };
  }

  test("nothing moves that somebody else has done, or nobody; whoever may write moves it as the installation", async () => {
    const { place, hers, done } = await linked();
    const { repository } = place;
    const [stranger, writer] = [gitlab.meet(), gitlab.meet()];
    repository.writers.push(writer);
    const before = await place.status();
    await gitlab.pulled(repository, running.url, "opened", openPull(place, stranger), hers);
    const byNobody = { state: "merged", endedBy: null } as const;
    await gitlab.pulled(repository, running.url, "merged", openPull(place, hers, byNobody), hers);
    const byStranger = { state: "merged", endedBy: stranger } as const;
    await gitlab.pulled(repository, running.url, "merged", openPull(place, hers, byStranger), hers);
    await place.worked(3);
    expect([await place.status(), (await place.entities()).length]).toEqual([before, 3]);
    await gitlab.pulled(repository, running.url, "opened", openPull(place, writer), hers);
    await place.worked(4);
    expect([await place.status(), await done()]).toEqual([place.begun, "not as her"]);
    const merged = openPull(place, stranger, { state: "merged", endedBy: hers });
    await gitlab.pulled(repository, running.url, "merged", merged, hers);
    await place.worked(5);
    expect([await place.status(), await done()]).toEqual([place.done, "as her"]);
  });

  test("nothing is said but what she said there, to everybody", async () => {
    const { place, ada, hers } = await linked();
    const { repository } = place;
    const stranger = gitlab.meet();
    const pull = openPull(place, hers);
    await gitlab.pulled(repository, running.url, "opened", pull, hers);
    const words = (text: string) => said(hers, pull.number, text);
    const [another, internal, real] = [words("Not hers"), words("For some"), words("Changed")];
    await gitlab.commented(repository, running.url, words("Not there"), null);
    await gitlab.commented(repository, running.url, another, { ...another, by: stranger });
    await gitlab.commented(repository, running.url, internal, { ...internal, internal: true });
    await place.worked(4);
    expect(await place.comments()).toEqual([]);
    await gitlab.commented(repository, running.url, { ...real, by: stranger }, { ...real, text: "Her own words" });
    await place.worked(5);
    expect(await place.comments()).toMatchObject([
      { author_actor_id: ada.actorId, markdown: expect.stringMatching(/^Her own words/) },
    ]);
  });
});

test("worked again, it moves the Task again that somebody has moved back", async () => {
  const place = await atForge(running, github);
  const { owner, repository, task } = place;
  const ada = github.meet();
  repository.writers.push(ada);
  const before = await place.status();
  await github.pulled(repository, running.url, "opened", openPull(place, ada), ada);
  await place.worked(1);
  const moved = (await owner.call("GET", `/tasks/${task.id}`)).body;
  expect(moved.status_id).toBe(place.begun);
  const back = { body: { status_id: before }, ifMatch: moved.revision };
  expect((await owner.call("PATCH", `/tasks/${task.id}`, back)).status).toBe(200);
  const path = `/integration-installations/${place.installationId}/deliveries`;
  const [delivery] = (await owner.call("GET", path)).body.items;
  expect(delivery).toMatchObject({ action: "pull_request", resource: { id: place.binding.resource_id } });
  await owner.call("POST", `/integration-deliveries/${delivery.id}/replay`, { key: newKey() });
  await eventually(async () => expect(await place.status()).toBe(place.begun));
  expect(await place.entities()).toHaveLength(1);
});

test("a service that hangs holds up nobody but its own lanes", async () => {
  const [, , gitea] = forges as [Forge, Forge, Forge];
  const hung = [await atForge(running, gitea), await atForge(running, gitea), await atForge(running, gitea)];
  const place = await atForge(running, github);
  gitea.server.fail(...hung.map(() => "hang" as const));
  for (const each of hung) {
    const ada = gitea.meet();
    await gitea.pulled(each.repository, running.url, "opened", openPull(each, ada), ada);
  }
  const begun = { state: "waiting", error_code: null, attempts: 1 };
  await eventually(async () => {
    for (const each of hung) expect(await each.deliveries()).toEqual([begun]);
  });
  const ada = github.meet();
  place.repository.writers.push(ada);
  await github.pulled(place.repository, running.url, "opened", openPull(place, ada), ada);
  await place.worked(1);
  expect(await place.status()).toBe(place.begun);
  for (const each of hung) expect(await each.deliveries(), "still asked").toEqual([begun]);
});

test("of an app's installation those repositories are listed that whoever connects it may see, and no more later", async () => {
  const home = await world(running);
  const admin = await home.member("admin");
  const [account, ada, grace] = [github.meet(), github.meet(), github.meet()];
  const repositories = ["hers", "theirs", "secret"].map((name) =>
    github.add(account, { name: `${account.login}/${name}` }),
  );
  for (const [at, seenBy] of [[ada], [grace], []].entries()) Object.assign(repositories[at] as object, { seenBy });
  const id = await connectForge(running, github, home, home.owner, account, ada);
  const names = async () => (await resourcesOf(home.owner, id)).map(({ name }) => name.split("/")[1]);
  expect(await names()).toEqual(["hers"]);
  const refreshed = async () => {
    const at = (await home.owner.call("GET", `/integration-installations/${id}`)).body.refreshed_at;
    await home.owner.call("POST", `/integration-installations/${id}/resources/refresh`);
    await eventually(async () =>
      expect((await home.owner.call("GET", `/integration-installations/${id}`)).body.refreshed_at).not.toBe(at),
    );
  };
  await refreshed();
  expect(await names()).toEqual(["hers"]);
  expect(await connectForge(running, github, home, admin, account, grace)).toBe(id);
  expect(await names()).toEqual(["hers", "theirs"]);
  // What the installation has no more is not listed, whoever sees it.
  github.repositories.splice(github.repositories.indexOf(repositories[0] as (typeof repositories)[number]), 1);
  await refreshed();
  expect(await names()).toEqual(["theirs"]);
});

test("of an account that nobody is connected with nothing is taken; Slack's challenge is answered", async () => {
  const raw = JSON.stringify({ type: "url_verification", challenge: "abc" });
  const asked = (secret: string) =>
    running.send("POST", "/webhooks/integrations/slack", {
      raw,
      headers: { "content-type": "application/json", ...signedBySlack(raw, secret) },
    });
  expect(await asked("slack's")).toMatchObject({ status: 200, body: { challenge: "abc" } });
  expect((await asked("another secret")).status).toBe(404);
  const nobodys = github.add(someone());
  expect(await github.pushed(nobodys, running.url, "main", [], someone())).toEqual([404]);
});
