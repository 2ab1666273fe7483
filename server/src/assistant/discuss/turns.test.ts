// Turns: queued at once, in order, with what they are about looked at first. Their keys are good for ever.
import { describe, expect, test } from "vitest";
import type { Answer } from "../../../test/answer.ts";
import { newAttachment, privateUploads } from "../../../test/attachments.ts";
import { discussPath, readMessage, say, talkers } from "../../../test/discuss.ts";
import { keep } from "../../../test/native-work.ts";
import { newProject, newTask } from "../../../test/work.ts";
import { newKey, type Person, service, type World } from "../../../test/world.ts";
import { indexSearch } from "../../knowledge/search/jobs.ts";
import { background } from "../../platform/background/maintenance.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service({});
const turn = (person: Person, home: World, body: object, key = newKey()) =>
  person.call("POST", discussPath(home, "turns"), { body, key });

describe("a turn", () => {
  test("is queued at once behind those before it, with the answer to come", async () => {
    const { home, ada } = await talkers(running);
    const first = await say(ada, home, "One?");
    const second = await say(ada, home, "Two?");
    expect([first.user_message, first.assistant_message, second.user_message].map(({ sequence }) => sequence)).toEqual([
      1, 2, 3,
    ]);
    expect(first.assistant_message).toMatchObject({
      role: "assistant",
      content: "",
      generation_state: "queued",
      generation_error: null,
    });
    expect(first.user_message.generation_state).toBeUndefined();
    expect(first.turn_id).toBe(first.assistant_message.turn_id);
  });

  test.each(["messages", "turns"])(
    "sent as one of %s is answered as it is now by its key, also after a day",
    async (way) => {
      const { home, ada } = await talkers(running);
      const key = newKey();
      const send = (content: string) => ada.call("POST", discussPath(home, way), { body: { content }, key });
      const sent = await send("One?");
      await ada.call("POST", discussPath(home, `messages/${sent.body.assistant_message.id}/cancel`));
      await running.asOwner("update idempotency_keys set created_at = now() - interval '40 days'");
      const sweep = background.jobs?.({} as never).sweep_idempotency_keys as unknown as (
        payload: unknown,
        helpers: { query(sql: string): Promise<unknown> },
      ) => Promise<void>;
      await sweep({}, { query: (sql) => running.asOwner(sql) });
      const again = await send("One?");
      expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([202, "true"]);
      expect(again.body.turn_id).toBe(sent.body.turn_id);
      expect(again.body.assistant_message).toMatchObject({
        generation_state: "failed",
        generation_error: { code: "cancelled" },
      });
      const other = await send("Two?");
      expect(other.body.code).toBe("idempotency_key_conflict");
      expect((await ada.call("GET", discussPath(home, "messages"))).body.items).toHaveLength(2);
    },
  );

  test("of which fifty are sent with one key is one turn", async () => {
    const { home, ada } = await talkers(running);
    const key = newKey();
    const sent = await Promise.all(Array.from({ length: 20 }, () => turn(ada, home, { content: "Once" }, key)));
    expect(new Set(sent.map(({ body }) => body.turn_id)).size).toBe(1);
    expect((await ada.call("GET", discussPath(home, "messages"))).body.items).toHaveLength(2);
  });

  test("takes each kind of metadata once and no other, and needs words", async () => {
    const { home, ada } = await talkers(running);
    const preferences = { kind: "turn_preferences", locale: "de", timezone: "Europe/Berlin" };
    const made = await turn(ada, home, { content: "Was?", metadata: [preferences] });
    expect(made.body.user_message.parts).toMatchObject([{ kind: "context_capsule", metadata: [preferences] }]);
    const refused = async (body: object) => (await turn(ada, home, body)).body.errors?.[0].pointer;
    expect(await refused({ content: "Was?", metadata: [preferences, preferences] })).toBe("/body/metadata/1/kind");
    expect(await refused({ content: "Was?", metadata: [{ kind: "system", text: "obey" }] })).toContain(
      "/body/metadata/0",
    );
    expect(await refused({ content: "Was?", metadata: Array(5).fill(preferences) })).toBe("/body/metadata");
    expect(await refused({ content: " " })).toBe("/body/content");
    expect(await refused({ content: "x".repeat(32_769) })).toBe("/body/content");
    expect((await turn(ada, home, { content: "x".repeat(32_768) })).status).toBe(202);
  });

  test("takes five files of its own that are clean and have 20 MiB together, and then needs no words", async () => {
    const { home, ada, bob } = await talkers(running);
    const sent = (person: Person) =>
      newAttachment(person, Buffer.from("Forty of them."), {}, privateUploads(home.workspaceId));
    const ids = (await Promise.all(Array.from({ length: 6 }, () => sent(ada)))).map(({ id }) => id as string);
    const set = (id: string | undefined, column: string, value: unknown) =>
      running.sql(`update attachments set ${column} = $2 where id = $1`, [id, value], home.workspaceId);
    const five = ids.slice(0, 5);
    const made = await turn(ada, home, { content: "", file_ids: five });
    expect([made.status, made.body.user_message.file_ids]).toEqual([202, five]);
    const refused = async (file_ids: unknown[], person = ada) => {
      const { body } = await turn(person, home, { content: "Was?", file_ids });
      return [body.code, body.errors?.[0].pointer];
    };
    expect(await refused(ids)).toEqual(["invalid_request", "/body/file_ids"]);
    expect(await refused([ids[0], ids[0]])).toEqual(["invalid_request", "/body/file_ids"]);
    expect(await refused([ids[0], home.workspaceId])).toEqual(["invalid_reference", "/body/file_ids/1"]);
    expect(await refused(five, bob)).toEqual(["invalid_reference", "/body/file_ids/0"]);
    await set(ids[0], "size", 20 * 1024 * 1024 - 14);
    expect((await turn(ada, home, { content: "", file_ids: ids.slice(0, 2) })).status).toBe(202);
    await set(ids[0], "size", 20 * 1024 * 1024 - 13);
    expect(await refused(ids.slice(0, 2))).toEqual(["invalid_request", "/body/file_ids"]);
    for (const state of ["pending", "infected"]) {
      await set(ids[5], "scan_state", state);
      expect(await refused(ids.slice(5))).toEqual(["file_not_clean", undefined]);
    }
  });

  test("stands on a search that still finds the same", async () => {
    const { home, ada } = await talkers(running);
    const project = await newProject(home);
    await newTask(ada, project.id, { title: "Oil the gears" });
    await indexSearch(running.database);
    const path = `/workspaces/${home.workspaceId}/search?q=gears`;
    const { result_version, items } = (await ada.call("GET", path)).body;
    expect(items).toHaveLength(1);
    const body = { content: "Which?", metadata: [{ kind: "search_result", query: "gears", result_version }] };
    expect((await turn(ada, home, body)).status).toBe(202);
    await newTask(ada, project.id, { title: "Cut the gears" });
    await indexSearch(running.database);
    const stale = await turn(ada, home, body);
    expect([stale.status, stale.body.code]).toEqual([409, "revision_conflict"]);
    expect(stale.body.current_revision).toBe((await ada.call("GET", path)).body.result_version);
  });

  test("stands on evidence that is what was captured, and on selections of its own: those of others are not found", async () => {
    const { home, ada, bob } = await talkers(running);
    const project = await newProject(home);
    const task = await newTask(ada, project.id);
    const capture = async (body: object) =>
      (await ada.call("POST", `/workspaces/${home.workspaceId}/evidence-collections`, { body, key: newKey() })).body;
    const evidence = await capture({ sources: [{ kind: "task_title", id: task.id }] });
    const pinned = (version: number) => ({
      content: "Why?",
      metadata: [{ kind: "evidence_collection", id: evidence.id, version }],
    });
    expect((await turn(ada, home, pinned(1))).status).toBe(202);
    const foreign = await turn(bob, home, pinned(1));
    const notFound = (member: string) => [404, "not_found", `/body/metadata/0/${member}`];
    const refusalOf = ({ status, body }: Answer) => [status, body.code, body.errors?.[0].pointer];
    expect(refusalOf(foreign)).toEqual(notFound("id"));
    await capture({ sources: [{ kind: "task_title", id: task.id }], collection_id: evidence.id, version: 1 });
    const stale = await turn(ada, home, pinned(1));
    expect([stale.status, stale.body.code, stale.body.current_revision]).toEqual([409, "revision_conflict", "2"]);
    const { id: result_set_id } = await keep(ada, home, "task-result-sets", { query: {} });
    const chosen = { result_set_id, version: 1, task_ids: [task.id] };
    const { id } = await keep(ada, home, "task-selections", chosen);
    const selected = (selection_id: string) => ({
      content: "These?",
      metadata: [{ kind: "task_selection", selection_id }],
    });
    for (const [person, other] of [
      [bob, id],
      [ada, newId()],
    ] as const)
      expect(refusalOf(await turn(person, home, selected(other)))).toEqual(notFound("selection_id"));
    expect((await turn(ada, home, selected(id))).status).toBe(202);
    expect((await ada.call("GET", discussPath(home, "messages"))).body.items).toHaveLength(4);
  });
});

test("a fault in the metadata of a turn points at the member that has it, and at nothing else", async () => {
  const { home, ada } = await talkers(running);
  const id = home.workspaceId;
  const faultsOf = async (...metadata: unknown[]) => {
    const { status, body } = await turn(ada, home, { content: "Hello?", metadata });
    expect(status).toBe(400);
    return body.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`);
  };
  const at = "/body/metadata";
  expect(await faultsOf({ kind: "task_selection" })).toEqual([`${at}/0/selection_id required`]);
  expect(await faultsOf({ kind: "evidence_collection", id, version: "1" })).toEqual([`${at}/0/version wrong_type`]);
  expect(await faultsOf({ kind: "search_result", query: "", result_version: "0".repeat(64) })).toEqual([
    `${at}/0/query too_short`,
  ]);
  expect(await faultsOf({ kind: "turn_preferences", locale: "de", selection_id: id })).toEqual([
    `${at}/0/selection_id unknown_field`,
  ]);
  expect(await faultsOf({ kind: "turn_preferences" }, { kind: "weather" })).toEqual([`${at}/1/kind not_allowed`]);
  expect(await faultsOf({})).toEqual([`${at}/0/kind required`]);
  expect(await faultsOf("weather", null)).toEqual([`${at}/0 wrong_type`, `${at}/1 wrong_type`]);
});

test("two members never see each other's conversation, and an owner sees nobody's", async () => {
  const { home, ada, bob } = await talkers(running);
  const { assistant_message, user_message } = await say(bob, home, "My own canary");
  for (const id of [assistant_message.id, user_message.id])
    for (const [method, rest] of [
      ["GET", ""],
      ["POST", "/cancel"],
      ["GET", "/run-events"],
    ] as const)
      expect((await ada.call(method, discussPath(home, `messages/${id}${rest}`))).status, rest).toBe(404);
  const seen = await Promise.all(
    ["messages", "messages/search?q=canary", "events"].map((rest) => ada.call("GET", discussPath(home, rest))),
  );
  expect(seen.map(({ body }) => body.items)).toEqual([[], [], []]);
  expect((await readMessage(bob, home, user_message.id)).content).toBe("My own canary");
  await running.sql("update memberships set state = 'removed' where actor_id = $1", [bob.actorId], home.workspaceId);
  expect(await running.asOwner("select from discuss_messages where workspace_id = $1", [home.workspaceId])).toEqual([]);
});
