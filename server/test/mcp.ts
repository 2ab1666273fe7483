// What a test plays an MCP client with: credentials of each kind, a message to /mcp as an older client sends it, and
// whom a credential speaks for.

import { mcpScopes } from "@svc/contract/accounts/oauth/scopes.ts";
import { op } from "@svc/contract/kit.ts";
import { expect } from "vitest";
import { mcpTerms } from "../src/accounts/oauth/store.ts";
import { authenticate } from "../src/platform/kernel/authentication.ts";
import { secretKind, sha256 } from "../src/platform/wire/ids.ts";
import { Refusal } from "../src/platform/wire/problem.ts";
import { registered, tokensFor } from "./oauth.ts";
import { newProject, newTask } from "./work.ts";
import { newKey, type Person, type TestService, type World, world } from "./world.ts";

const ANYTHING = op("GET /mcp", "Be known", { auth: [] });
/** Whom an MCP credential speaks for at a resource; undefined: nobody. */
export const mcpPrincipal = (running: TestService, token: string, resource = `${running.url}/mcp`) =>
  running.database.reader.use(async (tx) => {
    const kind = secretKind(token) === "msk" ? ("service" as const) : ("mcp" as const);
    const presented = { kind, secret: token, hash: sha256(token) };
    const reach = { workspaceId: null, into: "membership" as const };
    const hold = { local: false, claim: null };
    try {
      const terms = mcpTerms(presented, resource, mcpScopes);
      const { principal } = await authenticate(tx, ANYTHING, presented, reach, hold, () => {}, terms);
      return {
        id: principal.credentialId,
        kind: principal.kind,
        user_id: principal.accountId,
        actor_id: principal.membership?.actorId,
        role: principal.membership?.role,
        workspace_id: principal.workspaceId,
        scopes: principal.scopes,
        project_ids: principal.projects.replace(/[{}]/g, "").split(",").filter(Boolean),
      };
    } catch (error) {
      if (error instanceof Refusal) return undefined;
      throw error;
    }
  });

/** The token of an OAuth client that somebody has let in. */
export const mcpToken = async (
  running: TestService,
  place: World,
  scope = "svc:read svc:write",
  person = place.owner,
) => {
  const client = await registered(running, { client_name: "Tidy Robot" });
  const asking = { owner: person, workspaceId: place.workspaceId };
  return (await tokensFor(running, asking, client, { scope })).access_token;
};
/** A service credential of the Workspace. */
export async function serviceToken({ owner, workspaceId }: World, scopes: string[], projectIds: string[] = []) {
  const body = { name: "Nightly robot", scopes, project_ids: projectIds };
  const answer = await owner.call("POST", `/workspaces/${workspaceId}/mcp-service-credentials`, { body });
  expect(answer.status, answer.text).toBe(201);
  return answer.body as { token: string; actor_id: string; id: string };
}

export interface McpAnswer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a message of the protocol.
  message: any;
  text: string;
}
let lastId = 0;
/** One message, as a client of the older specification sends it. */
export async function sendMcp(
  running: TestService,
  token: string | null,
  method: string,
  params: object = {},
  headers: Record<string, string> = {},
): Promise<McpAnswer> {
  const answer = await fetch(`${running.url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: ++lastId, method, params }),
  });
  const text = await answer.text();
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  return { status: answer.status, headers: answer.headers, text, message: data === "" ? null : JSON.parse(data) };
}

/** Calls a tool, and gives its result: the structured content of a success, or the text of what was refused. */
export async function callTool(running: TestService, token: string, name: string, args: object = {}) {
  const { status, message, text } = await sendMcp(running, token, "tools/call", { name, arguments: args });
  expect(status, text).toBe(200);
  expect(message.error, text).toBeUndefined();
  const { result } = message;
  if (result.isError) return { refused: result.content[0].text as string };
  expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent);
  return result.structuredContent;
}
export const toolNames = async (running: TestService, token: string): Promise<string[]> =>
  (await sendMcp(running, token, "tools/list")).message.result.tools.map(({ name }: { name: string }) => name);

/** Turns AI access of the Workspace off, or on again. */
export const letAiIn = async (person: Person, workspaceId: string, enabled: boolean) => {
  const path = `/workspaces/${workspaceId}/ai-access-policy`;
  const { revision } = (await person.call("GET", path)).body;
  const answer = await person.call("PUT", path, { body: { enabled }, ifMatch: revision });
  expect(answer.status, answer.text).toBe(200);
};

/** A Project with a Task, and the tools of a client that its owner has let in. */
export async function toolWorkshop(running: TestService, scope = "svc:read svc:write") {
  const place = await world(running);
  const project = await newProject(place);
  const task = await newTask(place.owner, project.id, { description_markdown: "With a file." });
  const token = await mcpToken(running, place, scope);
  return { place, project, task, token, use: (name: string, args?: object) => callTool(running, token, name, args) };
}
export const documentIn = async ({ owner, workspaceId }: World, body: object) => {
  const made = await owner.call("POST", `/workspaces/${workspaceId}/documents`, { body, key: newKey() });
  expect(made.status, made.text).toBe(201);
};
export const taskByCode = async ({ owner, workspaceId }: World, code: string) =>
  (await owner.call("GET", `/workspaces/${workspaceId}/tasks/${code}?include=status,assignee,labels`)).body;
