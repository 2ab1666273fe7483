// The developer clients that one has let in: seen by their owner alone, beside the MCP ones and never among them, and
// shut out at once.
import { expect, test } from "vitest";
import { mcpPrincipal } from "../../../test/mcp.ts";
import { cli, codeFor, redeemed, refreshed, registered, tokensFor } from "../../../test/oauth.ts";
import { insertCredential, service, world } from "../../../test/world.ts";
import { newSecret } from "../../platform/wire/ids.ts";

const running = service();
const PATH = "/me/developer-grants";
const ide = { ...cli, id: "svc-ide-a" };
const reads = async (token: string) =>
  (await running.send("GET", "/dev/workspace", { headers: { authorization: `Bearer ${token}` } })).status;

test("a grant is listed with its client, Workspace, scopes and last use, newest first; MCP clients are not among them", async () => {
  const place = await world(running);
  await tokensFor(running, place, cli, { scope: "svc:read" });
  await tokensFor(running, place, ide);
  await tokensFor(running, place, await registered(running));
  await codeFor(place, cli);
  const { body } = await place.owner.call("GET", PATH);
  expect(body.items).toMatchObject([
    { client_id: "svc-ide-a", client_name: "svc for IDE A" },
    {
      client_id: "svc-cli",
      client_name: "svc command line",
      scopes: ["svc:read"],
      workspace_id: place.workspaceId,
      workspace_name: "Test",
      last_used_at: expect.any(String),
    },
  ]);
  expect((await place.owner.call("GET", "/me/mcp/grants")).body.items).toHaveLength(1);
  const page = await place.owner.call("GET", `${PATH}?limit=1`);
  const rest = await place.owner.call("GET", `${PATH}?limit=1&cursor=${page.body.next_cursor}`);
  expect([page.body.items[0].client_id, rest.body.items[0].client_id, rest.body.has_more]).toEqual([
    "svc-ide-a",
    "svc-cli",
    false,
  ]);
  expect((await (await place.member("admin")).call("GET", PATH)).body.items).toEqual([]);
});

test("a deleted grant is dead at once: access, refresh, the MCP tokens given for it; and only that one", async () => {
  const place = await world(running);
  const [doomed, other] = [await tokensFor(running, place, cli), await tokensFor(running, place, cli)];
  const exchanged = await running.send("POST", "/cli/mcp/token", {
    body: { workspace_id: place.workspaceId, scopes: ["svc:read"] },
    headers: { authorization: `Bearer ${doomed.access_token}` },
  });
  expect(exchanged.status, exchanged.text).toBeLessThan(300);
  const lives = async () => (await mcpPrincipal(running, exchanged.body.access_token)) !== undefined;
  expect([await reads(doomed.access_token), await lives()]).toEqual([200, true]);
  const { items } = (await place.owner.call("GET", PATH)).body;
  for (let time = 0; time < 2; time++)
    expect((await place.owner.call("DELETE", `${PATH}/${items[1].id}`)).status).toBe(204);
  expect([await reads(doomed.access_token), await reads(other.access_token), await lives()]).toEqual([401, 200, false]);
  expect((await refreshed(running, cli, doomed.refresh_token)).body.error).toBe("invalid_grant");
  expect((await refreshed(running, cli, other.refresh_token)).status).toBe(200);
  expect((await place.owner.call("GET", PATH)).body.items).toHaveLength(1);
});

test("a code that was not redeemed yet is no good after its grant is deleted", async () => {
  const place = await world(running);
  const code = await codeFor(place, cli);
  const [{ id } = { id: "" }] = await running.sql<{ id: string }>("select id from oauth_grants where user_id = $1", [
    place.owner.userId,
  ]);
  expect((await place.owner.call("DELETE", `${PATH}/${id}`)).status).toBe(204);
  expect((await redeemed(running, code)).body.error).toBe("invalid_grant");
});

test("somebody else's grant, and an MCP client's, is not found; only a session asks", async () => {
  const place = await world(running);
  const tokens = await tokensFor(running, place, cli);
  const { id } = (await place.owner.call("GET", PATH)).body.items[0];
  const stranger = await place.member("owner");
  expect((await stranger.call("DELETE", `${PATH}/${id}`)).status).toBe(404);
  await tokensFor(running, place, await registered(running));
  const mcp = (await place.owner.call("GET", "/me/mcp/grants")).body.items[0].id;
  expect((await place.owner.call("DELETE", `${PATH}/${mcp}`)).status).toBe(404);
  expect((await place.owner.call("DELETE", `/me/mcp/grants/${id}`)).status).toBe(404);
  const native = newSecret("nat");
  await insertCredential(running, "native", native, place.owner.userId, null, []);
  for (const bearer of [tokens.access_token, await place.token(), native])
    for (const [method, path] of [
      ["GET", PATH],
      ["DELETE", `${PATH}/${id}`],
    ] as const) {
      const refused = await place.owner.bearer(bearer, method, path);
      expect([refused.status, refused.body.code]).toEqual([403, "credential_kind_not_allowed"]);
    }
  expect(await reads(tokens.access_token)).toBe(200);
});
