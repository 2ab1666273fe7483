// External AI access: enabled until somebody disables it, asked at every step of an MCP client, and nothing is lost by
// disabling it.
import { expect, test } from "vitest";
import { mcpPrincipal } from "../../../test/mcp.ts";
import {
  answered,
  asked,
  cli,
  codeFor,
  newVerifier,
  redeemed,
  refreshed,
  registered,
  tokensFor,
} from "../../../test/oauth.ts";
import { eventsOf } from "../../../test/work.ts";
import { insertCredential, newKey, service, type World, world } from "../../../test/world.ts";
import { newSecret } from "../../platform/wire/ids.ts";

const running = service();
const pathOf = ({ workspaceId }: World) => `/workspaces/${workspaceId}/ai-access-policy`;
const put = (place: World, enabled: boolean, ifMatch: string, person = place.owner) =>
  person.call("PUT", pathOf(place), { body: { enabled }, ifMatch });
const principalOf = (token: string) => mcpPrincipal(running, token);

test("without a decision it is enabled at revision zero, and the first decision is made on that", async () => {
  const place = await world(running);
  const before = await place.owner.call("GET", pathOf(place));
  expect([before.trips, before.headers.get("etag")]).toEqual([1, '"0"']);
  expect(before.body).toEqual({
    workspace_id: place.workspaceId,
    revision: "0",
    updated_at: null,
    enabled: true,
    capabilities: ["workspace:manage"],
  });
  expect((await put(place, false, "1")).body).toMatchObject({ code: "revision_conflict", current_revision: "0" });
  const first = await put(place, false, "0");
  expect(first.body).toMatchObject({ enabled: false, revision: "1", updated_at: expect.any(String) });
  expect(first.trips).toBeLessThanOrEqual(5);
  expect((await put(place, true, "0")).body).toMatchObject({ code: "revision_conflict", current_revision: "1" });
  expect((await put(place, true, "1")).body).toMatchObject({ enabled: true, revision: "2" });
  const { body } = await place.owner.call("PUT", pathOf(place), { body: { enabled: true } });
  expect(body.code).toBe("if_match_required");
  expect(await eventsOf(running, place, place.workspaceId)).toMatchObject([
    { type: "workspace.ai_access_policy_replaced", activity: null, payload: { enabled: false } },
    { type: "workspace.ai_access_policy_replaced", payload: { enabled: true } },
  ]);
});

test("of many first decisions at once one is made", async () => {
  const place = await world(running);
  const answers = await Promise.all(Array.from({ length: 8 }, () => put(place, false, "0")));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ body }) => body.current_revision === "1")).toHaveLength(7);
});

test("everybody reads it, owners and admins decide, and a native client does neither", async () => {
  const [place, other] = [await world(running), await world(running)];
  for (const [role, status] of [
    ["member", 403],
    ["viewer", 403],
    ["admin", 200],
  ] as const) {
    const person = await place.member(role);
    expect((await person.call("GET", pathOf(place))).body.enabled).toBe(true);
    expect((await put(place, true, "0", person)).status, role).toBe(status);
  }
  expect((await other.owner.call("GET", pathOf(place))).status).toBe(404);
  expect((await put(place, true, "1", other.owner)).status).toBe(404);
  const native = newSecret("nat");
  await insertCredential(running, "native", native, place.owner.userId, null, []);
  expect((await place.owner.bearer(native, "GET", pathOf(place))).status).toBe(403);
});

test("disabled, an MCP client is not let in on any way: no consent, no code, no refresh, no token, no exchange", async () => {
  const place = await world(running);
  const { owner, workspaceId } = place;
  const client = await registered(running);
  const tokens = await tokensFor(running, place, client);
  const code = await codeFor(place, client);
  const pat = await place.token(["svc:read"]);
  const exchange = () =>
    owner.bearer(pat, "POST", "/cli/mcp/token", { body: { workspace_id: workspaceId, scopes: ["svc:read"] } });
  const exchanged = (await exchange()).body.access_token;
  const body = { name: "Report", scopes: ["svc:read"] };
  const own = (await owner.call("POST", `/workspaces/${workspaceId}/mcp-service-credentials`, { body })).body.token;
  const live = [tokens.access_token, exchanged, own];
  for (const token of live) expect(await principalOf(token)).toMatchObject({ workspace_id: workspaceId });

  await put(place, false, "0");
  for (const token of live) expect(await principalOf(token)).toBeUndefined();
  for (const answer of [await redeemed(running, code), await refreshed(running, client, tokens.refresh_token)])
    expect([answer.status, answer.body.error]).toEqual([400, "invalid_grant"]);
  const refused = await exchange();
  expect([refused.status, refused.body.code]).toEqual([403, "ai_access_disabled"]);
  const request = await asked(owner, client, newVerifier());
  const question = await owner.call("GET", `/oauth/consent?request=${request}`);
  expect([question.body.workspaces, question.body.workspace_id]).toEqual([[], null]);
  const denied = await answered(owner, request, workspaceId);
  expect([denied.status, denied.body.code]).toEqual([403, "workspace_access_denied"]);

  await put(place, true, "1");
  for (const token of live) expect(await principalOf(token), "as before").toMatchObject({ workspace_id: workspaceId });
  expect((await redeemed(running, code)).status, "not used up").toBe(200);
  expect((await refreshed(running, client, tokens.refresh_token)).status, "not used up").toBe(200);
  expect((await exchange()).status).toBe(201);
  expect((await answered(owner, request, workspaceId)).status).toBe(201);
});

test("it is about this Workspace and about MCP clients: developer clients and other Workspaces go on", async () => {
  const [place, other] = [await world(running), await world(running)];
  await put(place, false, "0");
  const { refresh_token, access_token } = await tokensFor(running, place, cli);
  expect((await place.owner.bearer(access_token, "GET", `/workspaces/${place.workspaceId}/projects`)).status).toBe(200);
  expect((await refreshed(running, cli, refresh_token)).status).toBe(200);
  const tokens = await tokensFor(running, other, await registered(running));
  expect(await principalOf(tokens.access_token)).toMatchObject({ workspace_id: other.workspaceId });
});

test("a repeated key gets the first answer although the revision has moved on", async () => {
  const place = await world(running);
  const key = newKey();
  const once = () => place.owner.call("PUT", pathOf(place), { body: { enabled: false }, ifMatch: "0", key });
  const [first, second] = [await once(), await once()];
  expect([second.status, second.text]).toEqual([200, first.text]);
});
