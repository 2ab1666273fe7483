// Another address for the account: asked for with the password, changed by proof, and nobody learns who else has it.
import { expect, test } from "vitest";
import { many, password, resetToken, setLink, shown, signIn, tokenTo, withPassword } from "../../../test/letters.ts";
import { lettersTo } from "../../../test/mailbox.ts";
import { newKey, type Options, type Person, service, world } from "../../../test/world.ts";
import { newId, newSecret } from "../../platform/wire/ids.ts";
import { defaultRates } from "../../platform/wire/limits/rate-limit.ts";

const running = service({});
const limited = service({ rateLimits: { ...defaultRates, mail: { requests: 3, seconds: 600 } } });
const NIL = "00000000-0000-0000-0000-000000000000";
const address = () => `${newId()}@example.com`;
const ask = (person: Person, email: string, current_password: string | undefined = password, options: Options = {}) =>
  person.call("POST", "/me/email-change", { body: { email, current_password }, ...options });
const verify = (person: Person, token: string, options: Options = {}) =>
  person.call("POST", "/me/email-change/verify", { body: { token }, ...options });
async function asked(person: Person, email = address()) {
  expect((await ask(person, email)).status).toBe(202);
  return { email, token: await tokenTo(running, email) };
}
const emailOf = async (person: Person) => (await person.call("GET", "/me")).body.email;

test("the new address gets a link, the present one a notice, and the account changes only by proof", async () => {
  const person = await withPassword(running);
  const next = address();
  const answer = await ask(person, next.toUpperCase());
  expect([answer.status, answer.text]).toEqual([202, ""]);
  expect(answer.trips).toBeLessThanOrEqual(5);
  const subjects = async (to: string) => (await lettersTo(running, to)).map(({ subject }) => subject);
  expect(await subjects(next)).toEqual(["Confirm your new address"]);
  expect(await subjects(person.email)).toEqual(["A new address was asked for"]);
  expect((await lettersTo(running, person.email))[0]?.text).toContain(next);
  expect((await lettersTo(running, next))[0]?.text).not.toContain(person.email);
  expect(await emailOf(person)).toBe(person.email);
  const changed = await verify(person, await tokenTo(running, next));
  expect(changed.status).toBe(200);
  expect(changed.body).toMatchObject({ id: person.userId, email: next, email_verified: true, revision: "2" });
  expect((await person.call("GET", "/me")).body).toEqual(changed.body);
  expect(await subjects(person.email)).toEqual(["A new address was asked for", "Your address was changed"]);
  expect((await signIn(running, next)).status).toBe(200);
  expect((await signIn(running, person.email)).status).toBe(401);
  const events = await running.sql<{ type: string }>(
    "select type from domain_events where user_id = $1 order by id",
    [person.userId],
    NIL,
  );
  expect(events.map(({ type }) => type)).toEqual(
    expect.arrayContaining(["account.email_change_requested", "account.email_changed"]),
  );
});

test("asking for an address that belongs to somebody else answers the same and sends the same letters", async () => {
  const [person, twin, other] = [await withPassword(running), await withPassword(running), await withPassword(running)];
  const free = address();
  const [taken, untaken] = [await ask(person, other.email), await ask(twin, free)];
  expect(shown(taken)).toEqual(shown(untaken));
  expect(taken.trips).toBe(untaken.trips);
  for (const email of [other.email, free])
    expect((await lettersTo(running, email)).map(({ subject }) => subject)).toEqual(["Confirm your new address"]);
});

test("whoever has proved the address learns that it is taken, and the link stays for when it is free", async () => {
  const [person, other] = [await withPassword(running), await withPassword(running)];
  const { token } = await asked(person, other.email);
  const taken = await verify(person, token);
  expect([taken.status, taken.body.code]).toEqual([409, "email_taken"]);
  expect(await emailOf(person)).toBe(person.email);
  await running.sql("update users set email = $2 where id = $1", [other.userId, address()]);
  expect((await verify(person, token)).status).toBe(200);
});

test("of two accounts that prove one address at the same time one gets it", async () => {
  const [person, twin] = [await withPassword(running), await withPassword(running)];
  const email = address();
  const { token } = await asked(person, email);
  const { token: second } = await asked(twin, email);
  const answers = await Promise.all([verify(person, token), verify(twin, second)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(answers.find(({ status }) => status === 409)?.body.code).toBe("email_taken");
});

test("without the right password nothing is sent; an account without one needs a recent sign-in", async () => {
  const person = await withPassword(running);
  const email = address();
  for (const wrong of ["", `${password} `, "x".repeat(1024)])
    expect((await ask(person, email, wrong)).body.code).toBe("invalid_credentials");
  const without = await person.call("POST", "/me/email-change", { body: { email } });
  expect([without.status, without.body.code]).toEqual([401, "invalid_credentials"]);
  expect(await lettersTo(running, email)).toEqual([]);
  const { owner } = await world(running);
  const bare = (to: string) => owner.call("POST", "/me/email-change", { body: { email: to } });
  expect((await bare(email)).status).toBe(202);
  await running.sql(
    "update credentials set authenticated_at = now() - interval '15 minutes' where user_id = $1 and kind = 'session'",
    [owner.userId],
  );
  const late = await bare(address());
  expect([late.status, late.body.code]).toEqual([403, "recent_authentication_required"]);
});

test("the address that the account has already, and what is no address, are 400", async () => {
  const person = await withPassword(running);
  for (const email of [person.email, person.email.toUpperCase(), "a@b\r\nBcc: c@d.example", "nobody", ""]) {
    const answer = await ask(person, email);
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, "/body/email"]);
  }
});

test("a change link works once, for its own account, for four hours, until the next", async () => {
  const [person, other] = [await withPassword(running), await withPassword(running)];
  const { token: replaced } = await asked(person);
  const { token, email } = await asked(person);
  for (const [who, sent] of [
    [person, replaced],
    [other, token],
    [person, newSecret("lnk")],
    [person, "x"],
    [person, await resetToken(running, person.email)],
  ] as const)
    expect((await verify(who, sent)).body.code).toBe("invalid_link");
  const [row] = await running.sql<{ hours: number }>(
    "select extract(epoch from expires_at - created_at)::float8 / 3600 as hours from email_links where email = $1",
    [email],
  );
  expect(row?.hours).toBe(4);
  await setLink(running, token, "expires_at = now() - interval '1 second'");
  expect((await verify(person, token)).body.code).toBe("invalid_link");
  await setLink(running, token, "expires_at = now() + interval '10 seconds'");
  expect((await verify(person, token)).status).toBe(200);
  expect((await verify(person, token)).body.code).toBe("invalid_link");
});

test("of 50 who verify one link at the same time exactly one changes the address", async () => {
  const person = await withPassword(running);
  const { token } = await asked(person);
  const answers = await many(50, () => verify(person, token));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ body }) => body.code === "invalid_link")).toHaveLength(49);
});

test("a change link of a stale revision, and a replay with its key, are told apart", async () => {
  const person = await withPassword(running);
  const { token } = await asked(person);
  expect((await verify(person, token, { ifMatch: "7" })).body.code).toBe("revision_conflict");
  const key = newKey();
  const first = await verify(person, token, { ifMatch: "1", key });
  const again = await verify(person, token, { ifMatch: "1", key });
  expect([first.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([200, first.text, "true"]);
});

test("after the change no link to the former address opens the account", async () => {
  const person = await withPassword(running);
  const { token } = await asked(person);
  const reset = await resetToken(running, person.email);
  await verify(person, token);
  const body = { token: reset, new_password: "vellum-lantern-48-quartz" };
  expect((await running.send("POST", "/auth/password/reset", { body })).body.code).toBe("invalid_link");
});

test("letters to a new address are limited for the account and for the mailbox", async () => {
  const person = await withPassword(limited);
  const email = address();
  const times = async (who: Person, to: () => string, n: number) => {
    const statuses = [];
    for (let at = 0; at < n; at++) statuses.push((await ask(who, to())).status);
    return statuses;
  };
  expect(await times(person, address, 4)).toEqual([202, 202, 202, 429]);
  const others = await Promise.all([1, 2, 3, 4].map(() => withPassword(limited)));
  const statuses = [];
  for (const other of others) statuses.push((await ask(other, email)).status);
  expect(statuses).toEqual([202, 202, 202, 429]);
});
