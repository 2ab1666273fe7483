// Actions: asked for by whoever may write to a Project that is bound to the resource, done once at the provider, and
// told as they went.
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { plantBinding, plantInstallation, plantResource, reachingFrom } from "../../../test/integrations.ts";
import { type Failing, standIn } from "../../../test/providers/stand-in.ts";
import { joinProject, newProject } from "../../../test/work.ts";
import { newKey, type Person, service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";
import type { ProviderAction, ProviderDefinition } from "./client/provider.ts";
import { githubActions } from "./providers/github/actions.ts";
import { providerOf } from "./providers/providers.ts";
import { webhook } from "./providers/webhook.ts";
import { performAction } from "./send/run-action.ts";

const running = service();
const provider = await standIn();
afterAll(provider.close);
const parts = () =>
  reachingFrom(running, { private_connector: { url: provider.origin }, probe: { url: provider.origin } });

/** A provider that takes no keys, and one whose effects cannot even be looked for. */
const say: ProviderAction = { ...githubActions.comment, find: undefined as never };
const probe: ProviderDefinition = {
  ...webhook,
  key: "probe",
  name: "Probe",
  base: provider.origin,
  actions: { comment: githubActions.comment, say, close: githubActions.close_issue },
};
providerOf.set(probe.key, probe);

interface Bound {
  id: string;
  resourceId: string;
}
async function bound(home: World, projectId: string, resource = "acme/gears"): Promise<Bound> {
  const { workspaceId, owner } = home;
  const { id } = await plantInstallation(running, workspaceId, owner.actorId, { provider: "probe" });
  const { id: resourceId } = await plantResource(running, workspaceId, id, resource);
  await plantBinding(running, workspaceId, owner.actorId, { projectId, installationId: id, resourceId });
  return { id, resourceId };
}
const ask = (person: Person, { id, resourceId }: Bound, action: string, input: object, key = newKey()) =>
  person.call("POST", "/integration-actions", {
    body: { installation_id: id, resource_id: resourceId, action, input },
    key,
  });
const perform = (home: World, id: string) => performAction(parts(), { workspace_id: home.workspaceId, id });
const read = async (person: Person, id: string) => (await person.call("GET", `/integration-actions/${id}`)).body;
/** As if the time until the next attempt had passed. */
const due = (home: World, id: string) =>
  running.sql("update integration_actions set not_before = now() where id = $1", [id], home.workspaceId);
const again = async (home: World, id: string) => {
  await due(home, id);
  await perform(home, id);
};

const COMMENTS = "/repos/acme/gears/issues/3/comments";
const LISTED = "/repos/acme/gears/issues/comments";
/** A repository that keeps what is said in it. */
function repository() {
  const said: { id: number; body: string; html_url: string }[] = [];
  provider.reset();
  provider.on(`POST ${COMMENTS}`, ({ body }: { body: { body: string } }) => {
    const made = { id: 100 + said.length, body: body.body, html_url: "https://git.example/1" };
    said.unshift(made);
    return made;
  });
  provider.on(`GET ${LISTED}`, () => said);
  return said;
}
const hello = { number: 3, text: "Shipped" };

test("an action is queued, done by the job, and told with its receipt; the same key asks for it once", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const place = await bound(home, project.id);
  const said = repository();
  const key = newKey();
  const made = await ask(home.owner, place, "comment", hello, key);
  expect([made.status, made.body.state, made.headers.get("location")]).toEqual([
    ...[201, "queued", `/api/v1/integration-actions/${made.body.id}`],
  ]);
  expect((await ask(home.owner, place, "comment", hello, key)).text).toBe(made.text);
  const [sealed] = await running.sql<{ sealed_input: string }>(
    "select sealed_input from integration_actions where id = $1",
    [made.body.id],
    home.workspaceId,
  );
  expect(sealed?.sealed_input).not.toContain("Shipped");
  await perform(home, made.body.id);
  const ended = await read(home.owner, made.body.id);
  expect(ended).toMatchObject({
    state: "succeeded",
    external_id: "100",
    url: "https://git.example/1",
    error_code: null,
  });
  const receipt = await home.owner.call(
    "GET",
    `/workspaces/${home.workspaceId}/operation-receipts/${ended.receipt_id}`,
  );
  expect(receipt.status).toBe(200);
  await again(home, made.body.id);
  expect(said).toHaveLength(1);
  const feed = await home.owner.call("GET", `/workspaces/${home.workspaceId}/activity`);
  expect(feed.text).not.toContain(made.body.id);
});

test("a key must be sent; what names nothing, or does not fit, is refused with where it is wrong", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const place = await bound(home, project.id);
  const body = { installation_id: place.id, resource_id: place.resourceId, action: "comment", input: hello };
  const without = await home.owner.call("POST", "/integration-actions", { body });
  expect([without.status, without.body.code]).toEqual([400, "idempotency_key_required"]);
  const other = await bound(home, project.id, "acme/other");
  const wrong: [Bound, string, object, number, string][] = [
    [{ ...place, id: newId() }, "comment", hello, 422, "/body/installation_id"],
    [{ ...place, resourceId: newId() }, "comment", hello, 422, "/body/resource_id"],
    [{ ...place, resourceId: other.resourceId }, "comment", hello, 422, "/body/resource_id"],
    [place, "dance", hello, 422, "/body/action"],
    [place, "constructor", hello, 422, "/body/action"],
    [place, "comment", {}, 400, "/body/input/number"],
    [place, "comment", { ...hello, more: 1 }, 400, "/body/input/more"],
    [place, "comment", { ...hello, text: "x".repeat(20_001) }, 400, "/body/input/text"],
  ];
  for (const [at, action, input, status, pointer] of wrong) {
    const answer = await ask(home.owner, at, action, input);
    expect([answer.status, answer.body.errors?.[0].pointer], pointer).toEqual([status, pointer]);
  }
  expect((await ask(home.owner, place, "comment", { ...hello, text: "x".repeat(20_000) })).status).toBe(201);
});

test("only who may write to a Project that is bound to the resource asks for it, and only they and the managers read it", async () => {
  const home = await world(running);
  const hidden = await newProject(home, { visibility: "private" });
  const place = await bound(home, hidden.id);
  const [ada, bob, viewer, admin] = [
    await home.member("member"),
    await home.member("member"),
    await home.member("viewer"),
    await home.member("admin"),
  ];
  const status = async (person: Person) => (await ask(person, place, "comment", hello)).status;
  expect([await status(ada), await status(viewer), await status(admin)]).toEqual([409, 403, 201]);
  await joinProject(home, hidden.id, bob, "viewer");
  await joinProject(home, hidden.id, ada, "member");
  expect(await status(bob)).toBe(403);
  const made = await ask(ada, place, "comment", hello);
  expect(made.status).toBe(201);
  const seen = async (person: Person) => (await person.call("GET", `/integration-actions/${made.body.id}`)).status;
  expect([await seen(ada), await seen(bob), await seen(viewer), await seen(admin)]).toEqual([200, 404, 404, 200]);
  const stranger = (await world(running)).owner;
  expect([await seen(stranger), await status(stranger)]).toEqual([404, 422]);
});

test("a resource that is bound to no Project is refused as such, to an owner too", async () => {
  const home = await world(running);
  const place = await bound(home, (await newProject(home)).id);
  await running.sql("delete from integration_bindings where resource_id = $1", [place.resourceId], home.workspaceId);
  for (const person of [home.owner, await home.member("member")]) {
    const { status, body } = await ask(person, place, "comment", hello);
    expect([status, body.code]).toEqual([409, "resource_unbound"]);
    expect(body.detail).not.toMatch(/your role/);
  }
});

test("what has ended takes no actions: an archived Project, a connection that was revoked or removed, a provider that is not registered", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const place = await bound(home, project.id);
  const code = async () => (await ask(home.owner, place, "comment", hello)).body.code;
  const set = (change: string) =>
    running.sql(`update integration_installations set ${change} where id = $1`, [place.id], home.workspaceId);
  const waiting = await ask(home.owner, place, "comment", hello);
  providerOf.set("probe", { ...probe, needs: ["secret"] });
  expect(await code()).toBe("integration_unavailable");
  providerOf.set("probe", probe);
  await set("state = 'revoked'");
  expect(await code()).toBe("installation_revoked");
  await perform(home, waiting.body.id);
  expect(await read(home.owner, waiting.body.id)).toMatchObject({
    state: "failed",
    error_code: "installation_revoked",
  });
  await set("state = 'revoked', removed_at = now()");
  expect(await code()).toBe("invalid_reference");
  await set("state = 'active', removed_at = null");
  await running.sql("update projects set archived_at = now() where id = $1", [project.id], home.workspaceId);
  expect(await code()).toBe("project_archived");
});

test.each<[Failing | "pace", string, string]>([
  [{ status: 401 }, "failed", "credential_refused"],
  [{ status: 403 }, "failed", "refused"],
  [{ status: 404 }, "failed", "resource_missing"],
  [{ status: 422 }, "failed", "refused"],
])("%j ends it", async (failure, state, error_code) => {
  const home = await world(running);
  const place = await bound(home, (await newProject(home)).id);
  const said = repository();
  const { id } = (await ask(home.owner, place, "comment", hello)).body;
  provider.fail(failure as Failing);
  await perform(home, id);
  await again(home, id);
  expect(await read(home.owner, id)).toMatchObject({ state, error_code });
  expect([said.length, provider.written().length]).toEqual([0, 1]);
  const { body } = await home.owner.call("GET", `/integration-installations/${place.id}`);
  expect(body.state).toBe(error_code === "resource_missing" ? "active" : "degraded");
});

test("what the provider puts off is not asked for before, and then done", async () => {
  const home = await world(running);
  const place = await bound(home, (await newProject(home)).id);
  const said = repository();
  const { id } = (await ask(home.owner, place, "comment", hello)).body;
  provider.fail({ status: 429, headers: { "retry-after": "40" } });
  await perform(home, id);
  await perform(home, id);
  expect(await read(home.owner, id)).toMatchObject({ state: "queued", error_code: "rate_limited" });
  const [{ seconds }] = (await running.sql<{ seconds: number }>(
    "select extract(epoch from not_before - now())::float as seconds from integration_actions where id = $1",
    [id],
    home.workspaceId,
  )) as [{ seconds: number }];
  expect(seconds).toBeGreaterThan(30);
  expect(provider.asked).toHaveLength(1);
  // It is due, and the provider still wants to be left alone.
  await again(home, id);
  expect([said.length, provider.asked.length]).toEqual([0, 1]);
  const client = new pg.Client(running.databaseUrl);
  await client.connect();
  const jobs = "select from graphile_worker.jobs where key = 'perform_integration_action ' || $1 and run_at > now()";
  const { rowCount } = await client.query(jobs, [id]).finally(() => client.end());
  expect(rowCount).toBe(1);
});

test("an answer that was lost: what was made is looked for, and not made again", async () => {
  const home = await world(running);
  const place = await bound(home, (await newProject(home)).id);
  const said = repository();
  const { id } = (await ask(home.owner, place, "comment", hello)).body;
  provider.fail("after");
  await perform(home, id);
  expect([said.length, (await read(home.owner, id)).state]).toEqual([1, "running"]);
  // It cannot be looked for: nothing is repeated.
  provider.fail({ status: 500 });
  await again(home, id);
  expect([said.length, (await read(home.owner, id)).state]).toEqual([1, "running"]);
  await again(home, id);
  expect(said).toHaveLength(1);
  expect(await read(home.owner, id)).toMatchObject({ state: "succeeded", external_id: "100" });
});

test("an answer that never came, and nothing was made: it is made then, once", async () => {
  const home = await world(running);
  const place = await bound(home, (await newProject(home)).id);
  const said = repository();
  const { id } = (await ask(home.owner, place, "comment", hello)).body;
  provider.fail("reset");
  await perform(home, id);
  await again(home, id);
  expect(said).toHaveLength(1);
  expect((await read(home.owner, id)).state).toBe("succeeded");
});

test("what cannot be looked for is unknown, and nobody repeats it", async () => {
  const home = await world(running);
  const place = await bound(home, (await newProject(home)).id);
  const said = repository();
  const { id } = (await ask(home.owner, place, "say", hello)).body;
  provider.fail("after");
  await perform(home, id);
  await again(home, id);
  expect(await read(home.owner, id)).toMatchObject({ state: "unknown", error_code: "unknown", external_id: null });
  expect(said).toHaveLength(1);
});

test("a process that was killed in the middle has had one effect, or nobody knows", async () => {
  const home = await world(running);
  const place = await bound(home, (await newProject(home)).id);
  const said = repository();
  const killed = async (action: string) => {
    const { id } = (await ask(home.owner, place, action, hello)).body;
    // Taken, asked and done there; of the answer nothing was noted before the process ended.
    await perform(home, id);
    const taken = `update integration_actions
        set state = 'running', external_id = null, url = null, not_before = now() + interval '50 seconds',
          sealed_input = $2 where id = $1`;
    const sealed = parts().outside.secrets.seal(JSON.stringify(hello), `integration action ${id}`);
    await running.sql(taken, [id, sealed], home.workspaceId);
    // Nobody takes it while the other may still be at it.
    await perform(home, id);
    expect((await read(home.owner, id)).state).toBe("running");
    await again(home, id);
    return read(home.owner, id);
  };
  expect(await killed("comment")).toMatchObject({ state: "succeeded", external_id: "100" });
  expect(said).toHaveLength(1);
  expect((await killed("say")).state).toBe("unknown");
  expect(said).toHaveLength(2);
});

test("two processes that take it at once do it once", async () => {
  const home = await world(running);
  const place = await bound(home, (await newProject(home)).id);
  const said = repository();
  const { id } = (await ask(home.owner, place, "comment", hello)).body;
  await Promise.all([perform(home, id), perform(home, id), perform(home, id)]);
  expect(said).toHaveLength(1);
  expect((await read(home.owner, id)).state).toBe("succeeded");
});

test("a provider that never answers is given up after its last attempt", async () => {
  const home = await world(running);
  const place = await bound(home, (await newProject(home)).id);
  repository();
  const { id } = (await ask(home.owner, place, "close", { number: 3 })).body;
  for (let attempt = 0; attempt < 10; attempt++) {
    provider.fail({ status: 502 });
    await again(home, id);
  }
  expect(await read(home.owner, id)).toMatchObject({ state: "unknown", error_code: "unknown" });
  expect(provider.asked).toHaveLength(7);
});
