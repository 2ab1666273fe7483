// Where notifications are pushed to, and that they get there: encrypted for the browser, and to nobody who has left.
import { createPublicKey, verify } from "node:crypto";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { overlapping } from "../../../test/overlap.ts";
import { browser as browserAt, pushReceiver } from "../../../test/push-receiver.ts";
import {
  asSession,
  insertCredential,
  newKey,
  type Person,
  service,
  sessionHeaders,
  testKeys,
  world,
} from "../../../test/world.ts";
import { NIL, newId, newSecret } from "../../platform/wire/ids.ts";
import { secretBox } from "../../platform/wire/secret-box.ts";

const path = "/me/push-endpoints/browser";
const device = "/me/mobile-credentials/current/push-device";
const testBox = secretBox(testKeys);
const away = await pushReceiver();
afterAll(() => away.close());
const { browser } = away;
const running = service({ roles: ["api", "worker"] }, { egress: away.egress });

type Row = { id: string; kind: string; sealed: string };
const endpoints = (person: Person) =>
  running.sql<Row>("select * from push_endpoints where user_id = $1", [person.userId]) as Promise<[Row, ...Row[]]>;
const arrivedAt = (endpoint: string) => away.pushed.filter((each) => each.path === new URL(endpoint).pathname);
const until = (happens: () => unknown) => expect.poll(happens);

/** One more session of the same person. */
async function again(person: Person, workspaceId: string) {
  const session = newSecret("ses");
  await insertCredential(running, "session", session, person.userId, workspaceId, []);
  return { session, call: asSession(running, session) };
}
async function native(person: Person) {
  const token = newSecret("nat");
  await insertCredential(running, "native", token, person.userId, null, []);
  return token;
}

test("a browser that subscribes is pushed a first message, which it alone can read and which we have signed", async () => {
  const { owner } = await world(running);
  const { body: config, trips } = await owner.call("GET", `${path}/config`);
  expect(trips).toBe(1);
  const { subscription, open } = browser();
  const answer = await owner.call("PUT", path, { body: subscription, key: newKey() });
  expect([answer.status, answer.text, answer.cookies]).toEqual([204, "", []]);
  expect(answer.trips).toBeLessThanOrEqual(5);
  await until(() => arrivedAt(subscription.endpoint).length).toBe(1);
  const [{ headers, body }] = arrivedAt(subscription.endpoint) as [(typeof away.pushed)[0]];
  expect(headers).toMatchObject({ "content-encoding": "aes128gcm", ttl: "86400", urgency: "normal" });
  expect(body.includes("Notifications")).toBe(false);
  expect(JSON.parse(open(body))).toMatchObject({ title: "Notifications are on", path: "/" });
  expect(() => browser().open(body)).toThrow();

  const [, jwt = "", key = ""] = /^vapid t=([^,]+), k=(\S+)$/.exec(headers.authorization ?? "") ?? [];
  expect(key).toBe(config.public_key);
  const [head, claims, signature] = jwt.split(".") as [string, string, string];
  const point = Buffer.from(key, "base64url");
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString("base64url")) as [
    string,
    string,
  ];
  const publicKey = createPublicKey({ key: { kty: "EC", crv: "P-256", x, y }, format: "jwk" });
  const signed = Buffer.from(`${head}.${claims}`);
  const dsaEncoding = "ieee-p1363";
  expect(verify("sha256", signed, { key: publicKey, dsaEncoding }, Buffer.from(signature, "base64url"))).toBe(true);
  expect(JSON.parse(Buffer.from(claims, "base64url").toString())).toMatchObject({
    aud: `https://${away.host}`,
    sub: "mailto:no-reply@localhost",
  });
});

test("a subscription that is sent again is no news: nothing is pushed, and the session still has one", async () => {
  const { owner } = await world(running);
  const [first, second] = [browser().subscription, browser().subscription];
  for (const body of [first, first, second, second]) await owner.call("PUT", path, { body });
  expect(await endpoints(owner)).toHaveLength(1);
  await until(() => arrivedAt(second.endpoint).length).toBe(1);
  expect(arrivedAt(first.endpoint).length).toBeLessThanOrEqual(1);
});

test("neither the address nor the keys are readable where they are kept, nor is the message in the queue", async () => {
  const { owner } = await world(running);
  const { subscription } = browser();
  await owner.call("PUT", path, { body: subscription });
  const kept = JSON.stringify(await endpoints(owner));
  for (const secret of [subscription.endpoint, subscription.keys.p256dh, subscription.keys.auth])
    expect(kept).not.toContain(secret);
});

for (const status of [404, 410])
  test(`an endpoint that answers ${status} is forgotten`, async () => {
    const { owner } = await world(running);
    away.state.status = status;
    onTestFinished(() => {
      away.state.status = 201;
    });
    await owner.call("PUT", path, { body: browser().subscription });
    await until(async () => (await endpoints(owner)).length).toBe(0);
  });

test("an endpoint whose name leads to no public address is forgotten, and nothing is sent there", async () => {
  const { owner } = await world(running);
  const { subscription } = browserAt("inside.example.com");
  await owner.call("PUT", path, { body: subscription });
  await until(async () => (await endpoints(owner)).length).toBe(0);
  expect(arrivedAt(subscription.endpoint)).toEqual([]);
});

test("an endpoint that answers 500 stays, and its message waits for another attempt", async () => {
  const { owner } = await world(running);
  const { subscription } = browser();
  away.state.status = 500;
  onTestFinished(() => {
    away.state.status = 201;
  });
  await owner.call("PUT", path, { body: subscription });
  await until(() => arrivedAt(subscription.endpoint).length).toBe(1);
  away.state.status = 201;
  await until(() => arrivedAt(subscription.endpoint).length).toBe(2);
  expect(await endpoints(owner)).toHaveLength(1);
});

test("a session that ends takes its endpoint along, whichever way it ends, and leaves the others'", async () => {
  const { owner, workspaceId } = await world(running);
  const [leaving, revoked] = [await again(owner, workspaceId), await again(owner, workspaceId)];
  for (const { call } of [owner, leaving, revoked]) await call("PUT", path, { body: browser().subscription });
  expect(await endpoints(owner)).toHaveLength(3);
  expect((await leaving.call("POST", "/auth/logout")).status).toBe(204);
  expect(await endpoints(owner)).toHaveLength(2);
  const end = "update credentials set revoked_at = now() where user_id = $1 and secret_hash = sha256($2::bytea)";
  await running.sql(end, [owner.userId, revoked.session]);
  expect(await endpoints(owner)).toHaveLength(1);
});

test("nothing is pushed to a session that has expired or idled out", async () => {
  for (const spoil of ["expires_at = now()", "last_used_at = now() - interval '7 days'"]) {
    const { owner } = await world(running);
    const { subscription } = browser();
    await owner.call("PUT", path, { body: subscription });
    await until(() => arrivedAt(subscription.endpoint).length).toBe(1);
    const [{ id }] = await endpoints(owner);
    await running.sql(`update credentials set ${spoil} where user_id = $1`, [owner.userId]);
    const { other, message } = await pushAgain(id);
    await until(() => arrivedAt(other.endpoint).length).toBe(2);
    expect(arrivedAt(subscription.endpoint), message).toHaveLength(1);
  }
});

/** Queues a message to an endpoint and, behind it, one to somebody whose arrival says that the first had its turn. */
async function pushAgain(endpointId: string) {
  const { owner } = await world(running);
  const { subscription: other } = browser();
  await owner.call("PUT", path, { body: other });
  await until(() => arrivedAt(other.endpoint).length).toBe(1);
  const [{ id }] = await endpoints(owner);
  const message = newId();
  const sealed = testBox.seal("{}", message);
  for (const endpoint of [endpointId, id])
    await running.sql("select enqueue_job('send_push', $1::json)", [
      JSON.stringify({ id: message, endpoint_id: endpoint, sealed }),
    ]);
  return { other, message };
}

test("a subscription that waited for the end of its session, or of its grant, is not kept", async () => {
  const { owner } = await world(running);
  const token = await native(owner);
  const end = (kind: string) => `
    with ended as (update oauth_grants set revoked_at = now() where user_id = $1 and '${kind}' = 'native')
    update credentials set revoked_at = now() where user_id = $1 and kind = '${kind}'`;
  const late = await overlapping(running, [end("native"), owner.userId], 1, () =>
    owner.bearer(token, "PUT", device, { body: { platform: "ios", token: newId() } }),
  );
  expect([late.status, late.body.code]).toEqual([401, "invalid_token"]);
  const browsers = await overlapping(running, [end("session"), owner.userId], 1, () =>
    owner.call("PUT", path, { body: browser().subscription }),
  );
  expect([browsers.status, browsers.body.code]).toEqual([401, "authentication_required"]);
  expect(await endpoints(owner)).toEqual([]);
});

test("a browser that changes hands pushes only for the one who subscribed it last", async () => {
  const [{ owner: before }, { owner: after }] = [await world(running), await world(running)];
  const { subscription } = browser();
  await before.call("PUT", path, { body: subscription });
  const [{ id }] = await endpoints(before);
  await after.call("PUT", path, { body: subscription });
  expect(await endpoints(before)).toEqual([]);
  const [{ id: taken }] = await endpoints(after);
  expect(taken).not.toBe(id);
});

test("the endpoint is removed once and then stays removed, and both are recorded", async () => {
  const { owner } = await world(running);
  await owner.call("PUT", path, { body: browser().subscription });
  for (let round = 0; round < 2; round++) expect((await owner.call("DELETE", path)).status).toBe(204);
  expect(await endpoints(owner)).toEqual([]);
  const events = await running.sql<{ type: string }>(
    "select type from domain_events where user_id = $1 order by id",
    [owner.userId],
    NIL,
  );
  expect(events.map(({ type }) => type)).toEqual(["push_endpoint.registered", "push_endpoint.removed"]);
});

test("the twentieth browser is taken and the twenty-first refused, also when all come at once", async () => {
  const { owner, workspaceId } = await world(running);
  const sessions = await Promise.all(Array.from({ length: 25 }, () => again(owner, workspaceId)));
  const put = ({ call }: (typeof sessions)[0]) => call("PUT", path, { body: browser().subscription });
  const answers = await Promise.all(sessions.map(put));
  expect(answers.filter(({ status }) => status === 204)).toHaveLength(20);
  expect(new Set(answers.flatMap(({ body }) => body?.code ?? []))).toEqual(new Set(["limit_reached"]));
  expect(await endpoints(owner)).toHaveLength(20);
  const taken = sessions[answers.findIndex(({ status }) => status === 204)];
  expect((await taken?.call("PUT", path, { body: browser().subscription }))?.status, "its own again").toBe(204);
});

test("devices count among the twenty, and one of a grant that has ended does not", async () => {
  const { owner } = await world(running);
  const tokens = await Promise.all(Array.from({ length: 21 }, () => native(owner)));
  const put = (token: string) => owner.bearer(token, "PUT", device, { body: { platform: "ios", token: newId() } });
  for (const token of tokens.slice(0, 20)) expect((await put(token)).status).toBe(204);
  expect((await put(tokens[20] as string)).body.code).toBe("limit_reached");
  expect((await owner.call("PUT", path, { body: browser().subscription })).body.code).toBe("limit_reached");
  expect((await owner.bearer(tokens[0] as string, "POST", "/mobile/oauth/revoke")).status).toBe(204);
  expect((await put(tokens[20] as string)).status).toBe(204);
});

test("50 sessions that send one subscription at once leave one endpoint", async () => {
  const { owner, workspaceId } = await world(running);
  const { subscription } = browser();
  const sessions = await Promise.all(Array.from({ length: 50 }, () => again(owner, workspaceId)));
  const answers = await Promise.all(sessions.map(({ call }) => call("PUT", path, { body: subscription })));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
  expect(await endpoints(owner)).toHaveLength(1);
});

test("an endpoint that is not an https URL of a public name is refused", async () => {
  const { owner } = await world(running);
  const { keys } = browser().subscription;
  for (const endpoint of [
    "http://push.example.com/x",
    "ftp://push.example.com/x",
    "javascript:alert(1)",
    "push.example.com",
    "https://localhost/x",
    "https://push.localhost/x",
    "https://intranet/x",
    "https://printer.local/x",
    "https://metadata.google.internal/x",
    "https://127.0.0.1/x",
    "https://0x7f.1/x",
    "https://2130706433/x",
    "https://10.0.0.1/x",
    "https://169.254.169.254/latest",
    "https://8.8.8.8/x",
    "https://[::1]/x",
    "https://[::ffff:127.0.0.1]/x",
    "https://user:pass@push.example.com/x",
    "https://push.example.com/x#y",
    "https://",
  ]) {
    const { status, body } = await owner.call("PUT", path, { body: { endpoint, keys } });
    expect([status, body?.errors?.[0]?.pointer], endpoint).toEqual([400, "/body/endpoint"]);
  }
  const long = (length: number) => `https://push.example.com/${"x".repeat(length - 25)}`;
  expect((await owner.call("PUT", path, { body: { endpoint: long(2048), keys } })).status).toBe(204);
  expect((await owner.call("PUT", path, { body: { endpoint: long(2049), keys } })).status).toBe(400);
});

test("keys that are no point of the curve, or of another length, are refused", async () => {
  const { owner } = await world(running);
  const { endpoint, keys } = browser().subscription;
  const off = Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 7)]).toString("base64url");
  const compressed = Buffer.alloc(65, 2).toString("base64url");
  for (const [wrong, pointer] of [
    [{ ...keys, p256dh: off }, "/body/keys/p256dh"],
    [{ ...keys, p256dh: compressed }, "/body/keys/p256dh"],
    [{ ...keys, p256dh: keys.p256dh.slice(1) }, "/body/keys/p256dh"],
    [{ ...keys, p256dh: `${keys.p256dh}A` }, "/body/keys/p256dh"],
    [{ ...keys, auth: keys.auth.slice(1) }, "/body/keys/auth"],
    [{ ...keys, auth: `${keys.auth}A` }, "/body/keys/auth"],
    [{ p256dh: keys.p256dh }, "/body/keys/auth"],
  ] as const) {
    const { status, body } = await owner.call("PUT", path, { body: { endpoint, keys: wrong } });
    expect([status, body?.errors?.[0]?.pointer], JSON.stringify(wrong)).toEqual([400, pointer]);
  }
});

test("a device is kept for its credential, one each, and belongs to whoever registered it last", async () => {
  const { owner, member } = await world(running);
  const other = await member("member");
  const [mine, theirs] = [await native(owner), await native(other)];
  const put = (token: string, body: unknown) => owner.bearer(token, "PUT", device, { body });
  const answer = await put(mine, { platform: "ios", token: "a".repeat(64) });
  expect([answer.status, answer.cookies]).toEqual([204, []]);
  await put(mine, { platform: "android", token: "b".repeat(64) });
  expect((await endpoints(owner)).map(({ kind }) => kind)).toEqual(["android"]);
  expect((await put(theirs, { platform: "android", token: "b".repeat(64) })).status).toBe(204);
  expect(await endpoints(owner)).toEqual([]);
  expect(await endpoints(other)).toHaveLength(1);
  expect((await owner.bearer(mine, "DELETE", device)).status).toBe(204);
  expect(await endpoints(other), "not one's own").toHaveLength(1);
  expect((await owner.bearer(theirs, "DELETE", device)).status).toBe(204);
  expect(await endpoints(other)).toEqual([]);
});

test("a device token has 16 to 1,024 visible characters and one of two platforms", async () => {
  const { owner } = await world(running);
  const token = await native(owner);
  const put = async (body: unknown) => (await owner.bearer(token, "PUT", device, { body })).status;
  expect(await put({ platform: "ios", token: "x".repeat(16) })).toBe(204);
  expect(await put({ platform: "ios", token: "x".repeat(1024) })).toBe(204);
  for (const body of [
    { platform: "ios", token: "x".repeat(15) },
    { platform: "ios", token: "x".repeat(1025) },
    { platform: "ios", token: `${"x".repeat(16)} ` },
    { platform: "windows", token: "x".repeat(16) },
    { platform: "ios" },
  ])
    expect(await put(body), JSON.stringify(body)).toBe(400);
});

test("the device goes with its grant", async () => {
  const { owner } = await world(running);
  await owner.bearer(await native(owner), "PUT", device, { body: { platform: "ios", token: newId() } });
  await running.sql("update oauth_grants set revoked_at = now() where user_id = $1", [owner.userId]);
  expect(await endpoints(owner)).toEqual([]);
});

test("a browser session registers no device, and a native client no browser", async () => {
  const { owner } = await world(running);
  const token = await native(owner);
  const asDevice = await running.send("PUT", device, {
    body: { platform: "ios", token: newId() },
    headers: sessionHeaders(owner.session),
  });
  expect([asDevice.status, asDevice.body.code]).toEqual([403, "credential_kind_not_allowed"]);
  const asBrowser = await owner.bearer(token, "PUT", path, { body: browser().subscription });
  expect([asBrowser.status, asBrowser.body.code]).toEqual([403, "credential_kind_not_allowed"]);
});
