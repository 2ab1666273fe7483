// The MCP clients that one has let in: seen by their owner alone, and shut out at once.
import { expect, test } from "vitest";
import { mcpPrincipal } from "../../../test/mcp.ts";
import { cli, codeFor, redeemed, refreshed, registered, tokensFor } from "../../../test/oauth.ts";
import { service, world } from "../../../test/world.ts";

const running = service();
const isLive = async (token: string) => (await mcpPrincipal(running, token)) !== undefined;

test("a grant is listed with its client, Workspace and scopes once it holds tokens, newest first", async () => {
  const place = await world(running);
  const [first, second] = [
    await registered(running, { client_name: "First" }),
    await registered(running, { client_name: "Second" }),
  ];
  await tokensFor(running, place, first, { scope: "svc:tasks:read" });
  await tokensFor(running, place, second);
  await codeFor(place, first);
  await tokensFor(running, place, cli);
  const { body } = await place.owner.call("GET", "/me/mcp/grants");
  expect(body.items).toMatchObject([
    { client_name: "Second", client_id: second.id, scopes: ["svc:read", "svc:write"] },
    {
      client_name: "First",
      client_id: first.id,
      scopes: ["svc:tasks:read"],
      workspace_id: place.workspaceId,
      workspace_name: "Test",
    },
  ]);
  const page = await place.owner.call("GET", "/me/mcp/grants?limit=1");
  const rest = await place.owner.call("GET", `/me/mcp/grants?limit=1&cursor=${page.body.next_cursor}`);
  expect([page.body.items[0].client_name, rest.body.items[0].client_name, rest.body.has_more]).toEqual([
    "Second",
    "First",
    false,
  ]);
  expect((await (await place.member("admin")).call("GET", "/me/mcp/grants")).body.items).toEqual([]);
});

test("a deleted grant is dead at once with all its tokens, and only that one", async () => {
  const place = await world(running);
  const client = await registered(running);
  const [doomed, other] = [await tokensFor(running, place, client), await tokensFor(running, place, client)];
  const { body } = await place.owner.call("GET", "/me/mcp/grants");
  const id = body.items[1].id;
  for (let time = 0; time < 2; time++)
    expect((await place.owner.call("DELETE", `/me/mcp/grants/${id}`)).status).toBe(204);
  expect([await isLive(doomed.access_token), await isLive(other.access_token)]).toEqual([false, true]);
  expect((await refreshed(running, client, doomed.refresh_token)).body.error).toBe("invalid_grant");
  expect((await refreshed(running, client, other.refresh_token)).status).toBe(200);
  expect((await place.owner.call("GET", "/me/mcp/grants")).body.items.length).toBe(1);
});

test("a code that was not redeemed yet is no good after its grant is deleted", async () => {
  const place = await world(running);
  const code = await codeFor(place, await registered(running));
  const [{ id } = { id: "" }] = await running.sql<{ id: string }>("select id from oauth_grants where user_id = $1", [
    place.owner.userId,
  ]);
  expect((await place.owner.call("DELETE", `/me/mcp/grants/${id}`)).status).toBe(204);
  expect((await redeemed(running, code)).body.error).toBe("invalid_grant");
});

test("somebody else's grant, and one of another family, is not found", async () => {
  const place = await world(running);
  const tokens = await tokensFor(running, place, await registered(running));
  const { body } = await place.owner.call("GET", "/me/mcp/grants");
  const stranger = await place.member("owner");
  expect((await stranger.call("DELETE", `/me/mcp/grants/${body.items[0].id}`)).status).toBe(404);
  await tokensFor(running, place, cli);
  const [{ id } = { id: "" }] = await running.sql<{ id: string }>(
    "select id from oauth_grants where user_id = $1 and family = 'developer'",
    [place.owner.userId],
  );
  expect((await place.owner.call("DELETE", `/me/mcp/grants/${id}`)).status).toBe(404);
  expect(await isLive(tokens.access_token)).toBe(true);
});

test("a grant is listed while its tokens can be renewed, or where they cannot, while they are good", async () => {
  const place = await world(running);
  const listed = async () => (await place.owner.call("GET", "/me/mcp/grants")).body.items.length;
  const used = (ago: string) =>
    running.sql("update oauth_grants set last_used_at = now() - $2::interval where user_id = $1", [
      place.owner.userId,
      ago,
    ]);
  const client = await registered(running);
  const { refresh_token } = await tokensFor(running, place, client);
  for (const [ago, count] of [
    ["29 days 23 hours", 1],
    ["30 days", 0],
  ] as const) {
    await used(ago);
    expect(await listed()).toBe(count);
  }
  expect((await refreshed(running, client, refresh_token)).status).toBe(200);
  expect(await listed()).toBe(1);
  await used("31 days");
  await tokensFor(running, place, await registered(running, { grant_types: ["authorization_code"] }));
  expect(await listed()).toBe(1);
  await used("1 hour");
  expect(
    (await place.owner.call("GET", "/me/mcp/grants")).body.items.map((item: { client_id: string }) => item.client_id),
  ).toEqual([client.id]);
});
