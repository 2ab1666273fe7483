// What nests too deep is refused with 400 and a pointer on every surface, before anything recursive walks it: HTTP,
// MCP, both kinds of sockets, rich text and Markdown.
import { operations } from "@svc/contract/operations.ts";
import * as encoding from "lib0/encoding";
import { beforeAll, describe, expect, test } from "vitest";
import { parsedBody } from "../src/connect/integrations/providers/untrusted-fields.ts";
import { read } from "../src/knowledge/collaboration/socket/frames.ts";
import { MOST_JSON_DEPTH } from "../src/platform/wire/input/json-depth.ts";
import { frameIn } from "../src/surfaces/realtime/frames.ts";
import type { Answer } from "./answer.ts";
import { any, newDocument } from "./documents.ts";
import { letAiIn, mcpToken } from "./mcp.ts";
import { newProject, newTask } from "./work.ts";
import { newKey, service, type World, world } from "./world.ts";

const running = service();
let place: World;
beforeAll(async () => {
  place = await world(running);
});
const faultsOf = ({ status, body }: Answer) => [
  status,
  body.code,
  body.errors?.map(({ pointer, code }: Record<string, string>) => [pointer, code]),
];

/** As text: a client's own JSON.stringify may not come so deep. */
const doc = (depth: number) =>
  `{"content":{"type":"doc","content":[${'{"type":"blockquote","content":['.repeat(depth)}{"type":"paragraph"}${"]}".repeat(depth)}]}}`;

describe("rich text", () => {
  test("of 63 quotes is stored, of 64 is refused by its own limit, and of 3,000 by that of every body", async () => {
    const { id } = await newDocument(place);
    const write = (depth: number) =>
      place.owner.call("PUT", `/documents/${id}/content`, {
        raw: doc(depth),
        headers: { ...any.headers, "content-type": "application/json" },
      });
    expect((await write(63)).status).toBe(200);
    expect(faultsOf(await write(64))[0]).toBe(400);
    expect(faultsOf(await write(3000))).toEqual([400, "invalid_request", [["/body/content", "too_deep"]]]);
    expect((await place.owner.call("GET", `/documents/${id}/content`)).status).toBe(200);
  });
});

describe("Markdown of 3,000 quotes", () => {
  const deep = `${">".repeat(3000)} a`;
  const good = `${">".repeat(60)} a`;

  test("is refused by every operation that takes Markdown", async () => {
    const { owner, workspaceId } = place;
    const project = await newProject(place);
    const task = await newTask(owner, project.id);
    const document = await newDocument(place);
    const comment = (await owner.call("POST", `/tasks/${task.id}/comments`, { body: { markdown: "a" }, key: newKey() }))
      .body;
    const calls: [string, string, string, object][] = [
      ["POST", `/projects/${project.id}/tasks`, "description_markdown", { title: "Deep" }],
      ["PATCH", `/tasks/${task.id}`, "description_markdown", {}],
      ["POST", `/tasks/${task.id}/comments`, "markdown", {}],
      ["PATCH", `/comments/${comment.id}`, "markdown", {}],
      ["POST", `/workspaces/${workspaceId}/documents`, "markdown", { title: "Deep" }],
      ["PUT", `/documents/${document.id}/markdown`, "markdown", {}],
      ["POST", `/workspaces/${workspaceId}/projects`, "description_markdown", { key: "DEEP", name: "Deep" }],
      ["PATCH", `/projects/${project.id}`, "description_markdown", {}],
      ["POST", `/projects/${project.id}/milestones`, "description_markdown", { name: "Deep" }],
    ];
    for (const [method, path, field, body] of calls) {
      const send = (markdown: string) =>
        owner.call(method, path, {
          body: { ...body, [field]: markdown },
          key: newKey(),
          ...(method !== "POST" && any),
        });
      expect([path, ...faultsOf(await send(deep))], path).toEqual([
        path,
        400,
        "invalid_request",
        [[`/body/${field}`, "too_deep"]],
      ]);
      const answer = await send(good);
      expect([path, Math.floor(answer.status / 100)], answer.text).toEqual([path, 2]);
    }
  });

  test("has a limit wherever an operation declares Markdown", () => {
    const without: string[] = [];
    const walk = (schema: Record<string, unknown>, path: string) => {
      for (const [name, value] of Object.entries(schema)) {
        if (typeof value !== "object" || value === null) continue;
        const { type, "x-max-nesting": most } = value as Record<string, unknown>;
        if (/(?:^|_)markdown$/.test(name) && type === "string" && most === undefined) without.push(`${path}/${name}`);
        walk(value as Record<string, unknown>, `${path}/${name}`);
      }
    };
    for (const { id, schemas } of operations.values()) if (schemas.body) walk(schemas.body as never, id);
    expect(without).toEqual([]);
  });
});

test("a message to MCP that nests too deep gets 400 with a pointer, and no cause from within", async () => {
  await letAiIn(place.owner, place.workspaceId, true);
  const token = await mcpToken(running, place);
  const send = async (depth: number) => {
    const deep = `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_projects","arguments":${deep}}}`;
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const answer = await fetch(`${running.url}/mcp`, {
      method: "POST",
      headers: { ...headers, authorization: `Bearer ${token}` },
      body,
    });
    return { status: answer.status, text: await answer.text() };
  };
  for (const depth of [MOST_JSON_DEPTH - 1, 5000, 600_000]) {
    const { status, text } = await send(depth);
    expect([depth, status]).toEqual([depth, 400]);
    const { error } = JSON.parse(text);
    expect([error.code, error.data.code, error.data.errors]).toMatchObject([
      -32000,
      "invalid_request",
      [{ pointer: "/body/params", code: "too_deep" }],
    ]);
  }
  expect((await send(MOST_JSON_DEPTH - 2)).text).not.toMatch(/-32603|too_deep/);
});

describe("sockets", () => {
  const deep = `${"[".repeat(5000)}${"]".repeat(5000)}`;

  test("a frame of realtime names what nests too deep", () => {
    expect(() => frameIn(Buffer.from(`{"type":"subscribe","scopes":${deep}}`), false)).toThrow(
      /\/scopes nests too deep/,
    );
  });

  test("a presence in a Document that nests too deep is no presence", () => {
    const inner = encoding.createEncoder();
    encoding.writeVarUint(inner, 1);
    encoding.writeVarUint(inner, 7);
    encoding.writeVarUint(inner, 1);
    encoding.writeVarString(inner, `{"user":${deep}}`);
    const frame = encoding.createEncoder();
    encoding.writeVarString(frame, "document:x");
    encoding.writeVarUint(frame, 1);
    encoding.writeVarUint8Array(frame, encoding.toUint8Array(inner));
    expect(() => read(encoding.toUint8Array(frame))).toThrow();
  });
});

test("a provider's delivery that nests too deep is none", () => {
  expect(parsedBody(Buffer.from('{"a":[1]}'))).toEqual({ a: [1] });
  expect(parsedBody(Buffer.from(`{"a":${"[".repeat(5000)}${"]".repeat(5000)}}`))).toBeNull();
});
