// Through a provider and back: who may, in which browser, how often and how long, and what counts of what comes back.
import { createHash, generateKeyPairSync } from "node:crypto";
import { Writable } from "node:stream";
import { afterAll, describe, expect, test } from "vitest";
import type { Answer } from "../../../test/answer.ts";
import { type AskedOf, standIn } from "../../../test/providers/stand-in.ts";
import { type Person, service, sessionHeaders, type World, world } from "../../../test/world.ts";
import { insertSession } from "../../accounts/identity/store.ts";
import { createLog } from "../../platform/wire/log.ts";

const provider = await standIn();
afterAll(() => provider.close());
const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});
const client = { url: provider.origin, client_id: "client", client_secret: "a-client-secret" };
const apps = {
  gitlab: client,
  github: { ...client, app_id: "7", slug: "svc", private_key: privateKey, webhook_secret: "hook" },
};
const written: string[] = [];
const log = createLog(
  "debug",
  new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      done();
    },
  }),
);
const running = service({ apps }, { log });

/** Somebody at the provider, whose code is their name. */
const people = new Map<string, { id: number; username: string }>();
let last = 100;
function someone() {
  const made = { id: ++last, username: `octo-${last}` };
  people.set(made.username, made);
  return made;
}
const formOf = ({ body }: AskedOf) => new URLSearchParams(String(body));
const bearerOf = ({ headers }: AskedOf) => String(headers.authorization).replace("Bearer token-of-", "");
const challenges = new Map<string, string>();
const tokens = (asked: AskedOf) => {
  const form = formOf(asked);
  const [code, proof] = [form.get("code") ?? "", form.get("code_verifier") ?? ""];
  const isProved = createHash("sha256").update(proof).digest("base64url") === challenges.get(code);
  if (!people.has(code) || !isProved || form.get("client_secret") !== client.client_secret) return { error: "no" };
  return { access_token: `token-of-${code}`, refresh_token: `refresh-of-${code}`, expires_in: 7200 };
};
provider.on("POST /oauth/token", tokens);
provider.on("GET /api/v4/user", (asked: AskedOf) => {
  const { id, username } = people.get(bearerOf(asked)) ?? someone();
  return { id, username, web_url: `${provider.origin}/${username}` };
});
provider.on("POST /login/oauth/access_token", (asked: AskedOf) => {
  const code = formOf(asked).get("code") ?? "";
  return people.has(code) ? { access_token: `token-of-${code}` } : { error: "bad_verification_code" };
});
provider.on("GET /api/v3/user", (asked: AskedOf) => {
  const { id, username } = people.get(bearerOf(asked)) ?? someone();
  return { id, login: username };
});
provider.on("GET /api/v3/user/installations", (asked: AskedOf) => ({
  installations: [
    { id: 1000 + (people.get(bearerOf(asked))?.id ?? 0), account: { login: "acme" }, html_url: "https://github.com/x" },
  ],
}));

const seen = { repositories: [{ id: 9, full_name: "acme/site", html_url: "https://github.com/acme/site" }] };
for (let id = 1000; id < 1200; id++) provider.on(`GET /api/v3/user/installations/${id}/repositories`, seen);

const at = ({ workspaceId }: World) => `/workspaces/${workspaceId}/integration-authorizations`;
const begin = (person: Person, home: World, body: object = {}) =>
  person.call("POST", at(home), {
    body: { provider_key: "gitlab", purpose: "installation", return_path: "/workspaces/acme", ...body },
  });
const stateIn = (answer: Answer) => new URL(answer.body.authorize_url).searchParams.get("state") ?? "";
/** As the provider sends the browser back. */
const back = (cookie: string | null, query: Record<string, string>) =>
  running.send("GET", `/integration-authorizations/callback?${new URLSearchParams(query)}`, {
    headers: cookie === null ? {} : { cookie },
  });
const cookieOf = ({ session }: Pick<Person, "session">) => sessionHeaders(session).cookie as string;
const placeOf = ({ status, headers }: Answer) => [status, headers.get("location")];
const CONNECTED = [302, "/workspaces/acme?integration=connected"];
const FAILED = [302, "/workspaces/acme?integration=failed"];
const NOWHERE = [302, "/?integration=failed"];
async function trip(
  person: Person,
  home: World,
  body: object = {},
  who = someone(),
  more: Record<string, string> = {},
) {
  const begun = await begin(person, home, body);
  expect(begun.status).toBe(200);
  challenges.set(who.username, new URL(begun.body.authorize_url).searchParams.get("code_challenge") ?? "");
  return back(cookieOf(person), { state: stateIn(begun), code: who.username, ...more });
}
const installationsOf = async (home: World) =>
  (await home.owner.call("GET", `/workspaces/${home.workspaceId}/integration-installations`)).body.items;
const identitiesOf = async (person: Person) => (await person.call("GET", "/me/integration-identities")).body.items;

describe("through a provider and back", () => {
  test("connects the Workspace with the account of whoever authorised it, and links who they are there", async () => {
    const home = await world(running);
    const begun = await begin(home.owner, home);
    const url = new URL(begun.body.authorize_url);
    expect(url.origin + url.pathname).toBe(`${provider.origin}/oauth/authorize`);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: "client",
      response_type: "code",
      code_challenge_method: "S256",
      scope: "api",
      redirect_uri: `${running.url}/api/v1/integration-authorizations/callback`,
    });
    const inSeconds = (Date.parse(begun.body.expires_at) - Date.now()) / 1000;
    expect([inSeconds > 500, inSeconds < 700]).toEqual([true, true]);
    const who = someone();
    expect(placeOf(await trip(home.owner, home, {}, who))).toEqual(CONNECTED);
    const [made] = await installationsOf(home);
    expect(made).toMatchObject({ provider_key: "gitlab", account_name: who.username, state: "active" });
    const [identity] = await identitiesOf(home.owner);
    expect(identity).toMatchObject({ provider_key: "gitlab", external_id: String(who.id), name: who.username });
    const sql = "select sealed_credential from integration_installations where id = $1";
    const [row] = await running.sql<{ sealed_credential: string }>(sql, [made.id], home.workspaceId);
    expect(row?.sealed_credential).not.toContain(who.username);
    const link = await home.owner.call("POST", `/integration-installations/${made.id}/management-link`);
    expect(link.body.url).toBe(`${provider.origin}/-/user_settings/applications`);
  });

  test("the same account again replaces its credential, and is no second connection", async () => {
    const home = await world(running);
    const who = someone();
    for (const _time of [1, 2]) expect(placeOf(await trip(home.owner, home, {}, who))).toEqual(CONNECTED);
    expect((await installationsOf(home)).map(({ revision }: { revision: string }) => revision)).toEqual(["2"]);
  });

  test("in another browser, in another session and without one it is worth nothing, and is used up", async () => {
    const home = await world(running);
    const admin = await home.member("admin");
    const other = await running.database.writer.use((tx) =>
      insertSession(tx, home.owner.userId, home.workspaceId, true),
    );
    const who = someone();
    for (const cookie of [cookieOf(admin), cookieOf({ session: other }), null]) {
      const begun = await begin(home.owner, home);
      challenges.set(who.username, new URL(begun.body.authorize_url).searchParams.get("code_challenge") ?? "");
      const query = { state: stateIn(begun), code: who.username };
      expect(placeOf(await back(cookie, query))).toEqual(NOWHERE);
      expect(placeOf(await back(cookieOf(home.owner), query)), "the thief has used it up").toEqual(NOWHERE);
    }
    expect(await installationsOf(home)).toEqual([]);
  });

  test("the way back works once, however many come at once", async () => {
    const home = await world(running);
    const who = someone();
    const begun = await begin(home.owner, home);
    challenges.set(who.username, new URL(begun.body.authorize_url).searchParams.get("code_challenge") ?? "");
    const query = { state: stateIn(begun), code: who.username };
    const answers = await Promise.all(Array.from({ length: 10 }, () => back(cookieOf(home.owner), query)));
    const places = answers.map((answer) => placeOf(answer)[1]);
    expect(places.filter((place) => place === CONNECTED[1])).toHaveLength(1);
    expect(places.filter((place) => place === NOWHERE[1])).toHaveLength(9);
    expect(await installationsOf(home)).toHaveLength(1);
  });

  test("after ten minutes, with a state that was never given out, and without one, it leads nowhere", async () => {
    const home = await world(running);
    const begun = await begin(home.owner, home);
    await running.sql("update provider_requests set expires_at = now() where user_id = $1", [home.owner.userId]);
    for (const state of [stateIn(begun), "x".repeat(43), "x"])
      expect(placeOf(await back(cookieOf(home.owner), { state, code: "x" }))).toEqual(NOWHERE);
    expect((await back(cookieOf(home.owner), { code: "x" })).status).toBe(400);
  });

  test("whatever goes wrong there, it leads back without saying why, and nothing is kept", async () => {
    const home = await world(running);
    const who = someone();
    const begun = await begin(home.owner, home);
    const denied = { state: stateIn(begun), error: "access_denied", error_description: "because" };
    expect(placeOf(await back(cookieOf(home.owner), denied))).toEqual(FAILED);
    const unknown = await begin(home.owner, home);
    expect(placeOf(await back(cookieOf(home.owner), { state: stateIn(unknown), code: "nobody" }))).toEqual(FAILED);
    for (const way of [
      "reset",
      "cut",
      "html",
      "wrong",
      "huge",
      { status: 500 },
      { status: 429 },
      { status: 302 },
    ] as const) {
      provider.fail(way);
      expect(placeOf(await trip(home.owner, home, {}, who)), String(way)).toEqual(FAILED);
    }
    expect([await installationsOf(home), await identitiesOf(home.owner)]).toEqual([[], []]);
  });

  test("whoever may not any more when they come back connects nothing", async () => {
    const home = await world(running);
    const change = "update memberships set role = $1, state = $2 where user_id = $3";
    for (const [role, state] of [
      ["member", "active"],
      ["admin", "removed"],
    ]) {
      const [admin, who] = [await home.member("admin"), someone()];
      const begun = await begin(admin, home);
      challenges.set(who.username, new URL(begun.body.authorize_url).searchParams.get("code_challenge") ?? "");
      await running.sql(change, [role, state, admin.userId]);
      const answer = await back(cookieOf(admin), { state: stateIn(begun), code: who.username });
      expect([FAILED[1], NOWHERE[1]]).toContain(placeOf(answer)[1]);
    }
    expect(await installationsOf(home)).toEqual([]);
  });

  test("it leads to pages of ours alone", async () => {
    const home = await world(running);
    const elsewhere = [
      "//evil.example",
      "https://evil.example",
      "/\\evil.example",
      "\\\\evil.example",
      "/workspaces/../..//evil.example",
      "/workspaces/%2e%2e/x",
      "/@evil.example",
      "/api/v1/me",
      "/oauth/authorize",
      "javascript:alert(1)",
      "/workspaces/a?x=1",
      "/workspaces/a#x",
      "/workspaces/a\nLocation: x",
      " /account",
      "account",
      "/workspaces//evil.example",
    ];
    for (const return_path of elsewhere) {
      const { status, body } = await begin(home.owner, home, { return_path });
      expect([status, body.errors?.[0]?.pointer], return_path).toEqual([400, "/body/return_path"]);
    }
    expect(placeOf(await trip(home.owner, home, { return_path: undefined }))).toEqual([302, "/?integration=connected"]);
  });

  test("members link who they are, and only those who manage connect", async () => {
    const home = await world(running);
    const [member, viewer] = [await home.member("member"), await home.member("viewer")];
    for (const person of [member, viewer]) expect((await begin(person, home)).status).toBe(403);
    const who = someone();
    expect(placeOf(await trip(member, home, { purpose: "identity" }, who))).toEqual(CONNECTED);
    expect(placeOf(await trip(viewer, home, { purpose: "identity" }, who)), "somebody else's").toEqual(FAILED);
    expect(await identitiesOf(viewer)).toEqual([]);
    const other = someone();
    expect(placeOf(await trip(member, home, { purpose: "identity" }, other)), "another one in its place").toEqual(
      CONNECTED,
    );
    const [identity, ...more] = await identitiesOf(member);
    expect([identity.name, more]).toEqual([other.username, []]);
    expect((await viewer.call("DELETE", `/me/integration-identities/${identity.id}`)).status).toBe(404);
    expect((await member.call("DELETE", `/me/integration-identities/${identity.id}`)).status).toBe(204);
    expect([await identitiesOf(member), await installationsOf(home)]).toEqual([[], []]);
  });

  test("what is not registered, or has no round trip, is refused", async () => {
    const home = await world(running);
    const refused = async (body: object) => {
      const { status, body: told } = await begin(home.owner, home, body);
      return [status, told.code];
    };
    expect(await refused({ provider_key: "slack" })).toEqual([409, "integration_unavailable"]);
    expect(await refused({ provider_key: "gitea" })).toEqual([409, "authorization_unsupported"]);
    expect(await refused({ provider_key: "webhook" })).toEqual([409, "authorization_unsupported"]);
    expect(await refused({ provider_key: "nothing" })).toEqual([422, "invalid_reference"]);
  });
});

describe("an app that is installed", () => {
  const body = { provider_key: "github" };
  test("counts where the person's own token lists it", async () => {
    const home = await world(running);
    const who = someone();
    const begun = await begin(home.owner, home, body);
    const url = new URL(begun.body.authorize_url);
    expect(url.pathname).toBe("/apps/svc/installations/new");
    const installation_id = String(1000 + who.id);
    expect(placeOf(await trip(home.owner, home, body, who, { installation_id, setup_action: "install" }))).toEqual(
      CONNECTED,
    );
    expect(await installationsOf(home)).toMatchObject([{ provider_key: "github", account_name: "acme" }]);
  });

  test("an id in the address proves nothing", async () => {
    const home = await world(running);
    const [who, other] = [someone(), someone()];
    for (const installation_id of [String(1000 + other.id), "1", "../../app", ""])
      expect(placeOf(await trip(home.owner, home, body, who, { installation_id })), installation_id).toEqual(FAILED);
    expect(placeOf(await trip(home.owner, home, body, who))).toEqual(FAILED);
    expect(await installationsOf(home)).toEqual([]);
  });
});

test("no secret is in a log, an event or the audit log", async () => {
  const text = written.join("");
  expect(written.length).toBeGreaterThan(50);
  const secrets = [client.client_secret, "token-of-", "refresh-of-", "code_verifier", "BEGIN PRIVATE KEY"];
  for (const secret of secrets) expect(text).not.toContain(secret);
  const kept = `select (select string_agg(payload::text, '') from domain_events) || (select string_agg(a::text, '')
      from audit_log a) as text`;
  const [row] = await running.asOwner<{ text: string }>(kept);
  for (const secret of secrets) expect(row?.text).not.toContain(secret);
});
