// Passwords that were forgotten and reset, and addresses that are verified again.
import pg from "pg";
import { expect, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import {
  ALL_LIVE,
  everyKind,
  forgot,
  many,
  NONE_LIVE,
  password,
  resetToken,
  setLink,
  shown,
  signIn,
  tokenTo,
  withPassword,
} from "../../../test/letters.ts";
import { lettersTo } from "../../../test/mailbox.ts";
import { overlapping } from "../../../test/overlap.ts";
import { asSession, service, world } from "../../../test/world.ts";
import { newId, newSecret, sha256 } from "../../platform/wire/ids.ts";
import { defaultRates } from "../../platform/wire/limits/rate-limit.ts";

const running = service();
const limited = service({ rateLimits: { ...defaultRates, mail: { requests: 3, seconds: 600 } } });
const working = service({ roles: ["api", "worker"] });
const next = "vellum-lantern-48-quartz";
const NIL = "00000000-0000-0000-0000-000000000000";

const resend = (email: string, headers = {}) =>
  running.send("POST", "/auth/email/resend-verification", { body: { email }, headers });
const reset = (token: string, new_password = next) =>
  running.send("POST", "/auth/password/reset", { body: { token, new_password } });
const eventsOf = async (userId: string) =>
  (
    await running.sql<{ type: string }>("select type from domain_events where user_id = $1 order by id", [userId], NIL)
  ).map(({ type }) => type);
/** Lets a minute pass for the links of an account. */
const aMinuteLater = (userId: string) =>
  running.sql("update email_links set created_at = created_at - interval '1 minute' where user_id = $1", [userId]);

// ---- asking for a link
// ---------------------------------------------------------------------------------------------------------

test("whoever has forgotten the password of a verified address gets a link for a new one", async () => {
  const { email } = await withPassword(running);
  const answer = await forgot(running, ` ${email.toUpperCase()} `.trim());
  expect([answer.status, answer.text]).toEqual([202, ""]);
  const [letter, ...others] = await lettersTo(running, email);
  expect(others).toEqual([]);
  expect(letter?.subject).toBe("Set a new password");
  expect(letter?.text).toMatch(
    /http:\/\/localhost:\d+\/api\/v1\/auth\/continuations\/password_reset\?token=svc_lnk_\w{38}\n/,
  );
  expect(letter?.text).toContain("4 hours");
});

test("an unverified address gets a verification link instead, whether it forgot its password or asks again", async () => {
  for (const ask of [(email: string) => forgot(running, email), resend]) {
    const { owner } = await world(running);
    expect((await ask(owner.email)).status).toBe(202);
    const letters = await lettersTo(running, owner.email);
    expect(letters.map(({ subject }) => subject)).toEqual(["Confirm your address"]);
    expect(letters[0]?.text).toContain("/auth/continuations/email_verification?token=svc_lnk_");
  }
});

test("an address that is verified already gets no verification link", async () => {
  const { email } = await withPassword(running);
  expect((await resend(email)).status).toBe(202);
  expect(await lettersTo(running, email)).toEqual([]);
});

test("known, unverified, just served and unknown addresses get one and the same answer, after as many round-trips", async () => {
  const verified = await withPassword(running);
  const { owner: unverified } = await world(running);
  const emails = [
    verified.email,
    unverified.email,
    verified.email,
    unverified.email,
    `${newId()}@example.com`,
    "a@b.example",
  ];
  for (const ask of [(email: string) => forgot(running, email), resend]) {
    const answers = [];
    for (const email of emails) answers.push(await ask(email));
    const [first] = answers as [(typeof answers)[0]];
    expect(first.status).toBe(202);
    for (const answer of answers) {
      expect(shown(answer)).toEqual(shown(first));
      expect(answer.trips).toBe(first.trips);
    }
  }
});

test("asking leaves as many jobs, audit rows and events behind for an unknown address as for a known one", async () => {
  const traces = `select (select count(*) from audit_log)::int as audited,
    (select count(*) from domain_events)::int as events`;
  const jobs = "select count(*)::int as n from graphile_worker.jobs";
  const admin = new pg.Client(running.databaseUrl);
  await admin.connect();
  const count = async () => {
    const [rows, queued] = [await admin.query(traces), await admin.query(jobs)];
    return [rows.rows[0].audited, rows.rows[0].events, queued.rows[0].n];
  };
  try {
    const { email } = await withPassword(running);
    const steps = [];
    for (const address of [email, `${newId()}@example.com`, email]) {
      const before = await count();
      await forgot(running, address);
      steps.push((await count()).map((value, at) => value - before[at]));
    }
    expect(steps).toEqual([
      [1, 0, 1],
      [1, 0, 1],
      [1, 0, 1],
    ]);
  } finally {
    await admin.end();
  }
});

test("what was queued for an unknown address is thrown away, and nothing is sent", async () => {
  const [unknown, { owner }] = [`${newId()}@example.com`, await world(working)];
  const admin = new pg.Client(working.databaseUrl);
  await admin.connect();
  try {
    for (const email of [unknown, owner.email]) expect((await forgot(working, email)).status).toBe(202);
    const letters = "select from graphile_worker.jobs where task_identifier in ('discard_mail', 'send_mail')";
    const queued = async () => (await admin.query(letters)).rows;
    await eventually(async () => expect(await queued()).toEqual([]));
    const sent = (await admin.query("select from mail_outbox")).rowCount;
    expect([sent, (await lettersTo(working, owner.email)).length]).toEqual([1, 1]);
  } finally {
    await admin.end();
  }
});

test("nobody's mailbox is flooded: one letter of a kind a minute, also when 20 ask at once", async () => {
  const { email, userId } = await withPassword(running);
  await many(20, () => forgot(running, email));
  expect(await lettersTo(running, email)).toHaveLength(1);
  await running.sql("update email_links set created_at = now() - interval '59 seconds' where user_id = $1", [userId]);
  await forgot(running, email);
  expect(await lettersTo(running, email)).toHaveLength(1);
  await running.sql("update email_links set created_at = now() - interval '60 seconds' where user_id = $1", [userId]);
  await forgot(running, email);
  expect(await lettersTo(running, email)).toHaveLength(2);
});

test("an address from which too many letters are asked for has to wait, whoever they are for", async () => {
  const ask = () => limited.send("POST", "/auth/password/forgot", { body: { email: `${newId()}@example.com` } });
  const answers = [await ask(), await ask(), await ask(), await ask()];
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 429]);
  expect(Number(answers[3]?.headers.get("retry-after"))).toBeGreaterThan(0);
});

test("nothing that a person chose gets into a letter but the address it is sent to", async () => {
  const name = "Eve <img src=x> visit https://evil.example";
  const body = { email: `${newId()}@example.com`, password, display_name: name };
  expect((await running.send("POST", "/auth/register", { body })).status).toBe(201);
  for (const { subject, text, html } of await lettersTo(running, body.email)) {
    for (const part of [subject, text, html]) expect(part).not.toMatch(/evil\.example|<img/);
  }
  const lines = ["Eve\r\nBcc: all@example.com", "Eve\nSubject: hello", "Eve\u0000", "Eve\u0085"];
  for (const display_name of lines) {
    const refused = await running.send("POST", "/auth/register", { body: { ...body, display_name } });
    expect([refused.status, refused.body.errors[0].pointer]).toEqual([400, "/body/display_name"]);
  }
});

test("an address that would add a header or a second recipient is none", async () => {
  const wrong = [
    "a@example.com\r\nBcc: b@example.com",
    "a@example.com, b@example.com",
    "a@example.com\n",
    "<a@example.com>",
    "a b@example.com",
  ];
  for (const email of wrong) {
    for (const path of ["/auth/password/forgot", "/auth/email/resend-verification"]) {
      const answer = await running.send("POST", path, { body: { email } });
      expect([answer.status, answer.body.errors[0].pointer], email).toEqual([400, "/body/email"]);
    }
  }
});

// ---- resetting
// -----------------------------------------------------------------------------------------------------------------

test("a reset sets the password, ends sessions, grants and API tokens, tells the owner and signs nobody in", async () => {
  const person = await withPassword(running);
  const kinds = await everyKind(running, person);
  expect(await kinds.live()).toEqual(ALL_LIVE);
  const answer = await reset(await resetToken(running, person.email));
  expect([answer.status, answer.text, answer.cookies]).toEqual([204, "", []]);
  expect(await kinds.live()).toEqual(NONE_LIVE);
  expect((await person.call("GET", "/me")).status).toBe(401);
  expect((await signIn(running, person.email)).status).toBe(401);
  expect((await signIn(running, person.email, next)).status).toBe(200);
  const letter = (await lettersTo(running, person.email)).at(-1);
  expect(letter?.subject).toBe("Your password was changed");
  expect(letter?.text).toContain("Your API tokens were revoked");
  expect(await eventsOf(person.userId)).toContain("account.password_reset");
  expect(answer.trips).toBeLessThanOrEqual(5);
});

test("an API token that is being made while the password is reset is either revoked or not made at all", async () => {
  const person = await withPassword(running);
  const token = await resetToken(running, person.email);
  const body = { name: "Script", scopes: ["svc:read"] };
  const hold = ["select from users where id = $1 for no key update", person.userId] as [string, ...unknown[]];
  const [, ...made] = await overlapping(running, hold, 4, () =>
    Promise.all([reset(token), ...Array.from({ length: 3 }, () => person.call("POST", "/me/api-tokens", { body }))]),
  );
  for (const { status } of made) expect([201, 401]).toContain(status);
  const live = "select from credentials where user_id = $1 and revoked_at is null";
  expect(await running.sql(live, [person.userId])).toEqual([]);
});

test("a session that is being opened while the password is reset is ended as well", async () => {
  const person = await withPassword(running);
  const token = await resetToken(running, person.email);
  const secret = newSecret("ses");
  // As every sign-in does: it holds the account, and its session comes to be before the reset goes on.
  const signingIn = `with held as (select id from users where id = $1 for share)
    insert into credentials (id, kind, secret_hash, user_id, expires_at)
    select $2, 'session', $3, held.id, now() + interval '1 day' from held`;
  const hold = [signingIn, person.userId, newId(), sha256(secret)] as [string, ...unknown[]];
  const answer = await overlapping(running, hold, 1, () => reset(token));
  expect(answer.status).toBe(204);
  expect((await asSession(running, secret)("GET", "/me")).status).toBe(401);
});

test("an account without a password gets its first one by a reset", async () => {
  const { email, userId } = await withPassword(running);
  await running.sql("update users set password_hash = null where id = $1", [userId]);
  expect((await reset(await resetToken(running, email))).status).toBe(204);
  expect((await signIn(running, email, next)).status).toBe(200);
});

test("a reset link works once", async () => {
  const { email } = await withPassword(running);
  const token = await resetToken(running, email);
  expect((await reset(token)).status).toBe(204);
  const again = await reset(token, "a third password 77");
  expect([again.status, again.body.code]).toEqual([400, "invalid_link"]);
  expect((await signIn(running, email, next)).status).toBe(200);
});

test("of 50 resets with one link at the same time exactly one wins", async () => {
  const { email } = await withPassword(running);
  const token = await resetToken(running, email);
  const passwords = Array.from({ length: 50 }, (_, at) => `vellum-lantern-${at}-quartz`);
  const answers = await many(50, (at) => reset(token, passwords[at]));
  const winners = answers.flatMap(({ status }, at) => (status === 204 ? [at] : []));
  expect(winners).toHaveLength(1);
  expect(answers.filter(({ body }) => body?.code === "invalid_link")).toHaveLength(49);
  expect((await signIn(running, email, passwords[winners[0] as number])).status).toBe(200);
  expect((await lettersTo(running, email)).filter(({ subject }) => subject.includes("was changed"))).toHaveLength(1);
});

test("a reset link is good for four hours and not for a second more", async () => {
  const { email } = await withPassword(running);
  const token = await resetToken(running, email);
  const [row] = await running.sql<{ hours: number }>(
    "select extract(epoch from expires_at - created_at)::float8 / 3600 as hours from email_links where email = $1",
    [email],
  );
  expect(row?.hours).toBe(4);
  await setLink(running, token, "expires_at = now() - interval '1 second'");
  expect((await reset(token)).body.code).toBe("invalid_link");
  await setLink(running, token, "expires_at = now()");
  expect((await reset(token)).body.code).toBe("invalid_link");
  await setLink(running, token, "expires_at = now() + interval '10 seconds'");
  expect((await reset(token)).status).toBe(204);
});

test("a new link takes the place of the one before", async () => {
  const { email, userId } = await withPassword(running);
  const first = await resetToken(running, email);
  await aMinuteLater(userId);
  const second = await resetToken(running, email);
  expect(second).not.toBe(first);
  expect((await reset(first)).body.code).toBe("invalid_link");
  expect((await reset(second)).status).toBe(204);
});

test("a link of another kind, one that nobody was sent, and what is no link at all reset nothing", async () => {
  const { email, userId } = await withPassword(running);
  await running.sql("update users set email_verified_at = null, email_proved_at = null where id = $1", [userId]);
  await resend(email);
  const verification = await tokenTo(running, email);
  for (const token of [verification, newSecret("lnk"), newSecret("ses"), "x", "'; drop table users; --", "%00"])
    expect((await reset(token)).body.code).toBe("invalid_link");
  expect((await signIn(running, email)).status).toBe(200);
});

test("a link that was sent to a former address of the account is worth nothing", async () => {
  const { email, userId } = await withPassword(running);
  const token = await resetToken(running, email);
  await running.sql("update users set email = $2 where id = $1", [userId, `${newId()}@example.com`]);
  expect((await reset(token)).body.code).toBe("invalid_link");
});

test("a password that is refused does not use up the link", async () => {
  const { email } = await withPassword(running);
  const token = await resetToken(running, email);
  for (const [wrong, status, code] of [
    ["elevenchars", 400, "invalid_request"],
    [`${"x7".repeat(64)}y`, 400, "invalid_request"],
    ["a1".repeat(500_000), 400, "invalid_request"],
    ["a1".repeat(2_500_000), 413, "payload_too_large"],
    ["QWERTYQWERTY", 422, "password_breached"],
    [email, 422, "password_breached"],
  ] as const) {
    const answer = await reset(token, wrong);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    if (status !== 413) expect(answer.body.errors[0].pointer).toBe("/body/new_password");
  }
  expect((await reset(token, "x7".repeat(64))).status).toBe(204);
  expect((await signIn(running, email, "x7".repeat(64))).status).toBe(200);
});
