// MCP resources: addresses that a client shows or attaches, each read by a tool. They are not listed, because there are
// too many; find finds them.

import { newId } from "../../platform/wire/ids.ts";
import { Refusal } from "../../platform/wire/problem.ts";
import { toolNamed } from "../tools/tools.ts";
import type { McpExchange } from "./exchange.ts";

export const resourceTemplates = [
  {
    uriTemplate: "svc://task/{code}",
    name: "task",
    description: "A Task with its context",
    mimeType: "application/json",
  },
  { uriTemplate: "svc://document/{+path}", name: "document", description: "A Document", mimeType: "text/markdown" },
  { uriTemplate: "svc://project/{key}", name: "project", description: "A Project", mimeType: "application/json" },
];

const kinds: Record<string, { tool: string; argument: string }> = {
  task: { tool: "get_task", argument: "code" },
  document: { tool: "get_document", argument: "path" },
  project: { tool: "get_project", argument: "key" },
};

export async function readResource(exchange: McpExchange, uri: string, signal: AbortSignal) {
  const [, kind = "", name = ""] = /^svc:\/\/(\w+)\/([^?#]+)$/.exec(uri) ?? [];
  const { tool: called, argument } = kinds[kind] ?? {};
  const tool = called && toolNamed(called, exchange.presented.kind);
  if (!tool || !argument) throw new Refusal("not_found");
  const context = {
    call: exchange.under(tool.scopes, signal),
    key: async () => newId(),
    step: async () => {},
    self: exchange.self,
    origin: exchange.origin,
    page: exchange.page,
  };
  const result = await tool.run(context, { [argument]: decoded(name) });
  return kind === "document"
    ? { uri, mimeType: "text/markdown", text: result.markdown as string, _meta: { url: result.url } }
    : { uri, mimeType: "application/json", text: JSON.stringify(result) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Refusal("not_found");
  }
}
