// Setting up, confirming, replacing and removing a second factor: who may, what is shown once, and what nobody can do.
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { adminOf } from "../../../test/changes.ts";
import { many } from "../../../test/letters.ts";
import { lettersTo } from "../../../test/mailbox.ts";
import { challengeFor, codeOf, earlyInStep, withFactor, wrongCode } from "../../../test/second-factor.ts";
import { newKey, service, testKeys, world } from "../../../test/world.ts";
import { secretBox } from "../../platform/wire/secret-box.ts";
import { hashPassword } from "./passwords/password.ts";
import { factorRow } from "./sign-in.ts";

const running = service();
const password = "quartz-lantern-48-vellum";
const hash = hashPassword(password);
const [SETUP, CONFIRM, CODES, FACTOR] = [
  "/auth/mfa/totp/setup",
  "/auth/mfa/totp/confirm",
  "/auth/mfa/recovery-codes/regenerate",
  "/auth/mfa/totp",
] as const;

async function person({ withPassword = true } = {}) {
  const { owner } = await world(running);
  if (withPassword) await running.sql("update users set password_hash = $2 where id = $1", [owner.userId, await hash]);
  return owner;
}
type Somebody = Awaited<ReturnType<typeof person>>;
const old = ({ userId }: Somebody) =>
  running.sql("update credentials set authenticated_at = now() - interval '15 minutes' where user_id = $1", [userId]);
/** As if the code that was accepted last had been one of an hour ago. */
const later = ({ userId }: Somebody) =>
  running.sql("update second_factors set last_step = last_step - 120 where user_id = $1", [userId]);
const verify = (mfa_token: string, code: string) =>
  running.send("POST", "/auth/mfa/verify", { body: { mfa_token, code } });
const refusal = ({ status, body }: { status: number; body: { code?: string } }) => [status, body?.code];
const subjects = async ({ email }: Somebody) => (await lettersTo(running, email)).map(({ subject }) => subject);

test("setting up shows a secret that a code confirms, and then there are ten recovery codes", async () => {
  const owner = await person();
  const { body } = await owner.call("POST", SETUP);
  expect(new URL(body.provisioning_uri).searchParams.get("secret")).toBe(body.secret);
  expect(decodeURIComponent(body.provisioning_uri)).toContain(`svc:${owner.email}`);
  expect((await owner.call("GET", "/me")).body.mfa_enabled).toBe(false);
  const before = (await owner.call("GET", "/me")).body;
  const confirmed = await owner.call("POST", CONFIRM, { body: { code: codeOf(body.secret) } });
  expect(confirmed.status).toBe(201);
  expect(new Set(confirmed.body.recovery_codes).size).toBe(10);
  const after = (await owner.call("GET", "/me")).body;
  expect([after.mfa_enabled, Number(after.revision)]).toEqual([true, Number(before.revision) + 1]);
  expect(await subjects(owner)).toEqual(["Two-step sign-in is on"]);
});

test("nothing that lets anybody in is stored as it is", async () => {
  const owner = await person();
  const { secret } = (await owner.call("POST", SETUP)).body;
  const { recovery_codes: codes } = (await owner.call("POST", CONFIRM, { body: { code: codeOf(secret) } })).body;
  const rows = await running.sql(
    `select row_to_json(f)::text as factor, (select string_agg(encode(code_hash, 'hex'), ' ') from recovery_codes r
     where r.user_id = f.user_id) as codes
     from second_factors f where user_id = $1`,
    [owner.userId],
  );
  const stored = JSON.stringify(rows);
  expect(stored).not.toContain(secret);
  for (const code of codes) {
    expect(stored).not.toContain(code);
    expect(stored).not.toContain(Buffer.from(code.replaceAll("-", "")).toString("hex"));
  }
});

test("a retry with the same key shows the same secret, which is kept sealed", async () => {
  const owner = await person();
  const key = newKey();
  const first = await owner.call("POST", SETUP, { key });
  expect((await owner.call("POST", SETUP, { key })).body).toEqual(first.body);
  const kept = await running.sql<{ body: string }>(
    "select body from idempotency_keys where operation = 'setUpTotp' and principal_id in ($1, $2)",
    [owner.userId, owner.actorId],
  );
  for (const { body } of kept) expect(body).not.toContain(first.body.secret);
});

test("setting up again before the confirmation replaces the secret", async () => {
  const owner = await person();
  const first = (await owner.call("POST", SETUP)).body.secret;
  const second = (await owner.call("POST", SETUP)).body.secret;
  expect(second).not.toBe(first);
  expect(refusal(await owner.call("POST", CONFIRM, { body: { code: codeOf(first) } }))).toEqual([401, "invalid_code"]);
  expect((await owner.call("POST", CONFIRM, { body: { code: codeOf(second) } })).status).toBe(201);
});

test("setting up takes a sign-in within the last 15 minutes: a stolen session cannot lock its owner out", async () => {
  const owner = await person();
  await old(owner);
  expect(refusal(await owner.call("POST", SETUP))).toEqual([403, "recent_authentication_required"]);
});

test("a secret whose key was lost and retired cannot be confirmed or shown again, and another one can be set up", async () => {
  const owner = await person();
  const key = newKey();
  const { secret } = (await owner.call("POST", SETUP, { key })).body;
  const lost = secretBox([{ id: "lost", key: randomBytes(32) }]).seal("it", "somewhere");
  await running.sql("update second_factors set secret_sealed = $2 where user_id = $1", [owner.userId, lost]);
  await adminOf(running)("update idempotency_keys set body = $2 where operation = 'setUpTotp' and principal_id = $1", [
    owner.userId,
    lost,
  ]);
  const confirmed = await owner.call("POST", CONFIRM, { body: { code: codeOf(secret) } });
  expect(refusal(confirmed)).toEqual([409, "mfa_not_enabled"]);
  expect(refusal(await owner.call("POST", SETUP, { key }))).toEqual([409, "idempotency_key_conflict"]);
  const again = (await owner.call("POST", SETUP)).body.secret;
  expect((await owner.call("POST", CONFIRM, { body: { code: codeOf(again) } })).status).toBe(201);
});

test("confirming takes a right code, and something that was set up", async () => {
  const owner = await person();
  expect(refusal(await owner.call("POST", CONFIRM, { body: { code: "123456" } }))).toEqual([409, "mfa_not_enabled"]);
  const { secret } = (await owner.call("POST", SETUP)).body;
  for (const code of [wrongCode(secret), codeOf(secret, -3), codeOf(secret, 3), "7K2M-Q9TX-4B8D-HW3N"])
    expect(refusal(await owner.call("POST", CONFIRM, { body: { code } }))).toEqual([401, "invalid_code"]);
  expect((await owner.call("GET", "/me")).body.mfa_enabled).toBe(false);
  await earlyInStep();
  expect((await owner.call("POST", CONFIRM, { body: { code: codeOf(secret, -1) } })).status).toBe(201);
});

test("a code from somebody else's secret confirms nothing, and their sealed secret does not open in another row", async () => {
  const [mallory, victim] = [await person(), await person()];
  const theirs = (await mallory.call("POST", SETUP)).body.secret;
  await victim.call("POST", SETUP);
  const answer = await victim.call("POST", CONFIRM, { body: { code: codeOf(theirs) } });
  expect(refusal(answer)).toEqual([401, "invalid_code"]);
  const [row] = await running.sql<{ secret_sealed: string }>(
    "select secret_sealed from second_factors where user_id = $1",
    [mallory.userId],
  );
  const box = secretBox(testKeys);
  expect(box.open(row?.secret_sealed as string, factorRow(mallory.userId))).toBe(theirs);
  expect(() => box.open(row?.secret_sealed as string, factorRow(victim.userId))).toThrow();
});

test("once it is on, it is neither set up nor confirmed again", async () => {
  const owner = await person();
  const secret = await withFactor(running, owner.userId);
  expect(refusal(await owner.call("POST", SETUP))).toEqual([409, "mfa_already_enabled"]);
  const again = await owner.call("POST", CONFIRM, { body: { code: codeOf(secret) } });
  expect(refusal(again)).toEqual([409, "mfa_already_enabled"]);
});

test("of 50 confirmations at once one enables the factor and its recovery codes are the ones that work", async () => {
  const owner = await person();
  const { secret } = (await owner.call("POST", SETUP)).body;
  const answers = await many(50, () => owner.call("POST", CONFIRM, { body: { code: codeOf(secret) } }));
  const [won, ...others] = answers.filter(({ status }) => status === 201);
  expect(others).toEqual([]);
  expect(new Set(answers.filter(({ status }) => status !== 201).map(({ body }) => body.code))).toEqual(
    new Set(["mfa_already_enabled"]),
  );
  const token = await challengeFor(running, owner.userId);
  expect((await verify(token, won?.body.recovery_codes[9])).status).toBe(200);
});

test("the code that confirmed is used up: it does not also let in", async () => {
  const owner = await person();
  const { secret } = (await owner.call("POST", SETUP)).body;
  const code = codeOf(secret);
  await owner.call("POST", CONFIRM, { body: { code } });
  expect(refusal(await verify(await challengeFor(running, owner.userId), code))).toEqual([401, "invalid_code"]);
});

test("new recovery codes take the password, and earlier ones stop", async () => {
  const owner = await person();
  await withFactor(running, owner.userId, { recoveryCodes: ["7K2M-Q9TX-4B8D-HW3N", "P6RC-0VJ5-ZE1G-YS8A"] });
  for (const body of [{ current_password: "quartz-lantern-48-velluM" }, { current_password: "" }, {}])
    expect(refusal(await owner.call("POST", CODES, { body }))).toEqual([401, "invalid_credentials"]);
  const answer = await owner.call("POST", CODES, { body: { current_password: password } });
  expect([answer.status, answer.body.recovery_codes.length]).toEqual([201, 10]);
  expect(answer.trips).toBeLessThanOrEqual(5);
  const token = await challengeFor(running, owner.userId);
  expect(refusal(await verify(token, "7K2M-Q9TX-4B8D-HW3N"))).toEqual([401, "invalid_code"]);
  expect((await verify(token, answer.body.recovery_codes[0])).status).toBe(200);
  expect(await subjects(owner)).toEqual(["New recovery codes", "A recovery code was used"]);
});

test("without a factor there is nothing to replace and nothing to remove, set up or not", async () => {
  const owner = await person();
  for (let turn = 0; turn < 2; turn++) {
    const codes = await owner.call("POST", CODES, { body: { current_password: password } });
    const removed = await owner.call("DELETE", FACTOR, { body: { current_password: password, code: "123456" } });
    expect([refusal(codes), refusal(removed)]).toEqual([
      [409, "mfa_not_enabled"],
      [409, "mfa_not_enabled"],
    ]);
    await owner.call("POST", SETUP);
  }
});

test("removing takes the password and a code; then the password alone lets in again", async () => {
  const owner = await person();
  const secret = await withFactor(running, owner.userId, { recoveryCodes: ["7K2M-Q9TX-4B8D-HW3N"] });
  const remove = (current_password: string, code: string) =>
    owner.call("DELETE", FACTOR, { body: { current_password, code } });
  expect(refusal(await remove("wrong", codeOf(secret)))).toEqual([401, "invalid_credentials"]);
  expect(refusal(await remove(password, wrongCode(secret)))).toEqual([401, "invalid_code"]);
  const removed = await remove(password, codeOf(secret));
  expect([removed.status, removed.text]).toEqual([204, ""]);
  expect(removed.trips).toBeLessThanOrEqual(5);
  const rows = await running.sql(
    `select user_id from second_factors where user_id = $1 union all select user_id from recovery_codes
      where user_id = $1`,
    [owner.userId],
  );
  expect(rows).toEqual([]);
  expect((await owner.call("GET", "/me")).body.mfa_enabled).toBe(false);
  const login = await running.send("POST", "/auth/login", { body: { email: owner.email, password } });
  expect([login.body.email, login.cookies.length]).toEqual([owner.email, 2]);
  expect(await subjects(owner)).toEqual(["Two-step sign-in is off"]);
});

test("a recovery code removes it too, for somebody who has lost the authenticator", async () => {
  const owner = await person();
  await withFactor(running, owner.userId, { recoveryCodes: ["7K2M-Q9TX-4B8D-HW3N"] });
  const body = { current_password: password, code: "7k2m q9tx 4b8d hw3n" };
  expect((await owner.call("DELETE", FACTOR, { body })).status).toBe(204);
});

test("a code that has let somebody in does not remove the factor as well", async () => {
  const owner = await person();
  const secret = await withFactor(running, owner.userId);
  const code = codeOf(secret);
  expect((await verify(await challengeFor(running, owner.userId), code)).status).toBe(200);
  const body = { current_password: password, code };
  expect(refusal(await owner.call("DELETE", FACTOR, { body }))).toEqual([401, "invalid_code"]);
  await later(owner);
  expect((await owner.call("DELETE", FACTOR, { body })).status).toBe(204);
});

test("an account without a password needs a recent sign-in in its place", async () => {
  const owner = await person({ withPassword: false });
  const secret = await withFactor(running, owner.userId);
  expect((await owner.call("POST", CODES, { body: {} })).status).toBe(201);
  await old(owner);
  expect(refusal(await owner.call("POST", CODES, { body: { current_password: password } }))).toEqual([
    403,
    "recent_authentication_required",
  ]);
  const body = { code: codeOf(secret) };
  expect(refusal(await owner.call("DELETE", FACTOR, { body }))).toEqual([403, "recent_authentication_required"]);
});

test("guessing codes to remove the factor is counted, and closed after 20", async () => {
  const owner = await person({ withPassword: false });
  const secret = await withFactor(running, owner.userId);
  await running.sql("update second_factors set wrong_codes = 18 where user_id = $1", [owner.userId]);
  const remove = (code: string) => owner.call("DELETE", FACTOR, { body: { code } });
  for (const code of [wrongCode(secret), wrongCode(secret)])
    expect(refusal(await remove(code))).toEqual([401, "invalid_code"]);
  const closed = await remove(codeOf(secret));
  expect(refusal(closed)).toEqual([429, "rate_limited"]);
  expect(closed.body.retry_after).toBeGreaterThan(3500);
});
