// What a forge tells of a Task, from the address of the app to what people see: entities, moves by rule, comments; and what a stranger does.
import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { eventually } from "../../test/eventually.ts";
import { plantBinding, plantInstallation, plantResource, signedBySlack } from "../../test/integrations.ts";
import { newProject, newTask } from "../../test/work.ts";
import { newKey, service, world } from "../../test/world.ts";
import { newId } from "../wire/ids.ts";

const SECRET = "of the app";
const app = { app_id: "1", slug: "svc", client_id: "1", client_secret: "1", private_key: "1", webhook_secret: SECRET };
const running = service({ roles: ["api", "worker"], apps: { github: app, slack: { signing_secret: SECRET } } });

const sent = (event: string, body: unknown, secret = SECRET) => {
  const raw = JSON.stringify(body);
  const mac = createHmac("sha256", secret).update(raw).digest("hex");
  const headers = {
    "content-type": "application/json",
    "x-github-event": event,
    "x-hub-signature-256": `sha256=${mac}`,
  };
  return running.send("POST", "/webhooks/integrations/github", { raw, headers });
};

let people = 1000;
async function at() {
  const home = await world(running);
  const project = await newProject(home);
  const { body: statuses } = await home.owner.call("GET", `/projects/${project.id}/statuses`);
  const statusOf = (category: string) =>
    statuses.items.find((each: { category: string }) => each.category === category);
  const [begun, done] = [statusOf("started"), statusOf("completed")];
  const [account, repository] = [++people, ++people];
  const planted = { provider: "github", externalId: String(account) };
  const { id, actorId } = await plantInstallation(running, home.workspaceId, home.owner.actorId, planted);
  const resource = await plantResource(running, home.workspaceId, id, String(repository));
  await plantBinding(running, home.workspaceId, home.owner.actorId, {
    ...{ installationId: id, resourceId: resource.id, projectId: project.id },
    rules: { opened_status_id: begun.id, merged_status_id: done.id, sync_comments: true },
    kinds: ["branch", "commit", "pull_request", "comment"],
  });
  const about = {
    installation: { id: account },
    repository: { id: repository, full_name: "acme/site", html_url: "https://github.com/acme/site" },
  };
  const worked = (count: number) =>
    eventually(async () => {
      const sql = "select state from integration_deliveries where installation_id = $1 and state <> 'waiting'";
      expect(await running.sql(sql, [id], home.workspaceId)).toHaveLength(count);
    });
  const task = await newTask(home.owner, project.id);
  const seen = async () => (await home.owner.call("GET", `/tasks/${task.id}`)).body;
  const entities = async () => (await home.owner.call("GET", `/tasks/${task.id}/rich-entities`)).body.items;
  return {
    home,
    project,
    task,
    begun,
    done,
    account,
    id,
    resourceId: resource.id,
    actorId,
    about,
    worked,
    seen,
    entities,
  };
}
type At = Awaited<ReturnType<typeof at>>;

const pull = ({ about, task }: At, action: string, person: number, more: object = {}) => ({
  ...about,
  action,
  sender: { id: person, login: `person-${person}`, type: "User" },
  pull_request: {
    ...{ number: 7, title: `Fix ${task.code}`, body: null, html_url: "https://github.com/acme/site/pull/7" },
    ...{ state: "open", draft: false, merged: false, author_association: "NONE", updated_at: "2026-11-17T10:00:00Z" },
    ...{ user: { id: person, login: `person-${person}` }, head: { ref: "fix" } },
    ...more,
  },
});

test("a push shows its branch and its commit at the Task that they name", async () => {
  const place = await at();
  const { about, task } = place;
  const commit = {
    id: "a".repeat(40),
    message: `Mend it\n\nCloses ${task.code}`,
    url: "https://github.com/acme/site/commit/a",
  };
  const pushed = {
    ...{ ...about, ref: `refs/heads/${task.code.toLowerCase()}-mend`, deleted: false, sender: { id: 5, login: "ada" } },
    ...{ commits: [{ ...commit, timestamp: "2026-11-17T10:00:00Z", author: { name: "Ada" } }], head_commit: {} },
  };
  expect(await sent("push", pushed)).toMatchObject({ status: 200, body: {} });
  await place.worked(1);
  const kinds = (await place.entities()).map(({ kind, state, provider_key }: Record<string, string>) => [
    kind,
    state,
    provider_key,
  ]);
  expect(kinds.sort()).toEqual([
    ["branch", "open", "github"],
    ["commit", "pushed", "github"],
  ]);
});

test("a stranger's pull request is shown and moves nothing; who may write there moves it as the installation", async () => {
  const place = await at();
  const before = await place.seen();
  await sent("pull_request", pull(place, "opened", ++people));
  await place.worked(1);
  expect(await place.entities()).toMatchObject([{ kind: "pull_request", state: "open" }]);
  expect((await place.seen()).status_id).toBe(before.status_id);
  await sent("pull_request", pull(place, "reopened", ++people, { author_association: "COLLABORATOR" }));
  await place.worked(2);
  expect((await place.seen()).status_id).toBe(place.begun.id);
});

test("somebody who is linked moves it as themselves, within what they may", async () => {
  const place = await at();
  const { home, worked, seen, begun, done } = place;
  const [ada, guest] = [await home.member("member"), await home.member("viewer")];
  const link =
    "insert into integration_identities (id, user_id, provider_key, external_id, name) values ($1, $2, 'github', $3, 'linked')";
  const [hers, theirs] = [++people, ++people];
  await running.sql(link, [newId(), ada.userId, String(hers)]);
  await running.sql(link, [newId(), guest.userId, String(theirs)]);
  const before = await seen();
  // A viewer here changes nothing, whatever they may there.
  await sent("pull_request", pull(place, "opened", theirs, { author_association: "OWNER" }));
  await worked(1);
  expect((await seen()).status_id).toBe(before.status_id);
  await sent("pull_request", pull(place, "opened", hers));
  await worked(2);
  expect((await seen()).status_id).toBe(begun.id);
  const merged = {
    state: "closed",
    merged: true,
    merged_at: "2026-11-17T11:00:00Z",
    updated_at: "2026-11-17T11:00:00Z",
  };
  await sent("pull_request", pull(place, "closed", hers, merged));
  await worked(3);
  expect((await seen()).status_id).toBe(done.id);
  expect(await place.entities()).toMatchObject([{ state: "merged" }]);
  const { body } = await home.owner.call("GET", `/tasks/${place.task.id}/activity`);
  expect(JSON.stringify(body.items)).toContain(ada.actorId);
});

test("worked again, it moves the Task again that somebody has moved back", async () => {
  const place = await at();
  const { home, task, begun, worked, seen } = place;
  const before = await seen();
  await sent("pull_request", pull(place, "opened", ++people, { author_association: "MEMBER" }));
  await worked(1);
  const moved = await seen();
  expect(moved.status_id).toBe(begun.id);
  const back = { body: { status_id: before.status_id }, ifMatch: moved.revision };
  expect((await home.owner.call("PATCH", `/tasks/${task.id}`, back)).status).toBe(200);
  const path = `/integration-installations/${place.id}/deliveries`;
  const [delivery] = (await home.owner.call("GET", path)).body.items;
  expect(delivery).toMatchObject({ action: "pull_request", resource: { id: place.resourceId } });
  await home.owner.call("POST", `/integration-deliveries/${delivery.id}/replay`, { key: newKey() });
  await eventually(async () => expect((await seen()).status_id).toBe(begun.id));
  expect(await place.entities()).toHaveLength(1);
});

test("a comment of somebody who may write there is brought in once; a stranger's is not", async () => {
  const place = await at();
  const { about, task, home, worked } = place;
  await sent("pull_request", pull(place, "opened", ++people, { author_association: "MEMBER" }));
  const said = (id: number, author_association: string) => ({
    ...{ ...about, action: "created", issue: { number: 7, pull_request: {} } },
    comment: {
      ...{ id, body: "Looks good", html_url: "https://github.com/acme/site/pull/7#c", author_association },
      user: { id: ++people, login: "grace", type: "User" },
    },
  });
  const known = said(1, "MEMBER");
  for (const body of [known, known, said(2, "NONE")]) await sent("issue_comment", body);
  await worked(3);
  const { body } = await home.owner.call("GET", `/tasks/${task.id}/comments`);
  expect(body.items).toHaveLength(1);
  expect(body.items[0]).toMatchObject({ author_actor_id: place.actorId });
  expect(body.items[0].markdown).toContain("Looks good");
});

test("what is forged, or of an account that nobody is connected with, is refused alike; Slack's challenge is answered", async () => {
  const place = await at();
  const body = pull(place, "opened", 1);
  const forged = await sent("pull_request", body, "another secret");
  const unknown = await sent("pull_request", { ...body, installation: { id: 999_999 } });
  expect([forged.status, unknown.status]).toEqual([404, 404]);
  expect({ ...forged.body, correlation_id: "" }).toEqual({ ...unknown.body, correlation_id: "" });
  const raw = JSON.stringify({ type: "url_verification", challenge: "abc" });
  const asked = (secret: string) =>
    running.send("POST", "/webhooks/integrations/slack", {
      raw,
      headers: { "content-type": "application/json", ...signedBySlack(raw, secret) },
    });
  expect(await asked(SECRET)).toMatchObject({ status: 200, body: { challenge: "abc" } });
  expect((await asked("another secret")).status).toBe(404);
});
