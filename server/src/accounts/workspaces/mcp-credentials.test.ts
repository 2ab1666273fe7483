// MCP service credentials: what can be made, that it is shown once, whom it speaks for, and that its end is an end.
import { mcpScopes } from "@svc/contract/accounts/oauth/scopes.ts";
import { expect, test } from "vitest";
import { mcpPrincipal } from "../../../test/mcp.ts";
import { eventsOf, newProject, pages } from "../../../test/work.ts";
import { newKey, service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();
const pathOf = ({ workspaceId }: World) => `/workspaces/${workspaceId}/mcp-service-credentials`;
const make = (place: World, change: object = {}, options: object = {}, person = place.owner) =>
  person.call("POST", pathOf(place), { body: { name: "Nightly report", scopes: ["svc:read"], ...change }, ...options });
const principalOf = (token: string) => mcpPrincipal(running, token);
const daysFromNow = (days: number, seconds = 0) =>
  new Date(Date.now() + days * 86_400_000 + seconds * 1000).toISOString();
/** So many active ones, made past the service. */
const fill = ({ workspaceId }: World, count: number) =>
  running.sql(
    `insert into credentials (id, kind, secret_hash, workspace_id, actor_id, project_ids, scopes, name, last_four,
     expires_at)
     select gen_random_uuid(), 'service', sha256(gen_random_uuid()::text::bytea), $1, gen_random_uuid(), '{}',
       '{svc:read}', 'Filler', '1234',
       now() + interval '1 day' from generate_series(1, $2::int)`,
    [workspaceId, count],
  );

test("it acts as a service Actor of its own, with its scopes, in every Project or in those it is narrowed to", async () => {
  const place = await world(running);
  const [one, two] = [await newProject(place), await newProject(place, { visibility: "private" })];
  const wide = await make(place, { scopes: ["svc:activity:read", "svc:agents:write"] });
  expect(wide.status, wide.text).toBe(201);
  expect(wide.trips).toBeLessThanOrEqual(5);
  const { token, ...shown } = wide.body;
  expect(token).toMatch(/^svc_msk_/);
  expect(shown).toMatchObject({
    workspace_id: place.workspaceId,
    name: "Nightly report",
    scopes: ["svc:activity:read", "svc:agents:write"],
    project_ids: [],
    last_four: token.slice(-4),
    last_used_at: null,
    revision: "1",
  });
  expect(Math.round((Date.parse(shown.expires_at) - Date.parse(shown.created_at)) / 86_400_000)).toBe(365);
  expect(await principalOf(token)).toEqual({
    id: shown.id,
    kind: "service",
    user_id: null,
    actor_id: shown.actor_id,
    role: "member",
    workspace_id: place.workspaceId,
    scopes: shown.scopes,
    project_ids: [],
  });
  const actor = "select kind, name, user_id from actors where id = $1";
  expect(await running.sql(actor, [shown.actor_id], place.workspaceId)).toEqual([
    { kind: "service", name: "Nightly report", user_id: null },
  ]);
  const narrow = await make(place, { project_ids: [two.id, one.id] });
  expect(await principalOf(narrow.body.token)).toMatchObject({ project_ids: [two.id, one.id] });
  expect(narrow.body.actor_id).not.toBe(shown.actor_id);
});

test("the raw credential is in the creating answer and in its replay, and nowhere else", async () => {
  const place = await world(running);
  const key = newKey();
  const [first, second] = [await make(place, {}, { key }), await make(place, {}, { key })];
  expect([second.status, second.text]).toEqual([201, first.text]);
  expect(second.headers.get("idempotent-replayed")).toBe("true");
  const { token, capabilities, ...shown } = first.body;
  expect(capabilities).toEqual(["mcp_credential:revoke"]);
  const listed = await place.owner.call("GET", pathOf(place));
  expect(listed.body.items).toEqual([shown]);
  const kept = await running.sql<{ all: string }>(
    `select coalesce(string_agg(row_to_json(k)::text, ''), '') || (select string_agg(row_to_json(c)::text, '')
       from credentials c) || (
       select coalesce(string_agg(row_to_json(e)::text, ''), '') from domain_events e) as all from idempotency_keys k`,
    [],
    place.workspaceId,
  );
  expect(kept[0]?.all).toContain(shown.id);
  expect(kept[0]?.all).not.toContain(token);
  expect(await eventsOf(running, place, shown.id)).toMatchObject([
    { type: "mcp_service_credential.created", activity: null, payload: { scopes: ["svc:read"] } },
  ]);
});

test("1 to 37 of the 37 scopes, a name, and an expiry within 366 days", async () => {
  const place = await world(running);
  expect(mcpScopes).toHaveLength(37);
  expect((await make(place, { scopes: mcpScopes })).body.scopes).toEqual(mcpScopes);
  for (const [change, pointer] of [
    [{ scopes: [] }, "/body/scopes"],
    [{ scopes: [...mcpScopes, "svc:read"] }, "/body/scopes"],
    [{ scopes: ["svc:read", "svc:read"] }, "/body/scopes"],
    [{ scopes: ["svc:everything"] }, "/body/scopes/0"],
    [{ scopes: ["svc:activity:write"] }, "/body/scopes/0"],
    [{ name: "" }, "/body/name"],
    [{ name: "x".repeat(101) }, "/body/name"],
    [{ project_ids: null }, "/body/project_ids"],
    [{ project_ids: ["one"] }, "/body/project_ids/0"],
  ] as const) {
    const answer = await make(place, change);
    expect([answer.status, answer.body.errors[0].pointer], JSON.stringify(change)).toEqual([400, pointer]);
  }
  expect((await make(place, { name: "x".repeat(100), expires_at: daysFromNow(366, -5) })).status).toBe(201);
  for (const expires_at of [daysFromNow(366, 60), daysFromNow(0, -1), "9999-12-31T23:59:60Z"]) {
    const answer = await make(place, { expires_at });
    expect([answer.status, answer.body.code, answer.body.errors?.[0].pointer], expires_at).toEqual([
      422,
      "invalid_expiry",
      "/body/expires_at",
    ]);
  }
});

test("Projects of another Workspace, deleted ones and unknown ones are refused alike, each with its pointer", async () => {
  const [place, other] = [await world(running), await world(running)];
  const [own, gone, foreign] = [await newProject(place), await newProject(place), await newProject(other)];
  await running.sql("update projects set deleted_at = now() where id = $1", [gone.id], place.workspaceId);
  const answer = await make(place, { project_ids: [own.id, foreign.id, gone.id, newId()] });
  expect([answer.status, answer.body.code]).toEqual([422, "invalid_reference"]);
  expect(answer.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
    "/body/project_ids/1",
    "/body/project_ids/2",
    "/body/project_ids/3",
  ]);
  expect(new Set(answer.body.errors.map(({ detail }: { detail: string }) => detail)).size).toBe(1);
  expect((await place.owner.call("GET", pathOf(place))).body.items).toEqual([]);
});

test("at most 100 are active, also when several are made at once; revoked and expired ones leave room", async () => {
  const place = await world(running);
  await fill(place, 98);
  const answers = await Promise.all(Array.from({ length: 6 }, () => make(place)));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409, 409]);
  for (const { status, body } of answers) if (status === 409) expect(body.code).toBe("limit_reached");
  expect((await place.owner.call("GET", `${pathOf(place)}?limit=100`)).body).toMatchObject({
    items: { length: 100 },
    has_more: false,
  });
  const made = answers.filter(({ status }) => status === 201);
  await place.owner.call("DELETE", `${pathOf(place)}/${made[0]?.body.id}`);
  await running.sql("update credentials set expires_at = now() where id = $1", [made[1]?.body.id]);
  expect((await make(place)).status).toBe(201);
  expect((await make(place)).status).toBe(201);
  expect((await make(place)).status).toBe(409);
});

test("the list is newest first, page by page, and shows what is active", async () => {
  const place = await world(running);
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.unshift((await make(place, { name: `No ${n}` })).body.id);
  await place.owner.call("DELETE", `${pathOf(place)}/${ids[1]}`);
  await running.sql("update credentials set expires_at = now() where id = $1", [ids[3]]);
  const { items } = await pages(place.owner, pathOf(place), 2);
  expect(items.map(({ id }) => id)).toEqual([ids[0], ids[2], ids[4]]);
});

test("revoking ends it for the very next look, which no instance spares itself; it repeats without fault, and its Actor stays", async () => {
  const place = await world(running);
  const { id, token, actor_id } = (await make(place)).body;
  const path = `${pathOf(place)}/${id}`;
  expect(await principalOf(token)).toBeDefined();
  const [first, second] = [await place.owner.call("DELETE", path), await place.owner.call("DELETE", path)];
  expect([first.status, second.status]).toEqual([204, 204]);
  expect(await principalOf(token)).toBeUndefined();
  expect(await running.sql("select 1 from actors where id = $1", [actor_id], place.workspaceId)).toHaveLength(1);
  expect((await eventsOf(running, place, id)).map(({ type }) => type)).toEqual([
    "mcp_service_credential.created",
    "mcp_service_credential.revoked",
  ]);
  expect((await place.owner.call("DELETE", `${pathOf(place)}/${newId()}`)).status).toBe(404);
});

test("it is found by its own kind only: a personal token's or a foreign credential's id is not found", async () => {
  const [place, other] = [await world(running), await world(running)];
  await place.token();
  const [personal] = await running.sql<{ id: string }>(
    "select id from credentials where user_id = $1 and kind = 'personal'",
    [place.owner.userId],
  );
  const foreign = (await make(other)).body;
  for (const id of [personal?.id, foreign.id])
    expect((await place.owner.call("DELETE", `${pathOf(place)}/${id}`)).status).toBe(404);
  expect(await principalOf(foreign.token)).toBeDefined();
});

test("owners and admins only; and it opens nothing of this interface", async () => {
  const place = await world(running);
  const { id, token } = (await make(place)).body;
  for (const role of ["member", "viewer"] as const) {
    const person = await place.member(role);
    for (const answer of [await person.call("GET", pathOf(place)), await make(place, {}, {}, person)])
      expect([answer.status, answer.body.code], role).toEqual([403, "forbidden"]);
    // Whoever may not list them does not learn which exist.
    for (const each of [id, newId()]) {
      const answer = await person.call("DELETE", `${pathOf(place)}/${each}`);
      expect([answer.status, answer.body.code], role).toEqual([404, "not_found"]);
    }
  }
  expect((await make(place, {}, {}, await place.member("admin"))).status).toBe(201);
  for (const path of [`/workspaces/${place.workspaceId}/projects`, "/workspaces", "/me"])
    expect((await place.owner.bearer(token, "GET", path)).body.code).toBe("invalid_token");
  expect((await running.send("POST", "/oauth/revoke", form(token))).status, "no fault, and no effect").toBe(200);
  expect(await principalOf(token)).toBeDefined();
});
const form = (token: string) => ({
  raw: new URLSearchParams({ token, client_id: "svc-cli" }).toString(),
  headers: { "content-type": "application/x-www-form-urlencoded" },
});

test("what its makers lose does not touch it, and listings of accounts never show it", async () => {
  const place = await world(running);
  const admin = await place.member("admin");
  const { token } = (await make(place, {}, {}, admin)).body;
  await running.sql("update memberships set state = 'removed' where user_id = $1", [admin.userId]);
  expect(await principalOf(token)).toBeDefined();
  for (const path of ["/me/api-tokens", "/me/mcp/grants", "/me/mobile-credentials"])
    expect((await place.owner.call("GET", path)).body.items).toEqual([]);
  expect((await place.owner.call("DELETE", "/me/sessions")).status).toBe(204);
  expect(await principalOf(token)).toBeDefined();
});
