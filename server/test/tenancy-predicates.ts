// The second wall between tenants, alone: the predicates of the operations, in a database whose row-level security lets
// everything pass. tenancy-predicates.test.ts tests it on a part of the operations, tenancy-predicates.slow.test.ts on
// all.
import { type AnyOperation, isUnsafe } from "@svc/contract/kit.ts";
import { operations } from "@svc/contract/operations.ts";
import { afterAll, beforeAll, test } from "vitest";
import { implementations } from "../src/operations.ts";
import { access } from "./checks/access.ts";
import type { Check } from "./checks/check.ts";
import { fixtures } from "./fixtures.ts";
import { plantedImplementations, plantedOperations } from "./planted.ts";
import { attempt, ready, type Stage, stageOn } from "./stage.ts";
import { service } from "./world.ts";

/** Tables with row-level security. */
export const PROTECTED = `
select c.relname as name from pg_class c
where c.relnamespace = 'public'::regnamespace and c.relrowsecurity order by 1`;

export const foreignId = Object.entries(access).find(([name]) => name.startsWith("another tenant's id"))?.[1] as Check;
export const forgetful = plantedOperations.find(({ id }) => id === "forgetsTenant") as AnyOperation;

/** Whether the rule about ids of another tenant speaks of the operation. */
export const takesId = (operation: AnyOperation): boolean => foreignId.of?.(operation) ?? true;
export const reads = (operation: AnyOperation): boolean => operation.kind === "page" || !isUnsafe(operation);

const IDS_OF_TENANT = ["projects", "statuses", "tasks", "comments", "domain_events"]
  .map((table) => `select id from ${table} where workspace_id = $1`)
  .concat("select actor_id from memberships where workspace_id = $1")
  .join(" union all ");

/** Starts a service without row-level security and two Workspaces, for one test file. */
export function predicatesAlone() {
  const running = service({}, { implementations: [...implementations, ...plantedImplementations] });
  const on = { running, stage: undefined as unknown as Stage };
  beforeAll(async () => {
    on.stage = await stageOn(running, [...operations.values()], { ...fixtures, forgetsTenant: {} });
    const { rows } = await on.stage.admin.query<{ name: string }>(PROTECTED);
    // Policies that admit all rows, because new connections refuse a database with row-level security disabled.
    for (const { name } of rows) await on.stage.admin.query(`create policy all_pass on ${name} using (true)`);
    for (const parameter of ["comment_id", "task_id", "project_id"]) await on.stage.foreign.shared(parameter);
  });
  afterAll(() => on.stage?.admin.end());
  return on;
}

/** Declares the tests of these operations. */
export function testPredicates(on: { stage: Stage }, applies: (operation: AnyOperation) => boolean = () => true): void {
  const chosen = [...operations.values()].filter(applies);
  for (const operation of chosen.filter(takesId))
    test.concurrent(`${operation.id} refuses another tenant's id`, ({ expect }) =>
      expect(foreignId.run(operation, on.stage)).resolves.toBeUndefined());

  for (const operation of chosen.filter(reads))
    test.concurrent(`${operation.id} shows nothing of another tenant`, async ({ expect }) => {
      const { stage } = on;
      const { text } = await attempt(stage, operation, await ready(stage, operation));
      const { rows } = await stage.admin.query<{ id: string }>(IDS_OF_TENANT, [stage.foreign.workspaceId]);
      expect(rows.length).toBeGreaterThan(5);
      expect(rows.map(({ id }) => id).filter((id) => text.includes(id))).toEqual([]);
    });
}
