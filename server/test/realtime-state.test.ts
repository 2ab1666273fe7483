// State and hints make the state: a client that took a snapshot and reads again what it was told of has what a fresh snapshot has. For every operation that writes,
// and so for every type of event; a line of the table that is left out shows.
import { isPublic, isUnsafe } from "@svc/contract/kit.ts";
import { operations } from "@svc/contract/operations.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hearing } from "../src/history/feed/audience.ts";
import { newId } from "../src/platform/wire/ids.ts";
import { fixtures } from "./fixtures.ts";
import { type Following, following } from "./following.ts";
import { Model, seenBy } from "./realtime-model.ts";
import { attempt, type Ready, ready, type Stage, stageOn } from "./stage.ts";
import { type Person, service } from "./world.ts";

const running = service({});
const { follow } = following(running);

interface Client {
  person: Person;
  hears: Following;
  model: Model;
}
let stage: Stage;
let clients: Client[];
beforeAll(async () => {
  stage = await stageOn(running, [...operations.values()], fixtures);
  const { home } = stage;
  for (const parameter of ["task_id", "comment_id", "document_id"]) await home.shared(parameter);
  clients = await Promise.all(
    [home.owner, await home.member("member")].map(async (person) => ({
      person,
      hears: await follow(home.workspaceId, person, "workspace"),
      model: new Model(),
    })),
  );
  await settle();
});
afterAll(() => stage.admin.end());

/** Each client up to date, or begun anew where it was told to; what each then has otherwise than it is. */
async function settle(): Promise<string[]> {
  const { workspaceId } = stage.home;
  const faults = [];
  for (const client of clients) {
    const changes = await client.hears.settled();
    const now = await seenBy(running, workspaceId, client.person);
    if (client.model.things.size === 0) client.model.things = now;
    else client.model.apply(changes, now);
    faults.push(
      ...client.model
        .differs(now)
        .map((fault) => `${client.person === stage.home.owner ? "owner" : "member"}: ${fault}`),
    );
    client.model.things = new Map(now);
  }
  return faults;
}

const writes = [...operations.values()].filter(
  (operation) => isUnsafe(operation) && !isPublic(operation) && !operation.id.startsWith("archiveWorkspace"),
);
const AT_ONCE = 8;
test("after every operation that writes", async () => {
  const wrong: Record<string, string[]> = {};
  for (let at = 0; at < writes.length; at += AT_ONCE) {
    const some = writes.slice(at, at + AT_ONCE);
    const calls = [];
    for (const operation of some) calls.push(await ready(stage, operation, true));
    // Some of what they need is put there by SQL, and told to nobody.
    await settle();
    for (const [index, operation] of some.entries()) await attempt(stage, operation, calls[index] as Ready);
    const faults = await settle();
    if (faults.length > 0) wrong[some.map(({ id }) => id).join()] = faults;
  }
  expect(wrong).toEqual({});
}, 300_000);

test("every type of event that is heard at all is told to the owner", async () => {
  const { workspaceId } = stage.home;
  const { rows } = await stage.admin.query("select distinct type from domain_events where workspace_id = $1", [
    workspaceId,
  ]);
  const recorded = new Set(rows.map(({ type }) => type));
  const others = [...hearing]
    .filter(([type, heard]) => heard && heard.who !== "owner" && !recorded.has(type))
    .map(([type]) => type);
  // Most have been told above.
  expect(recorded.size).toBeGreaterThan(2 * others.length);
  const made = others.map((type) => ({ type, id: newId() }));
  await running.sql(
    `insert into domain_events (workspace_id, id, command_id, type, resource_kind, resource_id)
     select $1, e.id, e.id, e.type, split_part(e.type, '.', 1), e.id from jsonb_to_recordset($2::jsonb) as e(id uuid, type text)`,
    [workspaceId, JSON.stringify(made)],
    workspaceId,
  );
  const told = new Set((await (clients[0] as Client).hears.settled()).map(({ id }) => id));
  expect(made.filter(({ id }) => !told.has(id))).toEqual([]);
});
