// What can be undone says so before: every write by somebody in a Workspace is made, and its receipt offers to undo it where its declaration does,
// and nowhere else.
import { isUnsafe } from "@svc/contract/kit.ts";
import { operations } from "@svc/contract/operations.ts";
import { undoable } from "@svc/contract/undoable.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MODEL, sellWithoutLimits } from "./billing.ts";
import { signedIn } from "./checks/check.ts";
import { fixtures } from "./fixtures.ts";
import { openIdProviders } from "./openid-provider.ts";
import { attempt, ready, type Stage, stageOn } from "./stage.ts";
import { stripeStandIn } from "./stripe.ts";
import { service } from "./world.ts";

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

const writes = [...operations.values()].filter((each) => isUnsafe(each) && signedIn(each));

test("what can be undone is a write", () => {
  expect(Object.keys(undoable).filter((id) => !writes.some((write) => write.id === id))).toEqual([]);
});

test.each(writes.map(({ id }) => id))("%s says whether it can be undone, and its receipt says the same", async (id) => {
  const operation = operations.get(id) as (typeof writes)[number];
  const call = await ready(stage, operation, true);
  const answer = await attempt(stage, operation, call);
  expect(answer.status, answer.text).toBeLessThan(400);
  const command = answer.headers.get("x-svc-command-id");
  const path = `/workspaces/${stage.home.workspaceId}/operation-receipts/${command}`;
  const receipt = await call.person.call("GET", path);
  expect(receipt.body.undo?.possible ?? false, JSON.stringify(receipt.body.undo)).toBe(id in undoable);
});
