// Webhook deliveries: contents, recipients, retries and log, against a receiver that answers in every way.
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ATTEMPT_MS, attemptClock } from "../../../test/attempt-clock.ts";
import { eventually } from "../../../test/eventually.ts";
import { answers, type Received, verified, webhookReceiver } from "../../../test/webhook-receiver.ts";
import { newProject, newTask } from "../../../test/work.ts";
import { type Person, service, testKeys, type World, world } from "../../../test/world.ts";
import { egressTo } from "../../platform/outside/egress.ts";
import { createLog } from "../../platform/wire/log.ts";
import { secretBox } from "../../platform/wire/secret-box.ts";
import { followEvents } from "./enqueue-events.ts";
import { MOST_ATTEMPTS } from "./rules.ts";
import { openSender, type Sender } from "./sender.ts";

const [receiver, other] = [await webhookReceiver(), await webhookReceiver()];
const allow = [receiver.origin, other.origin];
const running = service({ webhookAllow: allow });
afterAll(() => Promise.all([receiver.close(), other.close()]));

let sender: Sender;
const attempts = attemptClock(egressTo({ allow }));
const outside = { webhooks: attempts.egress, secrets: secretBox(testKeys) };
beforeEach(() => {
  receiver.says(answers.ok);
  attempts.start();
  sender = openSender({ database: running.database, outside, log: createLog("silent"), attemptMs: ATTEMPT_MS });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await sender.close();
  await running.asOwner("update webhook_endpoints set enabled = false, due_at = null");
});

interface Endpoint {
  id: string;
  secret: string;
}
const make = async (home: World, more: object = {}, person: Person = home.owner): Promise<Endpoint> => {
  const body = { name: "Reports", url: receiver.url, actions: ["task.created"], ...more };
  const answer = await person.call("POST", `/workspaces/${home.workspaceId}/webhook-endpoints`, { body });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};
const logOf = async ({ owner }: World, { id }: Endpoint, query = "") =>
  (await owner.call("GET", `/webhook-endpoints/${id}/deliveries${query}`)).body.items;
const read = async ({ owner }: World, { id }: Endpoint) => (await owner.call("GET", `/webhook-endpoints/${id}`)).body;
/** Reads on, sends, and waits until what is due has been tried. */
async function sendAll(home: World, endpoint: Endpoint, more: (log: Record<string, unknown>[]) => void = () => {}) {
  return eventually(async () => {
    // What others write at the same time may hold the journal back for a moment.
    await followEvents(running.database);
    await sender.look();
    const log = await logOf(home, endpoint);
    const waiting = log.filter(
      ({ state, next_attempt_at }: { state: string; next_attempt_at: string }) =>
        state === "queued" && Date.parse(next_attempt_at) <= Date.now(),
    );
    expect(waiting).toEqual([]);
    more(log);
    return log;
  });
}
const of = (endpoint: Endpoint, received = receiver.received) =>
  received.filter(({ headers, body }) => {
    expect(headers["webhook-id"]).toBeDefined();
    try {
      return verified({ path: "", headers, body }, endpoint.secret) !== null;
    } catch {
      return false;
    }
  });
const told = (endpoint: Endpoint, received?: Received[]) =>
  of(endpoint, received).map((each) => verified(each, endpoint.secret));
/** As if the pause were over. */
const hurry = (endpoint: Endpoint) =>
  running.asOwner(
    `with d as (update webhook_deliveries set next_attempt_at = now() where endpoint_id = $1 and state = 'queued')
     update webhook_endpoints set due_at = now() where id = $1`,
    [endpoint.id],
  );

test("a change is told with identities alone, signed, once, in order; what was not chosen or came before is not", async () => {
  const home = await world(running);
  const project = await newProject(home);
  await newTask(home.owner, project.id, { title: "Before" });
  const endpoint = await make(home, { actions: ["task.created", "task.trashed"] });
  const tasks: { id: string; revision: string }[] = [];
  for (const title of ["Secret plans", "More", "Most"]) tasks.push(await newTask(home.owner, project.id, { title }));
  const trashed = await home.owner.call("POST", `/tasks/${tasks[0]?.id}/trash`, { ifMatch: "1" });
  expect(trashed.status, trashed.text).toBeLessThan(300);
  const log = await sendAll(home, endpoint, (each) => expect(each).toHaveLength(4));
  expect(
    log.map(({ state, attempts, status_code, error_code }: never) => [state, attempts, status_code, error_code]),
  ).toEqual(Array(4).fill(["delivered", 1, 200, null]));
  await followEvents(running.database);
  await sender.look();
  const messages = told(endpoint);
  expect(messages.map(({ type }) => type).sort()).toEqual([
    "task.created",
    "task.created",
    "task.created",
    "task.trashed",
  ]);
  expect(log.map(({ action }: { action: string }) => action)).toEqual([
    "task.trashed",
    ...Array(3).fill("task.created"),
  ]);
  const first = messages.find(({ data }) => data.id === tasks[1]?.id);
  expect(first).toEqual({
    ...{ type: "task.created", version: 1, timestamp: expect.stringMatching(/^20.*Z$/) },
    data: {
      ...{
        workspace_id: home.workspaceId,
        kind: "task",
        id: tasks[1]?.id,
        revision: tasks[1]?.revision,
        change: "created",
      },
      ...{ actor_id: home.owner.actorId, project_id: project.id, task_id: null },
    },
  });
  expect(
    of(endpoint)
      .map(({ body }) => body.toString())
      .join(),
    "no title",
  ).not.toContain("Secret");
  expect(new Set(of(endpoint).map(({ headers }) => headers["webhook-id"]))).toEqual(
    new Set(log.map(({ id }: { id: string }) => id)),
  );
  expect((await read(home, endpoint)).succeeded_at).not.toBeNull();
});

test("of chosen Projects, and nothing of others or of no Project", async () => {
  const home = await world(running);
  const [one, two] = [await newProject(home), await newProject(home)];
  const endpoint = await make(home, {
    actions: ["task.created", "project.updated", "label.created"],
    project_ids: [one.id],
  });
  await newTask(home.owner, two.id);
  const task = await newTask(home.owner, one.id);
  for (const { id } of [one, two])
    await home.owner.call("PATCH", `/projects/${id}`, { body: { name: "Named anew" }, headers: { "if-match": "*" } });
  await sendAll(home, endpoint, (log) => expect(log).toHaveLength(2));
  expect(
    told(endpoint)
      .map(({ data }) => [data.kind, data.id])
      .sort(),
  ).toEqual(
    [
      ["task", task.id],
      ["project", one.id],
    ].sort(),
  );
});

describe("under the creator's current rights", () => {
  test("a private Project is told while they see it; what waits when they do not any more is dropped", async () => {
    const home = await world(running);
    const admin = await home.member("admin");
    const hidden = await newProject(home, { visibility: "private" });
    const open = await newProject(home);
    const endpoint = await make(home, {}, admin);
    receiver.says(answers.failing);
    const seen = await newTask(home.owner, hidden.id);
    await sendAll(home, endpoint, (log) =>
      expect(log).toMatchObject([{ state: "queued", attempts: 1, error_code: "status" }]),
    );
    expect(told(endpoint).map(({ data }) => data.id)).toEqual([seen.id]);
    const role = "update memberships set role = 'member' where workspace_id = $1 and actor_id = $2";
    await running.sql(role, [home.workspaceId, admin.actorId]);
    receiver.says(answers.ok);
    await newTask(home.owner, hidden.id);
    const shared = await newTask(home.owner, open.id);
    await hurry(endpoint);
    const log = await sendAll(home, endpoint, (each) => expect(each).toHaveLength(2));
    expect(log).toMatchObject([
      { state: "delivered" },
      { state: "dropped", error_code: "not_visible", attempts: 1, next_attempt_at: null },
    ]);
    expect(told(endpoint).map(({ data }) => data.id)).toEqual([seen.id, shared.id]);
  });

  test("whoever is no member any more hears nothing: the endpoint is disabled, and owners get a letter", async () => {
    const home = await world(running);
    const admin = await home.member("admin");
    const project = await newProject(home);
    const endpoint = await make(home, {}, admin);
    receiver.says(answers.failing);
    await newTask(home.owner, project.id);
    await sendAll(home, endpoint, (log) => expect(log).toHaveLength(1));
    await running.sql("update memberships set state = 'removed' where workspace_id = $1 and actor_id = $2", [
      ...[home.workspaceId, admin.actorId],
    ]);
    await newTask(home.owner, project.id);
    await hurry(endpoint);
    await sender.look();
    await eventually(async () =>
      expect(await read(home, endpoint)).toMatchObject({ enabled: false, disabled_reason: "creator_left" }),
    );
    expect(of(endpoint)).toHaveLength(1);
    expect(await noticesOf(endpoint)).toEqual([home.owner.actorId]);
  });
});
const noticesOf = async ({ id }: Endpoint) =>
  (
    await running.asOwner<{ actor: string }>(
      "select payload ->> 'actor_id' as actor from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id where t.identifier = 'webhook_notice' and payload ->> 'endpoint_id' = $1",
      [id],
    )
  ).map(({ actor }) => actor);

describe("where it is not accepted", () => {
  test.each([
    ["it fails", answers.failing, { error_code: "status", status_code: 500 }],
    [
      "it sends elsewhere, which is not followed",
      answers.elsewhere("http://127.0.0.1:1/"),
      { error_code: "redirect", status_code: 307 },
    ],
    ["it resets the connection", answers.reset, { error_code: "connection", status_code: null }],
    ["it never answers", answers.silent, { error_code: "timeout", status_code: null }],
  ] as const)("%s: it is tried again under the same id, and accepted then", async (_name, answer, said) => {
    const home = await world(running);
    const endpoint = await make(home);
    receiver.says(answer);
    await newTask(home.owner, (await newProject(home)).id);
    const failing = sendAll(home, endpoint, (log) => expect(log).toMatchObject([{ attempts: 1 }]));
    if (said.error_code === "timeout") {
      await expect.poll(() => of(endpoint)).toHaveLength(1);
      attempts.end();
    }
    const [failed] = await failing;
    expect(failed).toMatchObject({ state: "queued", ...said });
    expect(Date.parse(failed.next_attempt_at)).toBeGreaterThan(Date.parse(failed.attempted_at));
    expect((await read(home, endpoint)).failing_since).not.toBeNull();
    receiver.says(answers.created);
    await hurry(endpoint);
    const [accepted] = await sendAll(home, endpoint, (log) => expect(log).toMatchObject([{ attempts: 2 }]));
    expect(accepted).toMatchObject({ state: "delivered", status_code: 201, error_code: null, next_attempt_at: null });
    expect((await read(home, endpoint)).failing_since).toBeNull();
    expect(of(endpoint).map(({ headers }) => headers["webhook-id"])).toEqual([failed.id, failed.id]);
  });

  test.each([
    ["without an end", answers.huge],
    ["drop by drop", answers.trickle],
  ])("but an answer of 200 that goes on %s is accepted, and cut off", async (_name, answer) => {
    const home = await world(running);
    const endpoint = await make(home);
    receiver.says(answer);
    await newTask(home.owner, (await newProject(home)).id);
    const sending = sendAll(home, endpoint, (log) => expect(log).toMatchObject([{ attempts: 1 }]));
    if (answer === answers.trickle) await attempts.endOnceAnswered();
    expect(await sending).toMatchObject([{ state: "delivered", status_code: 200 }]);
  });

  test("nothing is tried before the receiver wants it", async () => {
    const home = await world(running);
    const endpoint = await make(home);
    receiver.says(answers.busy(3600));
    await newTask(home.owner, (await newProject(home)).id);
    const [waiting] = await sendAll(home, endpoint, (log) => expect(log).toMatchObject([{ attempts: 1 }]));
    expect(Date.parse(waiting.next_attempt_at) - Date.parse(waiting.attempted_at)).toBeGreaterThan(3_500_000);
  });

  test("whoever says that it is gone is disabled at once, with a letter to the creator; what waits goes on when it is enabled again", async () => {
    const home = await world(running);
    const endpoint = await make(home);
    receiver.says(answers.gone);
    const project = await newProject(home);
    await newTask(home.owner, project.id);
    const [gone] = await sendAll(home, endpoint, (log) =>
      expect(log).toMatchObject([{ state: "failed", error_code: "gone" }]),
    );
    expect(await read(home, endpoint)).toMatchObject({ enabled: false, disabled_reason: "gone", revision: "2" });
    expect(await noticesOf(endpoint)).toEqual([home.owner.actorId]);
    await newTask(home.owner, project.id);
    const replay = () => home.owner.call("POST", `/webhook-deliveries/${gone.id}/replay`);
    expect((await replay()).body.code).toBe("webhook_disabled");
    expect((await home.owner.call("POST", `/webhook-endpoints/${endpoint.id}/test`)).body.code).toBe(
      "webhook_disabled",
    );
    const enabled = await home.owner.call("PATCH", `/webhook-endpoints/${endpoint.id}`, {
      body: { enabled: true },
      ifMatch: "2",
    });
    expect(enabled.body).toMatchObject({ enabled: true, disabled_reason: null });
    receiver.says(answers.ok);
    expect((await replay()).status).toBe(202);
    const log = await sendAll(home, endpoint, (each) => expect(each).toMatchObject([{ state: "delivered" }]));
    expect(
      log.map(({ id }: { id: string }) => id),
      "what came while it was disabled is not sent",
    ).toEqual([gone.id]);
  });

  test("after the last attempt it is given up; where nothing was accepted since it was queued, the endpoint is disabled", async () => {
    const home = await world(running);
    const [failing, mixed] = [await make(home), await make(home, { url: other.url })];
    const project = await newProject(home);
    receiver.says(answers.failing);
    other.says(answers.failing);
    await newTask(home.owner, project.id);
    await eventually(async () => {
      await followEvents(running.database);
      for (const each of [failing, mixed]) expect(await logOf(home, each)).toHaveLength(1);
    });
    const last =
      "update webhook_deliveries set attempts = $2, queued_at = now() - interval '3 days' where endpoint_id = $1";
    for (const { id } of [failing, mixed]) await running.asOwner(last, [id, MOST_ATTEMPTS - 1]);
    await running.asOwner("update webhook_endpoints set succeeded_at = now() - interval '1 day' where id = $1", [
      mixed.id,
    ]);
    const given = (log: unknown) =>
      expect(log).toMatchObject([{ state: "failed", attempts: MOST_ATTEMPTS, next_attempt_at: null }]);
    await sendAll(home, failing, given);
    await sendAll(home, mixed, given);
    expect(await read(home, failing)).toMatchObject({ enabled: false, disabled_reason: "failing" });
    expect(await read(home, mixed), "it accepted something meanwhile").toMatchObject({ enabled: true });
    expect([await noticesOf(failing), await noticesOf(mixed)]).toEqual([[home.owner.actorId], []]);
    const inbox = async (person = home.owner) =>
      (await person.call("GET", `/workspaces/${home.workspaceId}/inbox`)).body.items;
    expect(await inbox()).toMatchObject([
      {
        ...{ category: "webhook_disabled", action: "webhook_endpoint.disabled", actor: null },
        about: { kind: "webhook_endpoint", id: failing.id, name: "Reports", note: null },
      },
    ]);
    expect(await inbox(await home.member("admin")), "it is told to whose it is").toEqual([]);
    await home.owner.call("PATCH", `/webhook-endpoints/${failing.id}`, {
      ...{ body: { enabled: true }, headers: { "if-match": "*" } },
    });
    expect(await inbox(), "enabled again, there is nothing to do").toEqual([]);
  });
});

test("one that never answers holds up nobody else", async () => {
  const home = await world(running);
  const [silent, quick] = [await make(home, { url: other.url }), await make(home)];
  other.says(answers.silent);
  const project = await newProject(home);
  for (let at = 0; at < 9; at++) await newTask(home.owner, project.id);
  await eventually(async () => {
    await followEvents(running.database);
    await sender.look();
    const delivered = await logOf(home, quick, "?state=delivered");
    expect(delivered).toHaveLength(9);
  });
  const tried = (await logOf(home, silent)).filter(({ attempts }: { attempts: number }) => attempts > 0);
  expect(await logOf(home, silent, "?state=delivered")).toEqual([]);
  expect(tried.length).toBeLessThanOrEqual(9);
});

test("a test is sent to whoever did not choose it, and something is sent again under its id, once for each time", async () => {
  const home = await world(running);
  const endpoint = await make(home);
  const tested = await home.owner.call("POST", `/webhook-endpoints/${endpoint.id}/test`);
  expect([tested.status, tested.body]).toMatchObject([
    202,
    { action: "webhook_endpoint.tested", state: "queued", attempts: 0 },
  ]);
  await sendAll(home, endpoint, (log) => expect(log).toMatchObject([{ id: tested.body.id, state: "delivered" }]));
  expect(told(endpoint)).toMatchObject([
    { type: "webhook_endpoint.tested", data: { id: endpoint.id, workspace_id: home.workspaceId } },
  ]);
  const again = await home.owner.call("POST", `/webhook-deliveries/${tested.body.id}/replay`);
  expect([again.status, again.body]).toMatchObject([202, { id: tested.body.id, state: "queued" }]);
  await sendAll(home, endpoint, (log) => expect(log).toMatchObject([{ state: "delivered" }]));
  expect(of(endpoint).map(({ headers }) => headers["webhook-id"])).toEqual([tested.body.id, tested.body.id]);
  const member = await home.member("member");
  expect((await member.call("POST", `/webhook-deliveries/${tested.body.id}/replay`)).status).toBe(404);
  expect((await member.call("GET", `/webhook-deliveries/${tested.body.id}`)).status).toBe(404);
  expect((await home.owner.call("GET", `/webhook-deliveries/${tested.body.id}`)).body.state).toBe("delivered");
});

test("while a secret is rotated both verify; afterwards only the new one does", async () => {
  const home = await world(running);
  const endpoint = await make(home);
  const rotated = (await home.owner.call("POST", `/webhook-endpoints/${endpoint.id}/rotate-secret`)).body as Endpoint;
  await home.owner.call("POST", `/webhook-endpoints/${endpoint.id}/test`);
  await sendAll(home, endpoint, (log) => expect(log).toMatchObject([{ state: "delivered" }]));
  expect([of(endpoint).length, of(rotated).length]).toEqual([1, 1]);
  await running.asOwner("update webhook_endpoints set previous_secret_expires_at = now() where id = $1", [endpoint.id]);
  await home.owner.call("POST", `/webhook-endpoints/${endpoint.id}/test`);
  await sendAll(home, endpoint, (log) => expect(log).toMatchObject([{ state: "delivered" }, { state: "delivered" }]));
  expect([of(endpoint).length, of(rotated).length]).toEqual([1, 2]);
});

test("an address that is not allowed any more, or never leads to a public place, is refused at sending", async () => {
  const home = await world(running);
  const endpoint = await make(home, { url: "https://hooks.example.com/" });
  await running.asOwner("update webhook_endpoints set url = 'https://127.0.0.1:1/' where id = $1", [endpoint.id]);
  await home.owner.call("POST", `/webhook-endpoints/${endpoint.id}/test`);
  await sendAll(home, endpoint, (log) =>
    expect(log).toMatchObject([{ attempts: 1, error_code: "refused_address", status_code: null }]),
  );
});
