// The identities of an account: listed, linked through a real OpenID provider, and removed while another way in is
// left.
import { afterAll, describe, expect, test } from "vitest";
import type { Answer } from "../../../test/answer.ts";
import { lettersTo } from "../../../test/mailbox.ts";
import {
  type Away,
  awayIn,
  comeBack,
  logIn,
  type Name,
  openIdProviders,
  signInWith,
} from "../../../test/openid-provider.ts";
import { newKey, type Person, service, sessionHeaders, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const openId = await openIdProviders();
afterAll(() => openId.stop());
const running = service({ providers: openId.config });

const FAILED = "/login?error=authentication_failed";
const TAKEN = "/error?error=identity_taken";
const locationOf = (answer: Answer) => answer.headers.get("location");
const someone = (name: Name = "google", email_verified = true) =>
  openId[name].person({ email: `${newId()}@example.com`, email_verified });
const newPerson = async () => (await world(running)).owner;

async function begin(person: Person, provider: Name, return_to?: string): Promise<Away> {
  const answer = await person.call("POST", "/me/identities", { body: { provider, return_to } });
  expect(answer.status).toBe(200);
  return awayIn(answer, answer.body.authorization_url);
}
/** A form from another site brings the mark along and not the session. */
const cookiesOf = (person: Person, name: Name, away: Away) =>
  name === "apple" ? away.cookie : `${away.cookie}; ${sessionHeaders(person.session).cookie}`;
async function link(person: Person, name: Name, subject: string, return_to?: string): Promise<Answer> {
  const away = await begin(person, name, return_to);
  return comeBack(running, name, await logIn(away, subject), cookiesOf(person, name, away));
}
const listed = async (person: Person) => (await person.call("GET", "/me/identities")).body.items;
const setPassword = (person: Person) =>
  running.sql("update users set password_hash = 'x' where id = $1", [person.userId]);

describe("linking", () => {
  for (const name of ["google", "microsoft", "apple"] as const)
    test(`an identity of ${name} lets its holder in from then on, and the account is told`, async () => {
      const person = await newPerson();
      const subject = someone(name, false);
      const answer = await link(person, name, subject, "/workspaces/acme?a#b");
      expect([answer.status, locationOf(answer), answer.cookies]).toEqual([302, "/workspaces/acme?a#b", []]);
      const [identity] = await listed(person);
      const { email } = openId[name].people.get(subject) as { email: string };
      expect(identity).toMatchObject({ provider: name, email, last_used_at: null });
      expect(await lettersTo(running, person.email)).toHaveLength(1);
      const entered = await signInWith(running, name, subject);
      expect(locationOf(entered)).toBe("/");
      const [{ last_used_at }] = await listed(person);
      expect(Date.parse(last_used_at)).toBeGreaterThanOrEqual(Date.parse(identity.created_at));
    });

  test("without a place to return to leads to the page of the account's security", async () => {
    const person = await newPerson();
    expect(locationOf(await link(person, "google", someone(), "https://evil.example"))).toBe("/security");
  });

  test("the same one again changes nothing", async () => {
    const person = await newPerson();
    const subject = someone();
    const [one, other] = [await begin(person, "google"), await begin(person, "google")];
    for (const away of [one, other])
      expect(
        locationOf(await comeBack(running, "google", await logIn(away, subject), cookiesOf(person, "google", away))),
      ).toBe("/security");
    expect(await listed(person)).toHaveLength(1);
    expect(await lettersTo(running, person.email)).toHaveLength(1);
  });

  test("one that belongs to somebody else is refused, and stays where it is", async () => {
    const [owner, other] = [await newPerson(), await newPerson()];
    const subject = someone();
    expect(locationOf(await link(owner, "google", subject))).toBe("/security");
    expect(locationOf(await link(other, "google", subject))).toBe(TAKEN);
    expect([(await listed(owner)).length, (await listed(other)).length]).toEqual([1, 0]);
  });

  test("an account has one identity of each provider", async () => {
    const person = await newPerson();
    const late = await begin(person, "google");
    expect(locationOf(await link(person, "google", someone()))).toBe("/security");
    const again = await person.call("POST", "/me/identities", { body: { provider: "google" } });
    expect([again.status, again.body.code]).toEqual([409, "identity_taken"]);
    const answer = await comeBack(running, "google", await logIn(late, someone()), cookiesOf(person, "google", late));
    expect(locationOf(answer)).toBe(TAKEN);
    expect(locationOf(await link(person, "microsoft", someone("microsoft")))).toBe("/security");
    expect((await listed(person)).map(({ provider }: { provider: string }) => provider)).toEqual([
      "microsoft",
      "google",
    ]);
  });

  test("of one identity by ten people at once, one has it", async () => {
    const subject = someone();
    const people = await Promise.all(Array.from({ length: 10 }, newPerson));
    const answers = await Promise.all(people.map((person) => link(person, "google", subject)));
    expect(answers.map(locationOf).sort()).toEqual([...Array(9).fill(TAKEN), "/security"]);
  });

  test("the browser must come back as the one who began: not signed out, not as somebody else, not without its mark", async () => {
    const [person, other] = [await newPerson(), await newPerson()];
    const cases: [Name, (away: Away) => string][] = [
      ["google", (away) => away.cookie],
      ["google", (away) => cookiesOf(other, "google", away)],
      ["google", () => sessionHeaders(person.session).cookie],
      ["apple", (away) => cookiesOf(other, "google", away)],
      ["apple", () => sessionHeaders(person.session).cookie],
      ["apple", () => ""],
    ];
    for (const [name, cookies] of cases) {
      const away = await begin(person, name);
      const answer = await comeBack(running, name, await logIn(away, someone(name)), cookies(away));
      expect([locationOf(answer), answer.cookies]).toEqual([FAILED, []]);
    }
    const [google, apple] = [await begin(person, "google"), await begin(person, "apple")];
    const sent = [await logIn(google, someone()), await logIn(apple, someone("apple"))] as const;
    expect((await person.call("POST", "/auth/logout")).status).toBe(204);
    expect(locationOf(await comeBack(running, "google", sent[0], cookiesOf(person, "google", google)))).toBe(FAILED);
    expect(locationOf(await comeBack(running, "apple", sent[1], apple.cookie))).toBe(FAILED);
    expect(
      await running.sql("select from identities where user_id = any($1)", [[person.userId, other.userId]]),
    ).toEqual([]);
  });

  test("the way back works once, and never signs in", async () => {
    const person = await newPerson();
    const away = await begin(person, "google");
    const subject = someone();
    const sent = await logIn(away, subject);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => comeBack(running, "google", sent, cookiesOf(person, "google", away))),
    );
    expect(answers.filter((answer) => locationOf(answer) === "/security")).toHaveLength(1);
    expect(answers.flatMap(({ cookies }) => cookies)).toEqual([]);
  });

  test("a repeated key gets the same address again", async () => {
    const person = await newPerson();
    const [key, body] = [newKey(), { provider: "google" }];
    const [first, again] = [1, 2].map(() => person.call("POST", "/me/identities", { body, key }));
    const answers = [await first, await again];
    expect(answers[1]?.text).toBe(answers[0]?.text);
    expect(await running.sql("select from provider_requests where user_id = $1", [person.userId])).toHaveLength(1);
    const kept = await running.sql<{ body: string }>("select body from idempotency_keys where principal_id = $1", [
      person.userId,
    ]);
    expect(kept.map((row) => row.body).join()).not.toContain("state");
  });
});

describe("removing", () => {
  test("takes it away at once", async () => {
    const person = await newPerson();
    const subject = someone("google", false);
    await link(person, "google", subject);
    await setPassword(person);
    const [{ id }] = await listed(person);
    expect((await person.call("DELETE", `/me/identities/${id}`)).status).toBe(204);
    expect(await listed(person)).toEqual([]);
    expect(locationOf(await signInWith(running, "google", subject))).toBe(FAILED);
    expect((await person.call("DELETE", `/me/identities/${id}`)).status).toBe(404);
  });

  test("the last way to sign in stays", async () => {
    const person = await newPerson();
    await link(person, "google", someone());
    const [{ id }] = await listed(person);
    const answer = await person.call("DELETE", `/me/identities/${id}`);
    expect([answer.status, answer.body.code]).toEqual([409, "last_sign_in_method"]);
    await link(person, "apple", someone("apple"));
    expect((await person.call("DELETE", `/me/identities/${id}`)).status).toBe(204);
    const [rest] = await listed(person);
    expect((await person.call("DELETE", `/me/identities/${rest.id}`)).status).toBe(409);
  });

  test("of three at once leaves one", async () => {
    const person = await newPerson();
    for (const name of ["google", "microsoft", "apple"] as const) await link(person, name, someone(name));
    const all: { id: string }[] = await listed(person);
    const answers = await Promise.all(all.map(({ id }) => person.call("DELETE", `/me/identities/${id}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 204, 409]);
    expect(await listed(person)).toHaveLength(1);
  });

  test("the same one twice at once removes it once", async () => {
    const person = await newPerson();
    await link(person, "google", someone());
    await setPassword(person);
    const [{ id }] = await listed(person);
    const answers = await Promise.all([1, 2, 3].map(() => person.call("DELETE", `/me/identities/${id}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404]);
  });

  test("somebody else's is not found", async () => {
    const [person, other] = [await newPerson(), await newPerson()];
    await link(person, "google", someone());
    const [{ id }] = await listed(person);
    expect((await other.call("DELETE", `/me/identities/${id}`)).status).toBe(404);
    expect(await listed(other)).toEqual([]);
  });
});
