// An operation that can be undone is offered to undo: every write by somebody in a Workspace is made, and its receipt
// offers to undo it if the contract declares so, and not otherwise. undoable.test.ts tests a part of the writes,
// undoable.slow.test.ts the others.
import { isUnsafe } from "@svc/contract/kit.ts";
import { operations } from "@svc/contract/operations.ts";
import { undoable } from "@svc/contract/undoable-operations.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { implementations } from "../src/operations.ts";
import { MODEL, sellWithoutLimits } from "./billing.ts";
import { signedIn } from "./checks/check.ts";
import { isPicked, oneOfEach } from "./covering-set.ts";
import { fixtures } from "./fixtures.ts";
import { openIdProviders } from "./openid-provider.ts";
import { attempt, ready, type Stage, stageOn } from "./stage.ts";
import { stripeStandIn } from "./stripe.ts";
import { service } from "./world.ts";

export const writes = [...operations.values()].filter((each) => isUnsafe(each) && signedIn(each));

/** Writes of one mode to the same kind of target that can be undone, or cannot, form a class. */
const chosen = oneOfEach(implementations, ({ operation, access, mode }) =>
  JSON.stringify([mode, access.reach, operation.method, operation.id in undoable]),
);
/** Whether the first tier tests this write: one of each class, and a third of the others. */
export const isTestedFirst = (id: string): boolean => chosen.has(id) || isPicked(id, "undoable");

/** Declares one test for each of these writes. */
export async function testUndoable(applies: (id: string) => boolean): Promise<void> {
  const openId = await openIdProviders();
  const stripe = await stripeStandIn();
  const running = service({ providers: openId.config, ...stripe.config, model: MODEL });
  let stage: Stage;
  beforeAll(async () => {
    await sellWithoutLimits(running);
    stage = await stageOn(running, [...operations.values()], fixtures);
  });
  afterAll(async () => {
    await stage?.admin.end();
    await openId.stop();
    stripe.close();
  });

  for (const operation of writes.filter(({ id }) => applies(id)))
    test(`${operation.id} says whether it can be undone, and its receipt says the same`, async () => {
      const call = await ready(stage, operation, true);
      const answer = await attempt(stage, operation, call);
      expect(answer.status, answer.text).toBeLessThan(400);
      const command = answer.headers.get("x-svc-command-id");
      const path = `/workspaces/${stage.home.workspaceId}/operation-receipts/${command}`;
      const receipt = await call.person.call("GET", path);
      const isOffered = receipt.body.undo?.possible ?? false;
      const declared =
        "its line in contract/src/undoable-operations.ts, and what its receipt says: " +
        `${JSON.stringify(receipt.body.undo)}`;
      expect(isOffered, declared).toBe(operation.id in undoable);
    });
}
