// Registering passkeys, having them, and losing them: what an account may do with its own, and what it may not.
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { expect, test } from "vitest";
import {
  beginLogin,
  type Cbor,
  cbor,
  type KeyStatement,
  type Lies,
  newAuthenticator,
  type SoftwareAuthenticator,
} from "../../../test/authenticator.ts";
import { overlapping } from "../../../test/overlap.ts";
import { pages } from "../../../test/work.ts";
import { newKey, type Person, service, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();
const person = async () => (await world(running)).owner;
const authenticatorHere = () => newAuthenticator({ origin: running.url });
const optionsFor = ({ call }: Person) => call("POST", "/auth/passkeys/register/options");
const verify = ({ call }: Person, body: object, key?: string) =>
  call("POST", "/auth/passkeys/register/verify", { body, key });

async function register(owner: Person, lies: Lies = {}, authenticator: SoftwareAuthenticator = authenticatorHere()) {
  const { ceremony_token, options } = (await optionsFor(owner)).body;
  return verify(owner, { ceremony_token, name: "Laptop", response: authenticator.attest(options, lies) });
}
async function plant(owner: Person, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made++) ids.push(await authenticatorHere().plant(running, owner.userId));
  return ids;
}
const refusedAt = (field: string) => ({
  status: 400,
  body: { code: "invalid_request", errors: [{ pointer: `/body/${field}`, code: "not_accepted" }] },
});
const listed = async ({ call }: Person) => (await call("GET", "/auth/passkeys")).body.items as { id: string }[];
const withPassword = ({ userId }: Person) =>
  running.sql("update users set password_hash = 'x' where id = $1", [userId]);

test("the options ask for a passkey of this account that verifies its owner, on a key that has none yet", async () => {
  const owner = await person();
  const first = authenticatorHere();
  await register(owner, {}, first);
  const { status, body } = await optionsFor(owner);
  expect(status).toBe(200);
  const { challenge, user, ...options } = body.options;
  expect(Buffer.from(challenge, "base64url").length).toBe(32);
  expect(user).toMatchObject({ name: owner.email, displayName: expect.stringContaining("Person") });
  expect(Buffer.from(user.id, "base64url").toString("hex")).toBe(owner.userId.replaceAll("-", ""));
  expect(options).toEqual({
    rp: { id: "localhost", name: "svc" },
    pubKeyCredParams: [-7, -8, -257].map((alg) => ({ type: "public-key", alg })),
    timeout: 300_000,
    attestation: "none",
    authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
    excludeCredentials: [{ type: "public-key", id: first.id, transports: ["internal", "hybrid"] }],
  });
});

test("a passkey that was registered is shown without its key, and signs in", async () => {
  const owner = await person();
  const authenticator = authenticatorHere();
  const { status, body, trips } = await register(owner, { backupEligible: true, backedUp: true }, authenticator);
  expect(status).toBe(201);
  const { id, created_at, updated_at, ...shown } = body;
  expect(shown).toEqual({
    revision: "1",
    name: "Laptop",
    backup_eligible: true,
    backup_state: true,
    disabled: false,
    last_used_at: null,
    capabilities: ["passkey:update"],
  });
  expect(trips).toBeLessThanOrEqual(5);
  const { capabilities, ...row } = body;
  expect(await listed(owner)).toEqual([row]);
  const { ceremony_token, options } = await beginLogin(running);
  const response = authenticator.assert(options, owner.userId, { backupEligible: true, backedUp: true });
  const answer = await running.send("POST", "/auth/passkeys/login/verify", { body: { ceremony_token, response } });
  expect([answer.status, answer.body.id]).toEqual([200, owner.userId]);
});

const packed = (sig: Buffer, ...more: [Cbor, Cbor][]): [string, Map<Cbor, Cbor>] => [
  "packed",
  new Map<Cbor, Cbor>([["alg", -7], ["sig", sig], ...more]),
];
test("a statement that the new key has signed itself is accepted, because browsers pass it on, if it is signed well", async () => {
  const good = ({ authData, clientDataHash, sign }: KeyStatement) =>
    packed(sign(Buffer.concat([authData, clientDataHash])));
  const wrong = ({ authData, sign }: KeyStatement) => packed(sign(authData));
  expect((await register(await person(), { attestation: good })).status).toBe(201);
  expect(await register(await person(), { attestation: wrong })).toMatchObject(refusedAt("response"));
});

const der = (tag: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  const length = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
/** The smallest certificate that can be read, of a key of its own. */
function certificate() {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = Buffer.from("300a06082a8648ce3d040302", "hex");
  const [from, until] = ["200101000000Z", "491231235959Z"].map((time) => der(0x17, Buffer.from(time)));
  const nobody = der(0x30);
  const version = der(0xa0, der(0x02, Buffer.from([2])));
  const validity = der(0x30, from as Buffer, until as Buffer);
  const key = publicKey.export({ type: "spki", format: "der" });
  const content = der(0x30, version, der(0x02, Buffer.from([1])), algorithm, nobody, validity, nobody, key);
  const signed = (data: Buffer) => sign("sha256", data, privateKey);
  return { bytes: der(0x30, content, algorithm, der(0x03, Buffer.from([0]), signed(content))), signed };
}
test("a statement with a certificate is refused, though nothing in it is wrong", async () => {
  const { bytes, signed } = certificate();
  const statement = ({ authData, clientDataHash, id, point }: KeyStatement): [string, Map<Cbor, Cbor>] => {
    const data = Buffer.concat([Buffer.from([0]), authData.subarray(0, 32), clientDataHash, id, point]);
    return [
      "fido-u2f",
      new Map<Cbor, Cbor>([
        ["sig", signed(data)],
        ["x5c", [bytes]],
      ]),
    ];
  };
  expect(await register(await person(), { attestation: statement })).toMatchObject(refusedAt("response"));
  for (const format of ["packed", "tpm", "android-key", "android-safetynet", "apple"]) {
    const other = () => [format, packed(randomBytes(70), ["x5c", [bytes]])[1]] as [string, Map<Cbor, Cbor>];
    expect(await register(await person(), { attestation: other })).toMatchObject(refusedAt("response"));
  }
});

const nested = Buffer.alloc(20_000, 0x81).toString("base64url");
const bad: Record<string, Lies> = {
  "another origin": { origin: "https://localhost" },
  "another relying party": { rpId: "example.com" },
  "another challenge": { challenge: Buffer.alloc(32).toString("base64url") },
  "the other kind of ceremony": { type: "webauthn.get" },
  "a user who was not verified": { verified: false },
  "a user who was not there": { present: false },
  "a page of somebody else around it": { crossOrigin: true },
  "another id than the key's own": { id: Buffer.alloc(32).toString("base64url") },
  "an algorithm that was not offered": { algorithm: -47 },
  "a backup of what cannot be backed up": { backedUp: true },
  "an attestation that is no CBOR": { attestationObject: "AAAA" },
  "an attestation of another shape": { attestationObject: cbor(new Map([["fmt", "none"]])).toString("base64url") },
  "an attestation nested 20,000 deep": { attestationObject: nested },
  "a format that nobody knows": { attestation: () => ["surprise", new Map()] },
};
for (const [what, lies] of Object.entries(bad))
  test(`an answer with ${what} is refused, and uses its ceremony up`, async () => {
    const owner = await person();
    const authenticator = authenticatorHere();
    const { ceremony_token, options } = (await optionsFor(owner)).body;
    const body = { ceremony_token, name: "Key" };
    const answer = await verify(owner, { ...body, response: authenticator.attest(options, lies) });
    expect(answer).toMatchObject(refusedAt("response"));
    const again = await verify(owner, { ...body, response: authenticator.attest(options) });
    expect(again).toMatchObject(refusedAt("ceremony_token"));
    expect(await listed(owner)).toEqual([]);
  });

test("a ceremony of another person, of a sign-in or of nobody registers nothing", async () => {
  const [owner, other] = [await person(), await person()];
  const login = await beginLogin(running);
  const theirs = (await optionsFor(other)).body;
  const nobodys = { ceremony_token: "x".repeat(43), options: theirs.options };
  for (const { ceremony_token, options } of [login, theirs, nobodys]) {
    const response = authenticatorHere().attest(options);
    const answer = await verify(owner, { ceremony_token, name: "Key", response });
    expect(answer).toMatchObject(refusedAt("ceremony_token"));
  }
  const response = authenticatorHere().attest(theirs.options);
  const kept = await verify(other, { ceremony_token: theirs.ceremony_token, name: "Key", response });
  expect(kept.status, "and the other's is still open").toBe(201);
});

test("a ceremony is good for one passkey, of 50 answers at once too", async () => {
  const owner = await person();
  const { ceremony_token, options } = (await optionsFor(owner)).body;
  const answers = await Promise.all(
    Array.from({ length: 50 }, () =>
      verify(owner, { ceremony_token, name: "Key", response: authenticatorHere().attest(options) }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(49).fill(400)]);
  expect((await listed(owner)).length).toBe(1);
});

test("50 at once with the same key are one registration and 50 equal answers", async () => {
  const owner = await person();
  const { ceremony_token, options } = (await optionsFor(owner)).body;
  const body = { ceremony_token, name: "Key", response: authenticatorHere().attest(options) };
  const key = newKey();
  const answers = await Promise.all(Array.from({ length: 50 }, () => verify(owner, body, key)));
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(answers[0]?.status).toBe(201);
});

const move = (seconds: number, userId: string) =>
  running.sql("update passkey_ceremonies set expires_at = now() + make_interval(secs => $1) where user_id = $2", [
    seconds,
    userId,
  ]);
test("a registration lasts five minutes: a second too late is refused, a second before is not", async () => {
  const owner = await person();
  for (const [seconds, expected] of [
    [-1, refusedAt("ceremony_token")],
    [1, { status: 201 }],
  ] as const) {
    const { ceremony_token, options } = (await optionsFor(owner)).body;
    await move(seconds, owner.userId);
    const response = authenticatorHere().attest(options);
    expect(await verify(owner, { ceremony_token, name: "Key", response })).toMatchObject(expected);
  }
});

test("an authenticator is registered once, by whomever", async () => {
  const [owner, other, authenticator] = [await person(), await person(), authenticatorHere()];
  expect((await register(owner, {}, authenticator)).status).toBe(201);
  for (const again of [owner, other])
    expect(await register(again, {}, authenticator)).toMatchObject({ status: 409, body: { code: "identity_taken" } });
});

test("a tenth passkey is registered and an eleventh is not, nor begun", async () => {
  const owner = await person();
  await plant(owner, 9);
  const early = (await optionsFor(owner)).body;
  expect((await register(owner)).status).toBe(201);
  const full = { status: 409, body: { code: "limit_reached" } };
  const response = authenticatorHere().attest(early.options);
  expect(await verify(owner, { ceremony_token: early.ceremony_token, name: "Key", response })).toMatchObject(full);
  expect(await optionsFor(owner)).toMatchObject(full);
  expect((await listed(owner)).length).toBe(10);
  const [oldest] = (await listed(owner)).slice(-1);
  await owner.call("DELETE", `/auth/passkeys/${oldest?.id}`);
  expect((await register(owner)).status, "and again once there is room").toBe(201);
});

test("ten registrations at once beside nine passkeys add one", async () => {
  const owner = await person();
  await plant(owner, 9);
  const bodies = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const { ceremony_token, options } = (await optionsFor(owner)).body;
      return { ceremony_token, name: "Key", response: authenticatorHere().attest(options) };
    }),
  );
  const hold: [string, string] = ["select from users where id = $1 for update", owner.userId];
  const answers = await overlapping(running, hold, 4, () => Promise.all(bodies.map((body) => verify(owner, body))));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
  expect((await listed(owner)).length).toBe(10);
});

test("the list shows the newest first, page by page, and nobody else's", async () => {
  const [owner, other] = [await person(), await person()];
  const ids = await plant(owner, 5);
  await plant(other, 1);
  const { items } = await pages(owner, "/auth/passkeys", 2);
  expect(items.map(({ id }) => id)).toEqual(ids.reverse());
});

test("a passkey is renamed against its revision, by its owner", async () => {
  const [owner, other] = [await person(), await person()];
  const [id] = await plant(owner, 1);
  const path = `/auth/passkeys/${id}`;
  const renamed = await owner.call("PATCH", path, { body: { name: "Phone" }, ifMatch: "1" });
  expect(renamed).toMatchObject({
    status: 200,
    body: { name: "Phone", revision: "2", capabilities: ["passkey:update"] },
  });
  const stale = await owner.call("PATCH", path, { body: { name: "Tablet" }, ifMatch: "1" });
  expect(stale).toMatchObject({ status: 409, body: { code: "revision_conflict", current_revision: "2" } });
  for (const name of ["", " ", "x".repeat(101)])
    expect((await owner.call("PATCH", path, { body: { name } })).status).toBe(400);
  expect((await owner.call("PATCH", path, { body: { name: "x".repeat(100) } })).status).toBe(200);
  expect((await other.call("PATCH", path, { body: { name: "Mine" } })).status).toBe(404);
  expect((await other.call("DELETE", path)).status).toBe(404);
});

const last = { status: 409, body: { code: "last_sign_in_method" } };
test("the last way to sign in stays", async () => {
  const owner = await person();
  const [first, second] = await plant(owner, 2);
  expect((await owner.call("DELETE", `/auth/passkeys/${first}`)).status).toBe(204);
  expect(await owner.call("DELETE", `/auth/passkeys/${second}`)).toMatchObject(last);
  expect((await listed(owner)).length).toBe(1);
});

test("beside a password or an identity the last passkey goes", async () => {
  for (const arrange of [
    withPassword,
    ({ userId }: Person) =>
      running.sql("insert into identities (id, user_id, provider, subject) values ($1, $2, 'google', $3)", [
        newId(),
        userId,
        newId(),
      ]),
  ]) {
    const owner = await person();
    const [id] = await plant(owner, 1);
    await arrange(owner);
    expect((await owner.call("DELETE", `/auth/passkeys/${id}`)).status).toBe(204);
  }
});

test("a disabled passkey is no way to sign in: it does not save the last one, and can go itself", async () => {
  const owner = await person();
  const [disabled, working] = await plant(owner, 2);
  await running.sql("update passkeys set disabled_at = now() where id = $1", [disabled]);
  expect(await owner.call("DELETE", `/auth/passkeys/${working}`)).toMatchObject(last);
  expect((await owner.call("DELETE", `/auth/passkeys/${disabled}`)).status).toBe(204);
  const alone = await person();
  const [only] = await plant(alone, 1);
  await running.sql("update passkeys set disabled_at = now() where id = $1", [only]);
  expect((await alone.call("DELETE", `/auth/passkeys/${only}`)).status).toBe(204);
});

test("of two removals at once that would leave nothing, one succeeds", async () => {
  const owner = await person();
  const ids = await plant(owner, 2);
  const hold: [string, string] = ["select from users where id = $1 for update", owner.userId];
  const answers = await overlapping(running, hold, 2, () =>
    Promise.all(ids.map((id) => owner.call("DELETE", `/auth/passkeys/${id}`))),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
});

test("the token of a ceremony is kept as its hash", async () => {
  const owner = await person();
  const { ceremony_token } = (await optionsFor(owner)).body;
  const [kept] = await running.sql<{ token_hash: Buffer }>(
    "select token_hash from passkey_ceremonies where user_id = $1",
    [owner.userId],
  );
  expect(kept?.token_hash).toEqual(createHash("sha256").update(ceremony_token).digest());
});
