// Deliveries between services, signed as Standard Webhooks say.
import { expect, test } from "vitest";
import { isSigned, newWebhookSecret, signed } from "./standard-webhooks.ts";

const [now, body] = [new Date(), Buffer.from('{"a":1}')];

test("a signature is made as the standard's own example shows", () => {
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const at = new Date(1614265330 * 1000);
  const sent = Buffer.from('{"test": 2432232314}');
  expect(signed([secret], "msg_p5jXN8AQM9LWM0D4loKWxJek", sent, at)["webhook-signature"]).toBe(
    "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  );
});

test("whoever has one of the secrets finds its signature; another secret, body, id, time or form is refused", () => {
  const [one, two, other] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()];
  const headers = signed([one, two], "one", body, now);
  expect(isSigned(headers, body, one, now)).toBe(true);
  expect(isSigned(headers, body, two, now)).toBe(true);
  expect(isSigned(headers, body, other, now)).toBe(false);
  expect(isSigned(headers, Buffer.from('{"a":2}'), one, now)).toBe(false);
  expect(isSigned({ ...headers, "webhook-id": "two" }, body, one, now)).toBe(false);
  expect(isSigned(headers, body, one, new Date(now.getTime() + 299_000))).toBe(true);
  expect(isSigned(headers, body, one, new Date(now.getTime() + 302_000))).toBe(false);
  expect(isSigned(headers, body, one, new Date(now.getTime() - 302_000))).toBe(false);
  for (const name of Object.keys(headers))
    expect(isSigned({ ...headers, [name]: undefined }, body, one, now)).toBe(false);
  for (const forged of ["", "v1,", "v1", "v2,AAAA", headers["webhook-signature"]?.replaceAll("v1,", "v1a,")])
    expect(isSigned({ ...headers, "webhook-signature": forged }, body, one, now)).toBe(false);
});
