// The predicates of a part of the operations, where row-level security lets everything pass: one operation of each
// class of the covering set that reaches a Workspace differently, and a third of the others.
// tenancy-predicates.slow.test.ts tests all.
import { operations } from "@svc/contract/operations.ts";
import { expect, test } from "vitest";
import { implementations } from "../src/operations.ts";
import { isPicked, oneOfEach } from "./covering-set.ts";
import { foreignId, forgetful, predicatesAlone, reads, takesId, testPredicates } from "./tenancy-predicates.ts";
import { newKey, world } from "./world.ts";

const on = predicatesAlone();
/** Operations whose target is found and whose rows are listed in the same way form a class. */
const chosen = oneOfEach(implementations, ({ operation, access, mode }) =>
  JSON.stringify([access.reach, mode, operation.kind, [...operation.auth].sort()]),
);
const isTested = (id: string) => chosen.has(id) || isPicked(id, "predicates");
testPredicates(on, ({ id }) => isTested(id));

test("three tenths of the operations with an id, and of those that read, are tested here", () => {
  for (const kind of [takesId, reads]) {
    const all = [...operations.values()].filter(kind);
    expect(all.filter(({ id }) => isTested(id)).length / all.length).toBeGreaterThan(0.3);
  }
});

test("an operation that forgets the tenant in its query is found out", () =>
  expect(foreignId.run(forgetful, on.stage)).rejects.toThrow("answered 200"));

test("a body that names another tenant's Status or Actor is refused", async () => {
  const { home, foreign, admin } = on.stage;
  const { rows } = await admin.query("select id from statuses where workspace_id = $1 limit 1", [foreign.workspaceId]);
  const path = `/projects/${await home.id("project_id")}/tasks`;
  for (const body of [{ status_id: rows[0].id }, { assignee_actor_id: foreign.owner.actorId }]) {
    const created = await home.owner.call("POST", path, { body: { title: "x", ...body }, key: newKey() });
    expect(created.body.code).toBe("invalid_reference");
    const changed = await home.owner.call("PATCH", `/tasks/${await home.id("task_id")}`, {
      body,
      headers: { "if-match": "*" },
    });
    expect(changed.body.code).toBe("invalid_reference");
  }
});

test("keys of two tenants do not meet", async () => {
  const [one, two] = [await world(on.running), await world(on.running)];
  const key = newKey();
  const send = ({ owner, workspaceId }: typeof one) =>
    owner.call("POST", `/workspaces/${workspaceId}/projects`, { body: { key: "ONE", name: "One" }, key });
  const answers = [await send(one), await send(two)];
  expect(answers.map(({ status, headers }) => [status, headers.get("idempotent-replayed")])).toEqual([
    [201, null],
    [201, null],
  ]);
});
