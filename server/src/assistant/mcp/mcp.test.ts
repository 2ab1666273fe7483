// Who is let in at /mcp, who is not, and what they are told: at every request anew, whatever the message says.
import pg from "pg";
import { describe, expect, test } from "vitest";
import { callTool, documentIn, letAiIn, mcpToken, sendMcp, serviceToken, toolNames } from "../../../test/mcp.ts";
import { newProject, newTask } from "../../../test/work.ts";
import { insertCredential, service, sessionHeaders, tripsOf, world } from "../../../test/world.ts";
import { newId, newSecret } from "../../platform/wire/ids.ts";
import { defaultRates } from "../../platform/wire/limits/rate-limit.ts";

const running = service();
const limited = service({
  rateLimits: { ...defaultRates, read: { requests: 4, seconds: 3600 }, refused: { requests: 3, seconds: 3600 } },
});
const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
/** Of every sort: one that the library answers by itself, one that we answer, and one that an operation answers. */
const messages = [
  ["initialize", hello],
  ["ping", {}],
  ["tools/list", {}],
  ["tools/call", { name: "list_projects", arguments: {} }],
  ["tools/call", { name: "no_such_tool", arguments: {} }],
  ["resources/templates/list", {}],
  ["prompts/list", {}],
  ["no/such/method", {}],
] as const;

describe("a credential", () => {
  test("is needed for every message, and the refusal says where to get one", async () => {
    for (const [method, params] of messages) {
      const answer = await sendMcp(running, null, method, params);
      expect([method, answer.status]).toEqual([method, 401]);
      expect(answer.headers.get("www-authenticate")).toBe(
        `Bearer realm="svc", resource_metadata="${running.url}/.well-known/oauth-protected-resource/mcp", ` +
          `scope="svc:read svc:write"`,
      );
      expect(answer.message).toMatchObject({
        jsonrpc: "2.0",
        error: { code: -32000, data: { code: "authentication_required", status: 401 } },
      });
    }
  });

  test("that nobody has, of any message, is 401 invalid_token", async () => {
    for (const [method, params] of messages) {
      const answer = await sendMcp(running, newSecret("mat"), method, params);
      expect([method, answer.status, answer.message.error.data.code]).toEqual([method, 401, "invalid_token"]);
      expect(answer.headers.get("www-authenticate")).toContain('error="invalid_token"');
      expect(answer.text).not.toContain("list_projects");
    }
  });

  test("of the interface is none here: API token, developer token, native token, session", async () => {
    const place = await world(running);
    const developer = newSecret("dat");
    await insertCredential(running, "developer", developer, place.owner.userId, place.workspaceId, ["svc:read"]);
    const native = newSecret("nat");
    await insertCredential(running, "native", native, place.owner.userId, null, []);
    for (const token of [await place.token(), developer, native, place.owner.session, newSecret("mrt"), "junk"])
      expect((await sendMcp(running, token, "tools/list")).status, token).toBe(401);
    const session = await sendMcp(running, null, "tools/list", {}, sessionHeaders(place.owner.session));
    expect([session.status, session.message.error.data.code]).toEqual([401, "authentication_required"]);
  });

  test("of this server is none at the interface", async () => {
    const place = await world(running);
    for (const token of [await mcpToken(running, place), (await serviceToken(place, ["svc:read"])).token]) {
      expect((await sendMcp(running, token, "tools/list")).status).toBe(200);
      const answer = await place.owner.bearer(token, "GET", `/workspaces/${place.workspaceId}/projects`);
      expect([answer.status, answer.body.code]).toEqual([401, "invalid_token"]);
    }
  });

  test("exchanged by the command line is good as long as what it was exchanged for", async () => {
    const place = await world(running);
    const parent = await place.token(["svc:read", "svc:write"]);
    const body = { workspace_id: place.workspaceId, scopes: ["svc:read"] };
    const exchanged = await place.owner.bearer(parent, "POST", "/cli/mcp/token", { body });
    expect(exchanged.status, exchanged.text).toBe(201);
    const token = exchanged.body.access_token;
    expect(await toolNames(running, token)).toContain("find");
    expect(await toolNames(running, token)).not.toContain("create_task");
    await running.sql("update credentials set revoked_at = now() where user_id = $1 and kind = 'personal'", [
      place.owner.userId,
    ]);
    expect((await sendMcp(running, token, "tools/list")).status).toBe(401);
  });

  test("given for another resource, or by a grant that has ended, is 401", async () => {
    const place = await world(running);
    const token = await mcpToken(running, place);
    const grants = "update oauth_grants set resource = $2 where user_id = $1";
    for (const [resource, status] of [
      ["https://elsewhere.example/mcp", 401],
      [null, 401],
      [`${running.url}/mcp`, 200],
    ]) {
      await running.sql(grants, [place.owner.userId, resource]);
      expect((await sendMcp(running, token, "tools/list")).status, String(resource)).toBe(status);
    }
    await running.sql("update oauth_grants set revoked_at = now() where user_id = $1", [place.owner.userId]);
    expect((await sendMcp(running, token, "tools/list")).status).toBe(401);
  });

  test("of a member who was suspended or removed is 401 at the next call", async () => {
    const place = await world(running);
    for (const state of ["suspended", "removed"]) {
      const member = await place.member("member");
      const token = await mcpToken(running, place, "svc:read", member);
      expect(await callTool(running, token, "list_projects")).toMatchObject({ items: [] });
      await running.sql("update memberships set state = $2 where user_id = $1", [member.userId, state]);
      for (const [method, params] of messages)
        expect([method, (await sendMcp(running, token, method, params)).status]).toEqual([method, 401]);
    }
  });

  test("of a service is 401 once it is revoked", async () => {
    const place = await world(running);
    const { token, id } = await serviceToken(place, ["svc:read"]);
    expect((await sendMcp(running, token, "tools/list")).status).toBe(200);
    await place.owner.call("DELETE", `/workspaces/${place.workspaceId}/mcp-service-credentials/${id}`);
    expect((await sendMcp(running, token, "tools/list")).status).toBe(401);
  });
});

test("the Workspace's AI access policy is asked at every message: off is 403 in words, on again is as before", async () => {
  const place = await world(running);
  const tokens = [await mcpToken(running, place), (await serviceToken(place, ["svc:read"])).token];
  for (const enabled of [false, true]) {
    await letAiIn(place.owner, place.workspaceId, enabled);
    for (const token of tokens)
      for (const [method, params] of messages) {
        const { status, message, headers } = await sendMcp(running, token, method, params);
        expect([method, status]).toEqual([method, enabled ? 200 : 403]);
        if (enabled) continue;
        expect(message.error.data.code).toBe("ai_access_disabled");
        expect(message.error.message).toContain("An owner or an admin can turn AI access on again");
        expect(headers.get("www-authenticate"), "no reason to ask the person again").toBeNull();
      }
  }
});

test("a tool beyond the scopes is 403 and names the scope to ask for; nothing happens", async () => {
  const place = await world(running);
  const project = await newProject(place);
  const token = await mcpToken(running, place, "svc:tasks:read svc:comments:write");
  expect((await toolNames(running, token)).sort()).toEqual([
    "comment",
    "get_receipt",
    "get_task",
    "list_tasks",
    "my_work",
  ]);
  const params = { name: "create_task", arguments: { project: project.key, title: "Beyond" } };
  const answer = await sendMcp(running, token, "tools/call", params);
  expect([answer.status, answer.message.error.data.code]).toEqual([403, "insufficient_scope"]);
  expect(answer.headers.get("www-authenticate")).toContain('error="insufficient_scope", scope="svc:write"');
  expect((await callTool(running, token, "list_tasks")).items).toEqual([]);
});

test("a page of another origin is refused, our own is not; other methods are 405", async () => {
  const place = await world(running);
  const token = await mcpToken(running, place);
  for (const [origin, status] of [
    ["https://evil.example", 403],
    ["null", 403],
    [new URL(running.url).origin, 200],
  ] as const)
    expect((await sendMcp(running, token, "tools/list", {}, { origin })).status, origin).toBe(status);
  for (const method of ["GET", "DELETE", "PUT"]) {
    const answer = await fetch(`${running.url}/mcp`, { method, headers: { authorization: `Bearer ${token}` } });
    expect([method, answer.status, answer.headers.get("allow")]).toEqual([method, 405, "POST"]);
  }
});

test("what is no message of the protocol is refused as one, once the credential is known", async () => {
  const place = await world(running);
  const token = await mcpToken(running, place);
  const post = (body: string, authorization: string, type = "application/json") =>
    fetch(`${running.url}/mcp`, {
      method: "POST",
      headers: { authorization, "content-type": type, accept: "application/json, text/event-stream" },
      body,
    });
  for (const body of ["", "{", "[]", "1", "null", '{"jsonrpc":"1.0"}']) {
    const answer = await post(body, `Bearer ${token}`);
    expect([body, answer.status]).toEqual([body, 400]);
    expect((await post(body, `Bearer ${newSecret("mat")}`)).status, body).toBe(401);
  }
  expect((await post("{}", `Bearer ${token}`, "text/plain")).status).toBe(415);
  expect((await post(`"${"x".repeat(5 * 1024 * 1024)}"`, `Bearer ${token}`)).status).toBe(413);
});

describe("rate limits", () => {
  test("count by credential: above them 429 says when to come again, to others it is nothing", async () => {
    const place = await world(limited);
    const [one, other] = [await mcpToken(limited, place), await mcpToken(limited, place)];
    for (let left = 3; left >= 0; left--) {
      const answer = await sendMcp(limited, one, "tools/call", { name: "list_projects" });
      expect([answer.status, answer.headers.get("x-ratelimit-remaining")]).toEqual([200, String(left)]);
    }
    for (const method of ["tools/list", "ping"]) {
      const refused = await sendMcp(limited, one, method);
      expect([refused.status, refused.message.error.data.code]).toEqual([429, "rate_limited"]);
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    }
    expect((await sendMcp(limited, other, "tools/list")).status).toBe(200);
  });

  test("hold off whoever makes up credentials, and nobody who has one", async () => {
    const place = await world(limited);
    const token = await mcpToken(limited, place);
    const made = async () => (await sendMcp(limited, newSecret("mat"), "tools/list")).status;
    const statuses = [await made(), await made(), await made(), await made(), await made()];
    expect(statuses.at(-1)).toBe(429);
    expect((await sendMcp(limited, token, "tools/list")).status).toBe(200);
  });
});

test("tools/list and a read by code take one database round-trip, with the credential in it", async () => {
  const place = await world(running);
  const { id: projectId, key } = await newProject(place);
  const task = await newTask(place.owner, projectId);
  await documentIn(place, { title: "Plan", markdown: "Cut." });
  const token = await mcpToken(running, place);
  const trips = async (method: string, params: object) => {
    const id = newId();
    expect((await sendMcp(running, token, method, params, { "x-correlation-id": id })).status).toBe(200);
    return tripsOf(id);
  };
  expect(await trips("tools/list", {})).toBe(1);
  expect(await trips("ping", {})).toBe(1);
  for (const [name, args] of [
    ["find", { query: "gears" }],
    ["my_work", {}],
    ["list_tasks", { category: ["started"] }],
    ["list_projects", {}],
    ["list_documents", {}],
    ["get_document", { path: "plan" }],
    ["get_project", { key }],
    ["my_work", { view: "inbox" }],
    ["my_work", { view: "time", from: "2026-01-01", to: "2026-01-31" }],
    ["get_task", { code: task.code }],
  ] as const)
    expect([name, await trips("tools/call", { name, arguments: args })]).toEqual([name, 1]);
});

test("closing the stream cancels the call: nothing is committed after it", async () => {
  const place = await world(running);
  const task = await newTask(place.owner, (await newProject(place)).id);
  const token = await mcpToken(running, place);
  const holder = new pg.Client(running.databaseUrl);
  await holder.connect();
  try {
    await holder.query("begin");
    await holder.query("select from tasks where id = $1 for update", [task.id]);
    const leaving = new AbortController();
    const calling = fetch(`${running.url}/mcp`, {
      method: "POST",
      signal: leaving.signal,
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "advance_task", arguments: { code: task.code, revision: "1", step: "start" } },
      }),
    }).catch((error: Error) => error.name);
    const waits = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    while ((await holder.query(waits)).rowCount === 0);
    leaving.abort();
    expect(await calling).toBe("AbortError");
    // The service has seen it once a message on another connection is answered after it.
    await sendMcp(running, token, "ping");
    await holder.query("rollback");
    const busy = `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and (state = 'active' or state like 'idle in transaction%')`;
    while (((await holder.query(busy)).rowCount ?? 0) > 0);
    const read = await place.owner.call("GET", `/tasks/${task.id}`);
    expect([read.body.started_at, read.body.revision]).toEqual([null, "1"]);
  } finally {
    await holder.end();
  }
});
