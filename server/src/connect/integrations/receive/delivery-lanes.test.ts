// Which lane of deliveries is worked first, and the statements that work them, before the database has statistics of
// the table: a provider sends thousands within the first minute.
import { expect, test } from "vitest";
import { eventually } from "../../../../test/eventually.ts";
import { plantInstallation } from "../../../../test/integrations.ts";
import { service, world } from "../../../../test/world.ts";
import { newId } from "../../../platform/wire/ids.ts";
import { dueLanes, FINISH, finish, inLane, LATER, putOff, TAKE, takeNext, YIELD } from "./delivery-store.ts";

const running = service({});
/** Nothing else waits for longer than a moment. */
const lanesDue = async () => (await dueLanes(running.database.writer, 100)).map(({ lane }) => lane);

const WAITING = `
insert into integration_deliveries (workspace_id, id, installation_id, delivery_key, lane, kind, body)
select $1, gen_random_uuid(), $2, n::text, 'lane ' || n % 20, 'message', '{}' from generate_series(1, 40000) n`;

interface Plan {
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  Plans?: Plan[];
}
interface Explained {
  "QUERY PLAN": [{ Plan: Plan }];
}
const planOf = ([row]: Explained[]) => (row as Explained)["QUERY PLAN"][0].Plan;
const removed = ({ Plans = [], ...plan }: Plan): number =>
  (plan["Rows Removed by Filter"] ?? 0) * plan["Actual Loops"] + Plans.reduce((sum, one) => sum + removed(one), 0);
const read = ({ Plans = [], ...plan }: Plan): number =>
  (plan["Relation Name"] ? plan["Actual Rows"] * plan["Actual Loops"] : 0) +
  Plans.reduce((sum, one) => sum + read(one), 0);

const SINCE = `
insert into integration_deliveries (workspace_id, id, installation_id, delivery_key, lane, kind, body, received_at)
select $1, gen_random_uuid(), $2, $3 || n, $3, 'message', '{}', now() - make_interval(mins => $4)
from generate_series(1, $5::integer) n`;

test("the lane that waits longest is worked first, and one that has had its turn waits behind those that wait", async () => {
  const { owner, workspaceId } = await world(running);
  const { id } = await plantInstallation(running, workspaceId, owner.actorId);
  const { writer } = running.database;
  const plant = (lane: string, minutes: number, count: number) =>
    running.asOwner(SINCE, [workspaceId, id, lane, minutes, count]);
  const laneOf = (lane: string) => ({ workspace_id: workspaceId, installation_id: id, lane });
  // What anybody has open holds it back for a moment.
  const turn = (lane: string) =>
    eventually(async () => (await takeNext(writer, laneOf(lane), null)) ?? expect.fail(`nothing of ${lane}`));
  await plant("a busy", 30, 3);
  await plant("b young", 10, 1);
  await plant("c old", 40, 1);
  expect(await lanesDue()).toEqual(["c old", "a busy", "b young"]);
  expect(await dueLanes(writer, 1)).toEqual([laneOf("c old")]);

  const busy = await turn("a busy");
  expect(await lanesDue(), "somebody is at it").toEqual(["c old", "b young"]);
  await finish(writer, laneOf("a busy"), { ...busy, state: "done", error: null });
  expect(await lanesDue(), "what is left of it came before").toEqual(["c old", "b young", "a busy"]);
  await plant("d new", -1, 1);
  expect(await lanesDue()).toEqual(["c old", "b young", "a busy", "d new"]);

  const old = await turn("c old");
  await putOff(writer, workspaceId, old, 0, "unreachable");
  expect(await lanesDue(), "since it could be tried again").toEqual(["b young", "a busy", "c old", "d new"]);
  expect((await turn("a busy")).id, "one that had its turn is taken as any other").not.toBe(busy.id);
  await running.asOwner("delete from integration_deliveries where installation_id = $1", [id]);
});

test("whoever lost the lease of a delivery writes nothing: it stays with the one that claimed it last", async () => {
  const { owner, workspaceId } = await world(running);
  const { id } = await plantInstallation(running, workspaceId, owner.actorId);
  const { writer } = running.database;
  await running.asOwner(SINCE, [workspaceId, id, "stolen", 1, 1]);
  const lane = { workspace_id: workspaceId, installation_id: id, lane: "stolen" };
  const take = () => eventually(async () => (await takeNext(writer, lane, null)) ?? expect.fail("nothing waits"));
  const stored = async () =>
    (
      await running.asOwner(
        "select state, attempts, leased_until > now() as leased from integration_deliveries where installation_id = $1",
        [id],
      )
    )[0];
  const old = await take();
  await running.asOwner("update integration_deliveries set leased_until = null, lease_process = null where id = $1", [
    old.id,
  ]);
  await finish(writer, lane, { ...old, state: "failed", error: "internal" });
  expect(await stored(), "released, and taken by nobody yet").toMatchObject({ state: "waiting" });
  const next = await take();
  expect(next.attempts).toBe(old.attempts + 1);
  await finish(writer, lane, { ...old, state: "failed", error: "internal" });
  await putOff(writer, workspaceId, old, 0, "internal");
  expect(await stored()).toEqual({ state: "waiting", attempts: next.attempts, leased: true });
  await finish(writer, lane, { ...next, state: "done", error: null });
  expect(await stored()).toMatchObject({ state: "done" });
});

test("one of 40,000 that wait is taken, put off and finished without reading the others", async () => {
  const { owner, workspaceId } = await world(running);
  const { id } = await plantInstallation(running, workspaceId, owner.actorId);
  await running.asOwner("alter table integration_deliveries set (autovacuum_enabled = false)");
  await running.asOwner(WAITING, [workspaceId, id]);
  const rowsReadInVain = async (sql: string, values: unknown[]) => {
    const explain = `explain (analyze, format json) ${sql}`;
    const lane = { workspace_id: workspaceId, installation_id: id, lane: "" };
    return removed(planOf(await inLane(running.database.writer, lane, (tx) => tx.rows<Explained>(explain, values))));
  };
  for (const lane of ["lane 7", "lane 8", "lane 9"])
    expect(await rowsReadInVain(TAKE, [id, lane, 1]), lane).toBeLessThan(3);
  expect(await rowsReadInVain(YIELD, [id, "lane 6"])).toBeLessThan(3);
  expect(await rowsReadInVain(LATER, [newId(), 1, "internal", 0, 0, 1])).toBeLessThan(3);
  expect(await rowsReadInVain(FINISH, [newId(), "done", null, 0, 1])).toBeLessThan(3);

  // One row of each of the 20 lanes; three of them are taken.
  const body = "select prosrc from pg_proc where proname = 'due_integration_lanes'";
  const [due] = await running.asOwner<{ prosrc: string }>(body);
  const asked = `explain (analyze, format json) ${due?.prosrc.replace("limit most", "limit 5")}`;
  const plan = planOf(await running.asOwner<Explained>(asked));
  expect([plan["Actual Rows"], read(plan), removed(plan)]).toEqual([5, 20, 3]);
});
