// A change that changes nothing raises no revision and records nothing: every PATCH and PUT of the contract, and each
// POST that puts something into a place or state, is sent once and then again at the revision of its answer.
// no-op-writes.test.ts tests a third of them, no-op-writes.slow.test.ts the others.
import { type AnyOperation, takesKey } from "@svc/contract/kit.ts";
import { operations } from "@svc/contract/operations.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { footprint } from "./checks/answers.ts";
import { leftBy } from "./checks/check.ts";
import { fixtures } from "./fixtures.ts";
import { attempt, ready, type Stage, stageOn } from "./stage.ts";
import { newKey, type TestService } from "./world.ts";

const rotates = "gives the credential a new secret each time, wherever it was before";
const registers = "seals the address anew, and is how a browser or device says that it is still there";
/** Those for which the second call does something. */
export const repeatable: Record<string, string> = {
  replaceSessionWorkspace: rotates,
  replaceDeveloperWorkspace: rotates,
  replaceBrowserPushEndpoint: registers,
  replacePushDevice: registers,
};
/** POSTs that put what the path names where the body says. */
export const placing = [
  "moveProject",
  "moveStatus",
  "moveProjectState",
  "moveTask",
  "updateTasks",
  "updateInboxReadState",
];

export const named = [...operations.values()].filter(
  ({ id, method }) => method === "PATCH" || method === "PUT" || placing.includes(id),
);
/** What a write that changes nothing still leaves: who sent it, its receipt, and its key with the answer. */
const LEFT = ["audit_log", "idempotency_keys"];

/** Declares one test for each chosen operation. */
export function testNoOpWrites(running: TestService, isChosen: (operation: AnyOperation) => boolean): void {
  let stage: Stage;
  beforeAll(async () => {
    stage = await stageOn(running, [...operations.values()], fixtures);
  });
  afterAll(() => stage?.admin.end());
  describe("sent again, nothing is changed and nothing recorded:", () => {
    for (const operation of named.filter((each) => !(each.id in repeatable) && isChosen(each)))
      test(operation.id, async () => {
        const call = await ready(stage, operation, true);
        const first = await attempt(stage, operation, call);
        expect(first.status, first.text).toBeLessThan(300);
        const made = await leftBy(stage, first.headers.get("x-correlation-id"));
        if (!operation.quiet) expect(made.events, "the first call changes something").toBeGreaterThan(0);

        const etag = first.headers.get("etag");
        const again = {
          ...(takesKey(operation) ? { key: newKey() } : {}),
          ...(etag && operation.ifMatch ? { headers: { "if-match": etag } } : {}),
        };
        const before = await footprint(stage);
        const second = await attempt(stage, operation, call, again);
        const after = await footprint(stage);
        expect([second.status, second.headers.get("etag")], second.text).toEqual([first.status, etag]);
        // Revision and updated_at are in it.
        if (!placing.includes(operation.id)) expect(second.body).toEqual(first.body);
        expect(await leftBy(stage, second.headers.get("x-correlation-id"))).toEqual({ audited: 1, events: 0 });
        const written = Object.keys(after).filter((table) => after[table] !== before[table]);
        expect(written.filter((table) => !LEFT.includes(table))).toEqual([]);

        if (!takesKey(operation)) return;
        const replayed = await attempt(stage, operation, call, again);
        expect([replayed.headers.get("idempotent-replayed"), replayed.text]).toEqual(["true", second.text]);
        expect(await footprint(stage)).toEqual(after);
      });
  });
}
