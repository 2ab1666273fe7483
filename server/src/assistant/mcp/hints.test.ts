// Every next step in a tool error names only tools that the client has, and no HTTP headers, paths or members.

import { mcpScopes, offeredScopes } from "@svc/contract/accounts/oauth/scopes.ts";
import { type ErrorCode, errors } from "@svc/contract/errors.ts";
import { operations } from "@svc/contract/operations.ts";
import { describe, expect, test } from "vitest";
import { callTool, documentIn, mcpToken, sendMcp, toolNames, toolWorkshop } from "../../../test/mcp.ts";
import { service } from "../../../test/world.ts";
import { Refusal } from "../../platform/wire/problem.ts";
import { said } from "../tools/refusal-text.ts";
import { tools } from "../tools/tools.ts";

const running = service();
const every = tools.map(({ name }) => name);
const namedIn = (text: string) => (text.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? []).filter((word) => every.includes(word));

describe("texts name only tools that the credential has", () => {
  test.each(offeredScopes)("with %s alone", async (scope) => {
    const { place } = await toolWorkshop(running);
    const token = await mcpToken(running, place, scope);
    const offered = await toolNames(running, token);
    expect(offered).not.toEqual([]);
    const listed = (await sendMcp(running, token, "tools/list")).text;
    expect(namedIn(listed).filter((name) => !offered.includes(name))).toEqual([]);
    const { prompts } = (await sendMcp(running, token, "prompts/list")).message.result;
    for (const { name } of prompts) {
      const params = { name, arguments: { code: "ENG-1", project: "ENG", since: "2026-05-01" } };
      const { text } = await sendMcp(running, token, "prompts/get", params);
      expect(namedIn(text).filter((each) => !offered.includes(each))).toEqual([]);
    }
  });

  test("every prompt is there for a client that reads and writes, and none that needs a tool which the client lacks", async () => {
    const { place, token } = await toolWorkshop(running);
    const promptsOf = async (credential: string) =>
      (await sendMcp(running, credential, "prompts/list")).message.result.prompts.map(
        ({ name }: { name: string }) => name,
      );
    expect(await promptsOf(token)).toEqual(["plan_my_day", "break_down_task", "write_release_notes"]);
    const reader = await mcpToken(running, place, "svc:tasks:read");
    expect(await promptsOf(reader)).toEqual(["plan_my_day", "write_release_notes"]);
    const params = { name: "break_down_task", arguments: { code: "ENG-1" } };
    expect((await sendMcp(running, reader, "prompts/get", params)).message.error.message).toContain(
      "There is no prompt called break_down_task",
    );
  });

  test("a refusal names the tool that finds such a thing, and none that the client lacks", async () => {
    const { place, task, use } = await toolWorkshop(running);
    for (const [name, args, told] of [
      ["get_task", { code: "NOPE-1" }, "Look for it with find. [not_found]"],
      ["get_project", { key: "NOPE" }, "list_projects names those that you can see. [not_found]"],
      ["get_document", { path: "nowhere" }, "list_documents names those at the top. [not_found]"],
      ["create_task", { project: "NOPE", title: "x" }, "list_projects names those that you can see. [not_found]"],
      ["get_receipt", { id: "never-sent-anything" }, "or you cannot read it. [not_found]"],
    ] as const)
      expect((await use(name, args)).refused, name).toContain(told);
    const narrow = await mcpToken(running, place, "svc:tasks:write");
    const stale = { code: task.code, revision: "9", priority: "low" };
    const refused = (await callTool(running, narrow, "update_task", stale)).refused;
    expect(refused).toBe(
      "Changed by someone else. It has changed since you read it. Its revision is now 1. [revision_conflict]",
    );
    const missing = (await callTool(running, narrow, "update_task", { ...stale, code: "NOPE-1" })).refused;
    expect(missing).toBe("Not found. It does not exist, or you cannot read it. [not_found]");
  });

  test("a Document that moved on sends the client to get_document", async () => {
    const { place, use } = await toolWorkshop(running);
    await documentIn(place, { title: "Plan", markdown: "Use brass." });
    const args = { path: "plan", revision: "99", edits: [{ find: "brass", replace: "steel" }] };
    expect((await use("patch_document", args)).refused).not.toContain("get_task");
  });
});

test("no text of a refusal that a tool can meet speaks of HTTP, or of members that a result does not have", () => {
  const codes = new Set<ErrorCode>(Object.keys(errors) as ErrorCode[]);
  const met = tools.flatMap((tool) => tool.operations).flatMap((id) => operations.get(id)?.errors ?? []);
  for (const code of new Set([...met, "internal"] as ErrorCode[])) {
    expect(codes).toContain(code);
    const text = said(new Refusal(code));
    expect(text, code).not.toMatch(/`errors`|\b(?:GET|POST|PUT|PATCH|DELETE)\b|If-Match|Idempotency-Key|header/);
  }
  expect(mcpScopes.length).toBe(37);
});
