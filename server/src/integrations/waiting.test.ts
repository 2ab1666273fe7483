// Statements that work deliveries, before the database has statistics of the table: a provider sends thousands within the first minute.
import { expect, test } from "vitest";
import { plantInstallation } from "../../test/integrations.ts";
import { service, world } from "../../test/world.ts";
import { newId } from "../wire/ids.ts";
import { FINISH, LATER, TAKE } from "./delivery-store.ts";

const running = service({});

const WAITING = `
insert into integration_deliveries (workspace_id, id, installation_id, delivery_key, lane, kind, body)
select $1, gen_random_uuid(), $2, n::text, 'lane ' || n % 20, 'message', '{}' from generate_series(1, 40000) n`;

interface Plan {
  "Rows Removed by Filter"?: number;
  Plans?: Plan[];
}
const removed = ({ Plans = [], ...plan }: Plan): number =>
  (plan["Rows Removed by Filter"] ?? 0) + Plans.reduce((sum, one) => sum + removed(one), 0);

test("one of 40,000 that wait is taken, put off and finished without reading the others", async () => {
  const { owner, workspaceId } = await world(running);
  const { id } = await plantInstallation(running, workspaceId, owner.actorId);
  await running.asOwner("alter table integration_deliveries set (autovacuum_enabled = false)");
  await running.asOwner(WAITING, [workspaceId, id]);
  const rowsReadInVain = async (sql: string, values: unknown[]) => {
    const explain = `explain (analyze, format json) ${sql}`;
    const [row] = await running.sql<{ "QUERY PLAN": [{ Plan: Plan }] }>(explain, values, workspaceId);
    return removed((row as { "QUERY PLAN": [{ Plan: Plan }] })["QUERY PLAN"][0].Plan);
  };
  expect(await rowsReadInVain(TAKE, [id, "lane 7"])).toBeLessThan(3);
  expect(await rowsReadInVain(LATER, [newId(), 1, "internal", 0])).toBeLessThan(3);
  expect(await rowsReadInVain(FINISH, [newId(), "done", null, 0])).toBeLessThan(3);
});
