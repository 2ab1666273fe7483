// A failed attempt is retried when its pause ends, by a timer of the process that made it: nobody looks for it here.
import { afterAll, afterEach, expect, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { answers, webhookReceiver } from "../../../test/webhook-receiver.ts";
import { service, testKeys, world } from "../../../test/world.ts";
import { egressTo } from "../../platform/outside/egress.ts";
import { createLog } from "../../platform/wire/log.ts";
import { secretBox } from "../../platform/wire/secret-box.ts";
import { openSender, type Sender } from "./sender.ts";

const receiver = await webhookReceiver();
afterAll(() => receiver.close());
const running = service({ webhookAllow: [receiver.origin] });
let sender: Sender;
afterEach(() => sender.close());

test("after five seconds, and not before", async () => {
  const { owner, workspaceId } = await world(running);
  const outside = { webhooks: egressTo({ allow: [receiver.origin] }), secrets: secretBox(testKeys) };
  sender = openSender({
    database: running.database,
    outside,
    log: createLog("silent"),
    timers: true,
    attemptMs: 600_000,
  });
  const body = { name: "Reports", url: receiver.url, actions: ["task.created"] };
  const { id } = (await owner.call("POST", `/workspaces/${workspaceId}/webhook-endpoints`, { body })).body;
  // The second attempt is answered once the first one was read.
  const wasRead = Promise.withResolvers<void>();
  receiver.says((response, received) => {
    receiver.says((second, again) => void wasRead.promise.then(() => answers.ok(second, again)));
    answers.failing(response, received);
  });
  const tested = await owner.call("POST", `/webhook-endpoints/${id}/test`);
  await sender.look();
  const read = async () => (await owner.call("GET", `/webhook-deliveries/${tested.body.id}`)).body;
  const failed = await eventually(async () => {
    const delivery = await read();
    expect(delivery).toMatchObject({ state: "queued", attempts: 1 });
    return delivery;
  });
  wasRead.resolve();
  const pause = Date.parse(failed.next_attempt_at) - Date.parse(failed.attempted_at);
  expect(pause).toBeGreaterThanOrEqual(5000);
  expect(pause).toBeLessThanOrEqual(5500);
  const accepted = await eventually(async () => {
    const delivery = await read();
    expect(delivery).toMatchObject({ state: "delivered", attempts: 2 });
    return delivery;
  });
  expect(Date.parse(accepted.attempted_at)).toBeGreaterThanOrEqual(Date.parse(failed.next_attempt_at));
});
