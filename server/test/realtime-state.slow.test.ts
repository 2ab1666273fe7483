// Every operation of realtime-state.ts, of which realtime-state.test.ts tests a third, and every type of event.
import { expect, test } from "vitest";
import { hearing } from "../src/history/feed/audience.ts";
import { newId } from "../src/platform/wire/ids.ts";
import { type Client, testRealtimeState } from "./realtime-state.ts";
import { service } from "./world.ts";

const running = service({});
const state = testRealtimeState(running, () => true);

test("every type of event that is heard at all is told to the owner", async () => {
  const { workspaceId } = state.stage().home;
  const { rows } = await state
    .stage()
    .admin.query("select distinct type from domain_events where workspace_id = $1", [workspaceId]);
  const recorded = new Set(rows.map(({ type }) => type));
  const others = [...hearing]
    .filter(([type, heard]) => heard && heard.who !== "owner" && !recorded.has(type))
    .map(([type]) => type);
  // The test above has caused most of them.
  expect(recorded.size).toBeGreaterThan(2 * others.length);
  const made = others.map((type) => ({ type, id: newId() }));
  await running.sql(
    `insert into domain_events (workspace_id, id, command_id, type, resource_kind, resource_id)
     select $1, e.id, e.id, e.type, split_part(e.type, '.', 1), e.id
     from jsonb_to_recordset($2::jsonb) as e(id uuid, type text)`,
    [workspaceId, JSON.stringify(made)],
    workspaceId,
  );
  const told = new Set((await (state.clients()[0] as Client).hears.settled()).map(({ id }) => id));
  expect(made.filter(({ id }) => !told.has(id))).toEqual([]);
});
