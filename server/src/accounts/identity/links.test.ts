// Where the links in mails lead.
import { expect, test } from "vitest";
import { many, password, resetToken, setLink, tokenTo, withPassword } from "../../../test/letters.ts";
import { linkTo } from "../../../test/mailbox.ts";
import { service, world } from "../../../test/world.ts";
import { newId, newSecret } from "../../platform/wire/ids.ts";
import { putLink } from "./email/link-store.ts";

const running = service();
const NIL = "00000000-0000-0000-0000-000000000000";
const follow = (kind: string, token: string) =>
  running.send("GET", `/auth/continuations/${kind}?token=${encodeURIComponent(token)}`);
const leads = async (kind: string, token: string) => (await follow(kind, token)).headers.get("location");
const VERIFIED = "/verified";
/** The page claims nothing without it. */
const TOLD = ["__Host-svc_verified=1; Path=/; Secure; SameSite=Lax; Max-Age=60"];
const INVALID = "/error?code=invalid_link";

/** Somebody new with a verification link. */
async function unverified() {
  const body = { email: `${newId()}@example.com`, password, display_name: "Ada" };
  const { id } = (await running.send("POST", "/auth/register", { body })).body;
  return { userId: id as string, email: body.email, token: await tokenTo(running, body.email) };
}
const verifiedAt = async (userId: string) =>
  (await running.sql<{ at: Date | null }>("select email_verified_at as at from users where id = $1", [userId]))[0]?.at;

test("registering sends a verification link, and following it verifies the address once", async () => {
  const { userId, email, token } = await unverified();
  expect(await verifiedAt(userId)).toBeNull();
  const link = await linkTo(running, email);
  const answer = await running.send("GET", link.pathname + link.search);
  expect([answer.status, answer.headers.get("location"), answer.text]).toEqual([302, VERIFIED, ""]);
  expect(answer.cookies).toEqual(TOLD);
  expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
  const at = await verifiedAt(userId);
  expect(at).toBeInstanceOf(Date);
  const again = await follow("email_verification", token);
  expect([again.headers.get("location"), again.cookies]).toEqual([INVALID, []]);
  expect(await verifiedAt(userId)).toEqual(at);
  const events = await running.sql<{ type: string }>(
    "select type from domain_events where user_id = $1 order by id",
    [userId],
    NIL,
  );
  expect(events.map(({ type }) => type)).toEqual(["account.registered", "account.email_verified"]);
});

test("HEAD, as mail scanners send it, uses up no link and sets no cookie", async () => {
  const { userId, token } = await unverified();
  const head = (link: string) => running.send("HEAD", `/auth/continuations/email_verification?token=${link}`);
  for (let times = 0; times < 3; times++) {
    const { status, text, cookies } = await head(token);
    expect([status, text, cookies]).toEqual([302, "", []]);
  }
  expect(await verifiedAt(userId)).toBeNull();
  expect((await head(newSecret("lnk"))).headers.get("location"), "a link that is none").toBe(INVALID);
  expect(await leads("email_verification", token)).toBe(VERIFIED);
  expect((await head(token)).headers.get("location"), "a link that was used").toBe(INVALID);
});

test("of 50 who follow one verification link at the same time one verifies, and the account's revision moves by one", async () => {
  const { userId, token } = await unverified();
  const answers = await many(50, () => follow("email_verification", token));
  const places = answers.map(({ headers }) => headers.get("location"));
  expect(places.filter((place) => place === VERIFIED)).toHaveLength(1);
  expect(places.filter((place) => place === INVALID)).toHaveLength(49);
  const [row] = await running.sql<{ revision: string }>("select revision::text from users where id = $1", [userId]);
  expect(row?.revision).toBe("2");
});

test("a verification link is good for three days and not for a second more", async () => {
  const { userId, email, token } = await unverified();
  const [row] = await running.sql<{ days: number }>(
    "select extract(epoch from expires_at - created_at)::float8 / 86400 as days from email_links where email = $1",
    [email],
  );
  expect(row?.days).toBe(3);
  await setLink(running, token, "expires_at = now() - interval '1 second'");
  expect(await leads("email_verification", token)).toBe(INVALID);
  expect(await verifiedAt(userId)).toBeNull();
});

test("a verification link for a former address verifies nothing", async () => {
  const { userId, token } = await unverified();
  await running.sql("update users set email = $2 where id = $1", [userId, `${newId()}@example.com`]);
  expect(await leads("email_verification", token)).toBe(INVALID);
  expect(await verifiedAt(userId)).toBeNull();
});

test("reset and change links lead to their pages with the token in the fragment, as often as they are followed", async () => {
  const { email, userId } = await withPassword(running);
  const reset = await resetToken(running, email);
  const change = await running.database.writer.use((tx) => putLink(tx, userId, "email_change", "new@example.com"));
  for (let n = 0; n < 2; n++) {
    expect(await leads("password_reset", reset)).toBe(`/reset#token=${reset}`);
    expect(await leads("email_change", change)).toBe(`/email-change#token=${change}`);
  }
  await setLink(running, reset, "used_at = now()");
  await setLink(running, change, "expires_at = now()");
  expect(await leads("password_reset", reset)).toBe(INVALID);
  expect(await leads("email_change", change)).toBe(INVALID);
});

test("a link of one kind is none of another", async () => {
  const { email, userId } = await withPassword(running);
  const reset = await resetToken(running, email);
  const { token } = await unverified();
  expect(await leads("email_verification", reset)).toBe(INVALID);
  expect(await leads("email_change", reset)).toBe(INVALID);
  expect(await leads("password_reset", token)).toBe(INVALID);
  expect(await leads("password_reset", reset)).toBe(`/reset#token=${reset}`);
  expect(await verifiedAt(userId)).toBeInstanceOf(Date);
});

test("an invitation leads to its page, which finds out what it is worth", async () => {
  const token = newSecret("inv");
  expect(await leads("invitation", token)).toBe(`/invitation#token=${token}`);
});

test("whatever a token holds, it stays in the fragment of a page of ours", async () => {
  for (const token of ["//evil.example", "\r\nSet-Cookie: a=b", "#x", "?a=b&c=d", "</script>", "é\u2028", "%0d%0a"]) {
    for (const kind of ["invitation", "password_reset", "email_verification", "email_change"]) {
      const answer = await follow(kind, token);
      expect(answer.status).toBe(302);
      expect(answer.headers.get("location")).toMatch(
        /^\/(?:error\?code=invalid_link|invitation#token=[\w%.!~*'()-]+)$/,
      );
      expect(answer.cookies).toEqual([]);
    }
  }
});

test("a kind that does not exist is 404, a missing, empty or endless token 400", async () => {
  for (const kind of ["other", "constructor", "__proto__", "EMAIL_VERIFICATION"]) {
    const answer = await follow(kind, "x");
    expect([answer.status, answer.body.code]).toEqual([404, "not_found"]);
  }
  for (const query of ["", "?token=", `?token=${"x".repeat(201)}`]) {
    const answer = await running.send("GET", `/auth/continuations/email_verification${query}`);
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, "/query/token"]);
  }
});

test("following a link needs no session and takes no notice of one", async () => {
  const { owner } = await world(running);
  const { token, userId } = await unverified();
  const answer = await owner.call("GET", `/auth/continuations/email_verification?token=${token}`);
  expect(answer.headers.get("location")).toBe(VERIFIED);
  expect([await verifiedAt(userId), await verifiedAt(owner.userId)]).toEqual([expect.any(Date), null]);
});

test("the token is kept only as a hash", async () => {
  const { email, token } = await unverified();
  const [row] = await running.sql<{ kept: string }>(
    "select to_jsonb(l)::text as kept from email_links l where email = $1",
    [email],
  );
  expect(row?.kept).not.toContain(token.slice(8, 40));
});
