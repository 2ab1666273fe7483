// What holds when requests meet: twins with one key, writers on one revision, and a key that is held by somebody else.
// Decided by the database and therefore tested with many real requests at once, never with sleeps.
import pg from "pg";
import { expect, test } from "vitest";
import { sha256 } from "../src/platform/wire/ids.ts";
import type { Answer } from "./answer.ts";
import { newKey, service, type World, world } from "./world.ts";

const running = service();
const MANY = 50;
const many = (work: (index: number) => Promise<Answer>) =>
  Promise.all(Array.from({ length: MANY }, (_, index) => work(index)));

async function withTask(place: World) {
  const { owner, workspaceId } = place;
  const project = (
    await owner.call("POST", `/workspaces/${workspaceId}/projects`, { body: { key: "RACE", name: "Race" } })
  ).body;
  const task = (await owner.call("POST", `/projects/${project.id}/tasks`, { body: { title: "First" }, key: newKey() }))
    .body;
  return { ...place, project, task };
}
const count = async (place: World, table: string) =>
  Number((await running.sql<{ n: string }>(`select count(*) as n from ${table}`, [], place.workspaceId))[0]?.n);

/** One effect, equal answers, one of which was the first. */
async function oneEffect(place: World, table: string, path: string, body: unknown, keyOf?: () => string) {
  const before = {
    rows: await count(place, table),
    events: await count(place, "domain_events"),
    audited: await count(place, "audit_log"),
  };
  const key = newKey();
  const answers = await many(() => place.owner.call("POST", path, { body, key: keyOf?.() ?? key }));
  expect(new Set(answers.map(({ status, text, headers }) => `${status} ${headers.get("etag")} ${text}`)).size).toBe(1);
  expect(answers[0]?.status).toBe(201);
  expect(answers.filter(({ headers }) => headers.get("idempotent-replayed") === null)).toHaveLength(1);
  const after = {
    rows: await count(place, table),
    events: await count(place, "domain_events"),
    audited: await count(place, "audit_log"),
  };
  expect(after).toEqual({ rows: before.rows + 1, events: before.events + 1, audited: before.audited + 1 });
}

test("50 parallel requests with one key make one Task and get 50 equal answers", async () => {
  const place = await withTask(await world(running));
  await oneEffect(place, "tasks", `/projects/${place.project.id}/tasks`, { title: "Once" });
});

test("50 parallel requests with one key make one comment and get 50 equal answers", async () => {
  const place = await withTask(await world(running));
  await oneEffect(place, "comments", `/tasks/${place.task.id}/comments`, { markdown: "Once." });
});

/** A twin that meets what the first has done would be refused for it; what it is told is the first one's answer. */
async function oneAnswer(place: World, method: "PATCH" | "DELETE", path: string, options: object) {
  const before = await count(place, "audit_log");
  const key = newKey();
  const answers = await many(() => place.owner.call(method, path, { ...options, key }));
  expect(new Set(answers.map(({ status, text, headers }) => `${status} ${headers.get("etag")} ${text}`)).size).toBe(1);
  expect(answers[0]?.status).toBeLessThan(300);
  expect(answers.filter(({ headers }) => headers.get("idempotent-replayed") === null)).toHaveLength(1);
  expect(await count(place, "audit_log")).toBe(before + 1);
}

test("50 parallel changes with one key and one revision are one change and 50 equal answers, none a revision_conflict", async () => {
  const place = await withTask(await world(running));
  const { id, revision } = place.task;
  await oneAnswer(place, "PATCH", `/tasks/${id}`, { body: { title: "Once" }, ifMatch: revision });
});

test("50 parallel deletions with one key are one deletion and 50 equal answers, none a 404 or 409", async () => {
  const place = await withTask(await world(running));
  const path = `/tasks/${place.task.id}/comments`;
  const { body } = await place.owner.call("POST", path, { body: { markdown: "Soon gone" }, key: newKey() });
  await oneAnswer(place, "DELETE", `/comments/${body.id}`, { ifMatch: body.revision });
});

test("50 parallel requests with keys of their own make 50 Tasks with 50 numbers", async () => {
  const { owner, project } = await withTask(await world(running));
  const answers = await many((index) =>
    owner.call("POST", `/projects/${project.id}/tasks`, { body: { title: `${index}` }, key: newKey() }),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(MANY).fill(201));
  const numbers = answers.map(({ body }) => body.number).sort((a, b) => a - b);
  expect(numbers).toEqual(Array.from({ length: MANY }, (_, index) => index + 2));
});

/** All that were sent name one revision: one is done, the others are told the revision that it made. */
async function oneWinner({ owner, task }: Awaited<ReturnType<typeof withTask>>, headers: Record<string, string>) {
  const answers = await many((index) =>
    owner.call("PATCH", `/tasks/${task.id}`, { body: { title: `Writer ${index}` }, headers }),
  );
  const [winner, ...others] = answers.filter(({ status }) => status === 200);
  expect(others).toEqual([]);
  const lost = answers.filter(({ status }) => status !== 200);
  expect(lost).toHaveLength(MANY - 1);
  for (const { body } of lost) expect(body).toMatchObject({ code: "revision_conflict", current_revision: "2" });
  const { body } = await owner.call("GET", `/tasks/${task.id}`);
  expect(body).toMatchObject({ title: winner?.body.title, revision: "2" });
}

test("of 50 writers on one revision one wins and 49 get revision_conflict", async () => {
  const place = await withTask(await world(running));
  await oneWinner(place, { "if-match": `"${place.task.revision}"` });
});

test("both counts notice a service that lets every request through", async () => {
  const place = await withTask(await world(running));
  await expect(oneWinner(place, { "if-match": "*" })).rejects.toThrow();
  const path = `/projects/${place.project.id}/tasks`;
  await expect(oneEffect(place, "tasks", path, { title: "Often" }, newKey)).rejects.toThrow();
});

test("one key used at once for two different requests: one is done, the other is a conflict", async () => {
  const { owner, project } = await withTask(await world(running));
  const key = newKey();
  const answers = await Promise.all(
    ["A", "B"].map((title) => owner.call("POST", `/projects/${project.id}/tasks`, { body: { title }, key })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  expect(answers.find(({ status }) => status === 409)?.body.code).toBe("idempotency_key_conflict");
});

test("a removed member cannot replay an old key, and can again after coming back", async () => {
  const place = await withTask(await world(running));
  const person = await place.member("member");
  const send = (key: string) =>
    person.call("POST", `/projects/${place.project.id}/tasks`, { body: { title: "Mine" }, key });
  const key = newKey();
  const first = await send(key);
  expect(first.status).toBe(201);
  const state = (value: string) =>
    running.sql("update memberships set state = $1 where workspace_id = $2 and user_id = $3", [
      value,
      place.workspaceId,
      person.userId,
    ]);
  await state("removed");
  expect((await send(key)).body.code).toBe("not_found");
  await state("active");
  expect((await send(key)).text).toBe(first.text);
});

test("two people may use the same key: it is scoped to the one who sends it", async () => {
  const place = await withTask(await world(running));
  const other = await place.member("member");
  const key = newKey();
  const [mine, theirs] = await Promise.all(
    [place.owner, other].map((person) =>
      person.call("POST", `/projects/${place.project.id}/tasks`, { body: { title: "x" }, key }),
    ),
  );
  expect([mine?.status, theirs?.status]).toEqual([201, 201]);
  expect(mine?.body.id).not.toBe(theirs?.body.id);
});

test.concurrent("a twin that waits past the lock time-out is told that the first is in progress", async ({
  expect,
}) => {
  const { owner, workspaceId, project } = await withTask(await world(running));
  const key = newKey();
  const holder = new pg.Client(running.databaseUrl);
  await holder.connect();
  try {
    await holder.query("begin");
    await holder.query(
      `insert into idempotency_keys (workspace_id, principal_id, operation, key_hash, fingerprint, status, body,
        command_id) values ($1, $2, 'createTask', $3, '', 201, '', $2)`,
      [workspaceId, owner.actorId, sha256(key)],
    );
    const send = () => owner.call("POST", `/projects/${project.id}/tasks`, { body: { title: "Twin" }, key });
    const waited = await send();
    expect(waited.body).toMatchObject({ code: "idempotency_in_progress", status: 409 });
    expect(Number(waited.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    await holder.query("rollback");
    expect((await send()).status, "once the first is gone the retry is the first").toBe(201);
  } finally {
    await holder.end();
  }
});

test.concurrent("a row that somebody holds past the lock time-out is answered 503 with Retry-After, and nothing hangs", async ({
  expect,
}) => {
  const { owner, task } = await withTask(await world(running));
  const holder = new pg.Client(running.databaseUrl);
  await holder.connect();
  try {
    await holder.query("begin");
    await holder.query("select from tasks where id = $1 for update", [task.id]);
    const waited = await owner.call("PATCH", `/tasks/${task.id}`, {
      body: { title: "x" },
      ifMatch: task.revision,
      once: true,
    });
    expect(waited.body).toMatchObject({ code: "overloaded", status: 503 });
    expect(Number(waited.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    await holder.query("rollback");
  } finally {
    await holder.end();
  }
  expect(
    (await owner.call("PATCH", `/tasks/${task.id}`, { body: { title: "x" }, ifMatch: task.revision })).status,
  ).toBe(200);
});
