// Reviewed MCP clients: the operator's command registers, lists and removes them; https callbacks work for them as
// registered and no other way.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { mcpPrincipal } from "../../../test/mcp.ts";
import {
  answered,
  asked,
  authorizePath,
  codeFor,
  newVerifier,
  type OAuthClient,
  redeemed,
  refreshed,
  registered,
  tokensFor,
} from "../../../test/oauth.ts";
import { service, world } from "../../../test/world.ts";
import type { JobParts } from "../../platform/background/jobs.ts";
import { background } from "../../platform/background/maintenance.ts";
import { addReviewed, faultOfClient, listReviewed, removeReviewed } from "./reviewed-clients.ts";

const running = service();
let owner: pg.Client;
beforeAll(async () => {
  owner = new pg.Client(running.databaseUrl);
  await owner.connect();
  await owner.query("set svc.owner = 'on'");
});
afterAll(() => owner.end());

const callback = "https://app.example.com/callback";
const reviewed = async (...callbacks: string[]): Promise<OAuthClient> => {
  const uris = [callback, ...callbacks];
  return { family: "mcp", id: await addReviewed(owner, "Example assistant", uris), redirectUri: callback };
};
const clients = async (...args: string[]) => {
  const script = join(import.meta.dirname, "../../../../scripts/clients.ts");
  const env = { ...process.env, DATABASE_URL: running.databaseUrl };
  const run = promisify(execFile)(process.execPath, [script, ...args], { env });
  const { code = 0, stdout, stderr } = await run.then((ended) => ({ ...ended, code: 0 })).catch((error) => error);
  return { code, stdout, stderr };
};

describe("npm run clients", () => {
  test("registers a client that is let in at its https callback with PKCE, lists it, and ends its access when it is removed", async () => {
    const place = await world(running);
    const name = `Assistant ${place.workspaceId}`;
    const added = await clients("add", ` ${name} `, callback, "http://127.0.0.1/callback");
    expect([added.code, added.stderr]).toEqual([0, ""]);
    const id = added.stdout.trim();
    const client: OAuthClient = { family: "mcp", id, redirectUri: callback };
    expect((await clients()).stdout.split("\n")).toContainEqual(
      expect.stringMatching(
        new RegExp(`^${id}  ${name}  added \\d{4}-\\d\\d-\\d\\d  ${callback} http://127.0.0.1/callback$`),
      ),
    );

    const tokens = await tokensFor(running, place, client);
    expect(await mcpPrincipal(running, tokens.access_token)).toMatchObject({ workspace_id: place.workspaceId });
    const renewed = (await refreshed(running, client, tokens.refresh_token)).body;
    const waiting = await codeFor(place, client);

    expect(await clients("remove", id)).toEqual({ code: 0, stdout: "Removed, and 2 grants revoked.\n", stderr: "" });
    expect((await clients()).stdout).not.toContain(id);
    for (const { access_token } of [tokens, renewed]) expect(await mcpPrincipal(running, access_token)).toBeUndefined();
    expect((await refreshed(running, client, renewed.refresh_token)).body.error).toBe("invalid_grant");
    expect((await redeemed(running, waiting)).body.error).toBe("invalid_grant");
    const again = await place.owner.call("GET", authorizePath(client, newVerifier()));
    expect([again.status, again.body.error]).toEqual([400, "unauthorized_client"]);
  });

  test.each([
    ["an unknown verb", ["approve"], /^Use npm run clients, /],
    ["nothing to remove", ["remove"], /^Use npm run clients, /],
    ["two to remove", ["remove", "a", "b"], /^Use npm run clients, /],
    ["an unknown client to remove", ["remove", "unknown"], /^There is no reviewed client "unknown"; npm run clients/],
    ["no name", ["add"], /^The client needs a name: /],
    ["no callback", ["add", "Name"], /^"Name" needs a callback/],
    ["a callback without TLS", ["add", "Name", "http://app.example.com/"], /^"http:\/\/app.* use an https address/],
  ])("refuses %s with one line and 1, and changes nothing", async (_, args, line) => {
    const before = await listReviewed(owner);
    const { code, stdout, stderr } = await clients(...args);
    expect([code, stdout, stderr.trimEnd().split("\n").length]).toEqual([1, "", 1]);
    expect(stderr).toMatch(line);
    expect(await listReviewed(owner)).toEqual(before);
  });
});

describe("a registration", () => {
  const web = (length: number) => `${callback}/${"a".repeat(length - callback.length - 1)}`;
  const many = (count: number) => Array.from({ length: count }, (_, at) => `${callback}/${at}`);
  test.each([
    ["20 callbacks", "Name", many(20)],
    ["a callback of 2048 characters", "Name", [web(2048)]],
    ["a name of 88 characters", "😀".repeat(88), [callback]],
    ["a port and a query", "Name", ["https://app.example.com:8443/callback?from=svc"]],
    ["loopback hosts", "Name", ["http://127.0.0.1/cb", "http://[::1]:1/cb", "http://localhost"]],
  ])("takes %s", (_, name, callbacks) => expect(faultOfClient(name, callbacks)).toBeNull());

  const usual = /use an https address without user, password and fragment/;
  test.each([
    ["21 callbacks", "Name", many(21), /at most 20 callbacks/],
    ["a callback of 2049 characters", "Name", [web(2049)], /more than 2048 characters/],
    ["a name of 89 characters", "n".repeat(89), [callback], /more than 88 characters/],
    ["an invisible name", "\u200b", [callback], /needs a name/],
    ["a name that turns the text around it", "a\u202eb", [callback], /control characters/],
    ["a name of two lines", "a\nb", [callback], /control characters/],
    ["the same callback twice", "Name", [callback, callback], /is given twice/],
    ["a host without a path", "Name", ["https://app.example.com"], /write it as https:\/\/app\.example\.com\/$/],
    ["a host in capitals", "Name", ["https://APP.example.com/cb"], /write it as https:\/\/app\.example\.com\/cb$/],
    ["dots to climb", "Name", ["https://app.example.com/a/../cb"], /write it as https:\/\/app\.example\.com\/cb$/],
    ...[
      ...["http://app.example.com/cb", "http://127.0.0.2/cb", "com.example.app:/cb", "javascript:alert(1)"],
      ...["https://app.example.com/cb#", "https://app.example.com/cb#x", "https://user@app.example.com/cb"],
      ...["https://user:word@app.example.com/cb", "app.example.com/cb", "https://", ""],
    ].map((uri): [string, string, string[], RegExp] => [`the callback "${uri}"`, "Name", [callback, uri], usual]),
  ])("refuses %s in one line", (_, name, callbacks, fault) => {
    const found = faultOfClient(name, callbacks);
    expect(found).toMatch(fault);
    expect(found).not.toContain("\n");
  });
});

describe("a reviewed client", () => {
  test("is verified on the consent page, unlike one that registered itself", async () => {
    const { owner: person } = await world(running);
    const shown = async (client: OAuthClient) => {
      const request = await asked(person, client, newVerifier());
      return (await person.call("GET", `/oauth/consent?request=${request}`)).body;
    };
    expect(await shown(await reviewed())).toMatchObject({
      client: { name: "Example assistant", verified: true },
      redirect_host: "app.example.com",
    });
    expect((await shown(await registered(running))).client.verified).toBe(false);
  });

  test("is sent to its registered callbacks and nowhere else, and needs PKCE", async () => {
    const { owner: person } = await world(running);
    const client = await reviewed("http://127.0.0.1/callback");
    const ask = (changes: Record<string, string | undefined>) =>
      person.call("GET", authorizePath(client, newVerifier(), changes));
    for (const redirect_uri of [callback, "http://127.0.0.1:5555/callback"])
      expect((await ask({ redirect_uri })).headers.get("location")).toMatch(/^\/consent\?request=/);
    for (const redirect_uri of [
      ...[
        `${callback}/`,
        `${callback}?a=1`,
        `${callback}#a`,
        `${callback}/../callback`,
        "https://APP.example.com/callback",
      ],
      ...[
        "https://app.example.com:443/callback",
        "https://app.example.com:8443/callback",
        "http://app.example.com/callback",
      ],
      ...["https://app.example.com.evil.test/callback", "https://app.example.com@evil.test/callback"],
      "http://127.0.0.1/other",
    ]) {
      const refused = await ask({ redirect_uri });
      expect([refused.status, refused.body.error], redirect_uri).toEqual([400, "invalid_redirect_uri"]);
    }
    const bare = await ask({ code_challenge: undefined, code_challenge_method: undefined });
    expect(bare.headers.get("location")).toMatch(/^https:\/\/app\.example\.com\/callback\?error=invalid_request/);
  });

  test("gets no tokens for a verifier that is not its own", async () => {
    const code = await codeFor(await world(running), await reviewed());
    expect((await redeemed(running, { ...code, verifier: newVerifier() })).body.error).toBe("invalid_grant");
    expect((await redeemed(running, code)).status).toBe(200);
  });

  test("survives the sweep without a grant, while one that registered itself is swept after 30 days", async () => {
    const ids = [(await reviewed()).id, (await registered(running)).id];
    await owner.query("update oauth_clients set created_at = now() - interval '31 days' where id = any($1)", [ids]);
    const { sweep_oauth } = background.jobs?.({} as JobParts) ?? {};
    await sweep_oauth?.({}, { query: owner.query.bind(owner) } as never);
    const left = await owner.query("select id from oauth_clients where id = any($1)", [ids]);
    expect(left.rows).toEqual([{ id: ids[0] }]);
  });
});

describe("a removal", () => {
  test("leaves clients alone that registered themselves, and the grants of other clients", async () => {
    const place = await world(running);
    const [removed, other, own] = [await reviewed(), await reviewed(), await registered(running)];
    const tokens = [await tokensFor(running, place, other), await tokensFor(running, place, own)];
    expect(await removeReviewed(owner, own.id)).toBeNull();
    expect([await removeReviewed(owner, removed.id), await removeReviewed(owner, removed.id)]).toEqual([0, null]);
    for (const { access_token } of tokens) expect(await mcpPrincipal(running, access_token)).toBeDefined();
  });

  test("closes the questions that people were asked before it", async () => {
    const { owner: person, workspaceId } = await world(running);
    const client = await reviewed();
    const request = await asked(person, client, newVerifier());
    await removeReviewed(owner, client.id);
    const answer = await answered(person, request, workspaceId);
    expect([answer.status, answer.body.code]).toEqual([400, "invalid_link"]);
  });

  test("that has begun keeps a consent at the same time from becoming a grant", async () => {
    const { owner: person, workspaceId } = await world(running);
    const client = await reviewed();
    const request = await asked(person, client, newVerifier());
    await owner.query("begin");
    await owner.query("delete from oauth_clients where id = $1", [client.id]);
    const answering = answered(person, request, workspaceId);
    const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    await eventually(async () => expect((await running.asOwner(waiting)).length).toBeGreaterThan(0));
    await owner.query("commit");
    expect((await answering).body.code).toBe("invalid_link");
    expect((await owner.query("select from oauth_grants where client_id = $1", [client.id])).rowCount).toBe(0);
  });
});
