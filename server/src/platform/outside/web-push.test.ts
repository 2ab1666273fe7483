// The keys that push services recognise us by: made from the secret keys, the same everywhere, and rotating with them.
import { expect, test } from "vitest";
import { browser } from "../../../test/push-receiver.ts";
import { testConfig } from "../../../test/world.ts";
import { vapidKeyOf } from "./vapid-keys.ts";
import { openPush } from "./web-push.ts";

const [old, current] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const pushWith = (...keys: Buffer[]) => {
  const sent: Record<string, string>[] = [];
  const secretKeys = keys.map((key, at) => ({ id: `k${at}`, key }));
  const push = openPush({ ...testConfig, secretKeys }, async (_url, limits) => {
    sent.push(limits?.headers ?? {});
    return { status: 201, headers: new Headers(), body: Buffer.alloc(0) };
  });
  return { push, sent };
};
const subscribed = (publicKey: string) => {
  const { endpoint, keys } = browser().subscription;
  return { endpoint, ...keys, publicKey };
};

test("one secret key always makes one key pair, and another makes another", () => {
  expect(vapidKeyOf(old)).toEqual(vapidKeyOf(Buffer.from(old)));
  expect(vapidKeyOf(old).publicKey).not.toBe(vapidKeyOf(current).publicKey);
  const { publicKey, privateKey } = vapidKeyOf(current);
  expect([Buffer.from(publicKey, "base64url").length, Buffer.from(privateKey, "base64url").length]).toEqual([65, 32]);
});

test("browsers are offered the key of the first secret, and those of before are still pushed to with theirs", async () => {
  const { push, sent } = pushWith(current, old);
  expect(push.publicKey).toBe(vapidKeyOf(current).publicKey);
  for (const secret of [current, old]) {
    const { publicKey } = vapidKeyOf(secret);
    expect(await push.send(subscribed(publicKey), "{}")).toBe("sent");
    expect(sent.at(-1)?.Authorization).toContain(`k=${publicKey}`);
  }
});

test("a subscription whose key has been dropped is gone, and nothing is sent", async () => {
  const { push, sent } = pushWith(current);
  expect(await push.send(subscribed(vapidKeyOf(old).publicKey), "{}")).toBe("gone");
  expect(sent).toEqual([]);
});
