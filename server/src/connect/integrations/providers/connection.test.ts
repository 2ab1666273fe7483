// How each provider is connected, against a server that answers as it is published (test/providers/published.ts).
// GitLab and the error tracker publish no package of these answers, and are unverified.
import { createHash, createVerify, generateKeyPairSync } from "node:crypto";
import { afterAll, describe, expect, test } from "vitest";
import type { Figma, Gitea, GitHub, Slack } from "../../../../test/providers/published.ts";
import { type AskedOf, standIn } from "../../../../test/providers/stand-in.ts";
import { egressTo } from "../../../platform/outside/egress.ts";
import type { App } from "../../../platform/settings/apps-config.ts";
import type { ProviderDefinition, ProviderTokens, Purpose } from "../client/provider.ts";
import { askOf } from "../client/provider-connection.ts";
import { providerOf } from "./providers.ts";

const servers: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(servers.map((each) => each.close())));

const CLIENT = { client_id: "client", client_secret: "secret" };
const REDIRECT = "https://svc.example/callback";
async function at(key: string, table: Record<string, unknown>, own: App = CLIENT) {
  const server = await standIn(table);
  servers.push(server);
  const provider = providerOf.get(key) as ProviderDefinition;
  const app: App = { ...own, url: server.origin };
  const integrations = { egressFor: () => egressTo({ allow: [server.origin] }), apps: { [key]: app } };
  const ask = askOf({ integrations }, provider, server.origin);
  const { connection } = provider;
  const verifier = "v".repeat(43);
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  return {
    server,
    connection,
    ask: (tokens?: ProviderTokens) => ask(tokens),
    leave(purpose: Purpose) {
      const way = { base: server.origin, state: "state", challenge, redirectUri: REDIRECT, purpose };
      const url = new URL(connection.roundtrip?.authorizeUrl(app, way) ?? "");
      return { at: url.pathname, query: Object.fromEntries(url.searchParams) };
    },
    arrive: async (purpose: Purpose, named: string | null = null) =>
      connection.roundtrip?.arrive((tokens) => ask(tokens), app, {
        code: "code",
        verifier,
        redirectUri: REDIRECT,
        purpose,
        named,
      }),
    refresh: async (tokens: ProviderTokens) => connection.roundtrip?.refresh?.(ask(), app, tokens),
    revoke: async (tokens: ProviderTokens) => connection.roundtrip?.revoke?.(ask(), app, tokens),
  };
}
const formIn = (asked: AskedOf | undefined) => Object.fromEntries(new URLSearchParams(String(asked?.body)));
const S256 = { code_challenge: expect.any(String), code_challenge_method: "S256" };
const TOKENS = { access_token: "access", refresh_token: "refresh", expires_in: 3600 };
const kept = { access: "access", refresh: "refresh", expiresAt: expect.any(String) };
const repository = {
  externalId: "9",
  kind: "repository",
  name: "acme/site",
  url: "https://x.example/acme/site",
} as const;
const someone = { externalId: "5", name: "octo" };

describe("GitHub", async () => {
  const keys = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const private_key = keys.privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  const own = { ...CLIENT, app_id: "7", slug: "svc", private_key, webhook_secret: "hook" };
  const table = {
    "POST /login/oauth/access_token": { access_token: "person", token_type: "bearer" },
    "GET /api/v3/user": { id: 5, login: "octo" } satisfies GitHub["user"],
    "GET /api/v3/user/installations": {
      installations: [
        {
          id: 41,
          account: { login: "acme" },
          html_url: "https://github.com/organizations/acme/settings/installations/41",
        },
      ],
    } satisfies GitHub["installations"],
    "GET /api/v3/user/installations/41/repositories": {
      repositories: [{ id: 9, full_name: "acme/site", html_url: repository.url }],
    } satisfies GitHub["repositoriesOfPerson"],
    "POST /api/v3/app/installations/41/access_tokens": {
      token: "access",
      expires_at: "2030-01-01T00:00:00Z",
    } satisfies GitHub["token"],
    "GET /api/v3/installation/repositories": {
      repositories: [{ id: 9, full_name: "acme/site", html_url: repository.url }],
    } satisfies GitHub["repositories"],
    "GET /api/v3/repos/acme/site/collaborators/octo/permission": {
      permission: "write",
      user: { id: 5 },
    } satisfies GitHub["permission"],
    "DELETE /api/v3/installation/token": null,
  };

  test("is installed as an app, whose own tokens are got with its key", async () => {
    const there = await at("github", table, own);
    expect(there.leave("installation")).toEqual({ at: "/apps/svc/installations/new", query: { state: "state" } });
    const arrived = await there.arrive("installation", "41");
    expect(arrived).toMatchObject({ person: someone, account: { externalId: "41", name: "acme" } });
    expect(arrived?.resources, "what the person sees").toEqual([repository]);
    const asPerson = there.server.asked.filter(({ headers }) => headers.authorization === "Bearer person");
    expect(asPerson.map(({ path }) => path.split("?")[0])).toContain("/api/v3/user/installations/41/repositories");
    expect(JSON.stringify(arrived?.tokens), "the person's token is not kept").not.toContain("person");
    const tokens = await there.refresh(arrived?.tokens as ProviderTokens);
    expect(tokens).toEqual({ access: "access", refresh: "41", expiresAt: "2030-01-01T00:00:00.000Z" });
    const [head, body, signature] = String(there.server.asked.at(-1)?.headers.authorization)
      .replace("Bearer ", "")
      .split(".");
    const verifies = createVerify("sha256")
      .update(`${head}.${body}`)
      .verify(keys.publicKey, signature as string, "base64url");
    const claims = JSON.parse(Buffer.from(body as string, "base64url").toString());
    expect([verifies, claims.iss, claims.exp - claims.iat]).toEqual([true, "7", 600]);
    const ask = there.ask(tokens);
    expect(await there.connection.resources(ask, { externalId: "41", name: "acme" })).toEqual([repository]);
    expect(there.server.asked.at(-1)?.headers).toMatchObject({
      authorization: "Bearer access",
      "x-github-api-version": "2022-11-28",
    });
    expect(await there.connection.collaborates?.(ask, repository, someone)).toBe(true);
    expect(await there.connection.collaborates?.(ask, repository, { ...someone, externalId: "6" }), "renamed").toBe(
      false,
    );
    await there.revoke(tokens as ProviderTokens);
    expect(there.server.asked.at(-1)?.headers.authorization).toBe("Bearer access");
  });

  test("links who somebody is with PKCE, and refuses an installation that is not theirs, or no code of theirs", async () => {
    const there = await at("github", table, own);
    expect(there.leave("identity")).toMatchObject({
      at: "/login/oauth/authorize",
      query: { client_id: "client", ...S256 },
    });
    expect(await there.arrive("identity")).toMatchObject({ person: someone, account: null });
    expect(formIn(there.server.asked.at(-2))).toMatchObject({ code: "code", code_verifier: "v".repeat(43) });
    for (const named of ["42", "", null])
      await expect(there.arrive("installation", named)).rejects.toMatchObject({ code: "credential_refused" });
    there.server.on("POST /login/oauth/access_token", { error: "bad_verification_code" });
    await expect(there.arrive("identity")).rejects.toMatchObject({ code: "credential_refused" });
  });
});

describe("Gitea", () => {
  const hook = { id: 3, config: { url: "https://svc.example/hook" } } satisfies Gitea["hook"];
  const table = {
    "POST /login/oauth/access_token": TOKENS,
    "GET /api/v1/user": { id: 5, login: "octo", html_url: "https://git.example/octo" } satisfies Gitea["user"],
    "GET /api/v1/user/repos": [
      { id: 9, full_name: "acme/site", html_url: repository.url, permissions: { admin: true } },
      { id: 10, full_name: "acme/other", html_url: repository.url, permissions: { admin: false } },
    ] satisfies Gitea["repository"][],
    "GET /api/v1/repos/acme/site/collaborators/octo/permission": {
      permission: "read",
      user: { id: 5 },
    } satisfies Gitea["permission"],
    "GET /api/v1/repos/acme/site/hooks": [],
    "POST /api/v1/repos/acme/site/hooks": hook,
    "PATCH /api/v1/repos/acme/site/hooks/3": hook,
    "DELETE /api/v1/repos/acme/site/hooks/3": null,
  };
  test("is gone through with PKCE, lists what can have webhooks, and renews its tokens", async () => {
    const there = await at("gitea", table);
    expect(there.leave("installation")).toMatchObject({
      at: "/login/oauth/authorize",
      query: { response_type: "code", ...S256 },
    });
    const managementUrl = "https://git.example/user/settings/applications";
    expect(await there.arrive("installation")).toEqual({
      tokens: kept,
      person: someone,
      account: { ...someone, managementUrl },
    });
    expect(formIn(there.server.asked.at(-2))).toMatchObject({ ...CLIENT, code_verifier: "v".repeat(43) });
    expect(await there.refresh({ access: "a", refresh: "b" })).toEqual(kept);
    expect(formIn(there.server.asked.at(-1))).toMatchObject({ grant_type: "refresh_token", refresh_token: "b" });
    const ask = there.ask({ access: "access" });
    expect(await there.connection.enter?.(ask)).toEqual({ ...someone, managementUrl });
    expect(await there.connection.resources(ask, someone)).toEqual([repository]);
    expect(await there.connection.collaborates?.(ask, repository, someone)).toBe(false);
  });
  test("has a webhook for each repository, registered once", async () => {
    const there = await at("gitea", table);
    const [ask, { hook: hooks }] = [there.ask({ access: "access" }), there.connection];
    expect(await hooks?.register(ask, repository, hook.config.url, "whsec_x")).toBe("3");
    expect(there.server.asked.at(-1)?.body).toMatchObject({
      type: "gitea",
      config: { secret: "whsec_x", content_type: "json" },
    });
    there.server.on("GET /api/v1/repos/acme/site/hooks", [hook]);
    expect(await hooks?.register(ask, repository, hook.config.url, "whsec_x")).toBe("3");
    expect(there.server.asked.at(-1)?.method).toBe("PATCH");
    await hooks?.remove(ask, repository, "3");
    const outside = { ...repository, name: "../../admin" };
    await expect(hooks?.remove(ask, outside, "3")).rejects.toMatchObject({ code: "resource_missing" });
  });
});

describe("GitLab", () => {
  test("lets members of the project with a developer's rights write, and nobody else", async () => {
    const there = await at("gitlab", {});
    const member = (more: object) =>
      there.server.on("GET /api/v4/projects/9/members/all/5", { id: 5, state: "active", ...more });
    const writes = () => there.connection.collaborates?.(there.ask({ access: "a" }), repository, someone);
    await expect(writes()).rejects.toMatchObject({ code: "resource_missing" });
    for (const [more, may] of [
      [{ access_level: 30 }, true],
      [{ access_level: 20 }, false],
      [{ access_level: 50, state: "blocked" }, false],
    ] as const) {
      member(more);
      expect(await writes()).toBe(may);
    }
  });
});

describe("Slack", () => {
  const table = {
    "POST /api/oauth.v2.access": (asked: AskedOf): Slack["access"] => ({
      ok: formIn(asked).code === "code",
      access_token: "xoxb-1",
      team: { id: "T1", name: "Acme" },
      authed_user: { id: "U5", access_token: "xoxp-1" },
    }),
    "GET /api/users.identity": {
      ok: true,
      user: { id: "U5", name: "octo" },
      team: { id: "T1" },
    } satisfies Slack["identity"],
    "GET /api/users.info": { ok: true, user: { id: "U5", name: "octo" } } satisfies Slack["info"],
    "POST /api/auth.revoke": { ok: true } satisfies Slack["revoke"],
    "GET /api/conversations.list": ({ path }: AskedOf): Slack["channels"] => {
      const last = new URL(path, "http://x").searchParams.get("cursor") === "next";
      const channels = [{ id: last ? "C2" : "C1", name: last ? "random" : "general" }];
      return { ok: true, channels, response_metadata: { next_cursor: last ? "" : "next" } };
    },
  };
  test("is connected as a team, and somebody is a user of it", async () => {
    const there = await at("slack", table);
    expect(there.leave("installation").query).toMatchObject({
      scope: expect.stringContaining("chat:write"),
      state: "state",
    });
    expect(there.leave("identity").query).toMatchObject({ user_scope: "identity.basic" });
    const person = { externalId: "T1:U5", name: "octo" };
    expect(await there.arrive("installation")).toMatchObject({
      tokens: { access: "xoxb-1" },
      person,
      account: { externalId: "T1", name: "Acme" },
    });
    expect(await there.arrive("identity")).toMatchObject({ tokens: { access: "xoxp-1" }, person, account: null });
    const names = (await there.connection.resources(there.ask({ access: "xoxb-1" }), someone)).map(({ name }) => name);
    expect(names).toEqual(["general", "random"]);
    await there.revoke({ access: "xoxb-1" });
    expect(there.server.asked.at(-1)?.headers.authorization).toBe("Bearer xoxb-1");
    there.server.on("POST /api/oauth.v2.access", { ok: false, error: "invalid_code" });
    await expect(there.arrive("installation")).rejects.toMatchObject({ code: "refused" });
  });
});

describe("Figma", () => {
  test("is connected as whoever authorises it, and its token renewed without another to renew it with", async () => {
    const { refresh_token: _, ...renewed } = TOKENS;
    const there = await at("figma", {
      "POST /v1/oauth/token": TOKENS,
      "POST /v1/oauth/refresh": renewed,
      "GET /v1/me": { id: "5", handle: "octo", email: "octo@example.com", img_url: "" } satisfies Figma["me"],
    });
    expect(there.leave("installation")).toMatchObject({ at: "/oauth", query: { response_type: "code", ...S256 } });
    expect(await there.arrive("installation")).toMatchObject({ tokens: kept, person: someone, account: someone });
    const basic = `Basic ${Buffer.from("client:secret").toString("base64")}`;
    expect(there.server.asked[0]?.headers.authorization).toBe(basic);
    expect(await there.refresh({ access: "a", refresh: "old" })).toEqual({ ...kept, refresh: "old" });
    const listed = await there.connection.resources(there.ask({ access: "a" }), someone);
    expect(listed).toEqual([{ ...someone, kind: "file", url: null }]);
  });
});

describe("an error tracker", () => {
  test("is connected with a token, as the organisation that it is for", async () => {
    const there = await at("errtrack", {
      "GET /api/0/organizations/": [
        { id: "1", slug: "acme", name: "Acme", links: { organizationUrl: "https://errors.example/acme" } },
      ],
      "GET /api/0/organizations/acme/projects/": [{ id: "9", slug: "site" }, { id: null }, "nothing"],
    });
    const ask = there.ask({ access: "token" });
    const account = await there.connection.enter?.(ask);
    expect(account).toEqual({ externalId: "acme", name: "Acme", managementUrl: "https://errors.example/settings/" });
    expect(await there.connection.resources(ask, { externalId: "acme", name: "Acme" })).toEqual([
      { externalId: "9", kind: "project", name: "site", url: null },
    ]);
    there.server.on("GET /api/0/organizations/", []);
    await expect(there.connection.enter?.(ask)).rejects.toMatchObject({ code: "credential_refused" });
  });
});

describe("how something is now", () => {
  const pull = {
    number: 7,
    title: "Fix ENG-1",
    body: "Really",
    state: "closed",
    merged: true,
    draft: false,
    html_url: "https://x.example/acme/site/pulls/7",
    updated_at: "2026-01-02T03:04:05Z",
    user: { login: "octo" },
    head: { ref: "fix" },
    base: { repo: { id: 9 } },
  } as const satisfies GitHub["pull"] & Gitea["pull"];
  const branch = { name: "a/b c" } satisfies GitHub["branch"] & Gitea["branch"];
  const merge = {
    iid: 7,
    title: "Fix ENG-1",
    description: "Really",
    source_branch: "fix",
    state: "merged",
    draft: false,
    web_url: "https://x.example/acme/site/pulls/7",
    updated_at: "2026-01-02T03:04:05Z",
    author: { id: 5, username: "octo" },
    merge_user: { id: 6, username: "ada" },
    closed_by: null,
  };
  const doers = { opened: { externalId: "5", name: "octo" }, merged: { externalId: "6", name: "ada" }, closed: null };
  const repo = "/repos/acme/site";
  const project = "/api/v4/projects/9";
  const tables: [string, string, Record<string, unknown>][] = [
    ["github", "/tree/", { [`GET /api/v3${repo}/pulls/7`]: pull, [`GET /api/v3${repo}/branches/a/b%20c`]: branch }],
    [
      "gitea",
      "/src/branch/",
      { [`GET /api/v1${repo}/pulls/7`]: pull, [`GET /api/v1${repo}/branches/a/b%20c`]: branch },
    ],
    [
      "gitlab",
      "/-/tree/",
      { [`GET ${project}/merge_requests/7`]: merge, [`GET ${project}/repository/branches/a%2Fb%20c`]: {} },
    ],
  ];
  test.each(tables)("%s tells of a pull request and of a branch", async (key, tree, table) => {
    const there = await at(key, table);
    const look = (kind: "pull_request" | "branch", externalId: string) =>
      there.connection.look?.(there.ask({ access: "a" }), repository, { kind, externalId });
    expect(await look("pull_request", "9#7")).toEqual({
      kind: "pull_request",
      externalId: "9#7",
      title: "Fix ENG-1",
      state: "merged",
      authorName: "octo",
      url: "https://x.example/acme/site/pulls/7",
      changedAt: "2026-01-02T03:04:05.000Z",
      texts: ["Fix ENG-1", "Really", "fix"],
      ...(key === "gitlab" && { doers }),
    });
    expect(await look("branch", "9:a/b c")).toMatchObject({
      externalId: "9:a/b c",
      title: "a/b c",
      state: "open",
      url: `${repository.url}${tree}a/b%20c`,
    });
    const before = there.server.asked.length;
    for (const [kind, id] of [
      ["pull_request", "9#7/../8"],
      ["pull_request", "9#"],
      ["branch", "9:../../hooks"],
      ["branch", "9:a//b"],
    ] as const)
      await expect(look(kind, id), id).rejects.toMatchObject({ code: "resource_missing" });
    expect(there.server.asked, "nothing was asked for these").toHaveLength(before);
    await expect(look("pull_request", "9#8")).rejects.toMatchObject({ code: "resource_missing" });
    if (key === "gitlab") return;
    // Another repository has the name by now.
    const other = { ...repository, externalId: "10" };
    const entity = { kind: "pull_request", externalId: "10#7" } as const;
    expect(await there.connection.look?.(there.ask({ access: "a" }), other, entity)).toBeNull();
  });
});
