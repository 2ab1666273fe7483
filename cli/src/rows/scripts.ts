// Rows of the table of commands: agents and scripts.
import type { Command } from "../command.ts";
import { code, key, revision } from "./pieces.ts";

export const scriptRows: readonly Command[] = [
  {
    name: "context",
    summary: "Print a Task with all that is needed to work on it",
    details: "Markdown, made to be put into a prompt: what people wrote is marked as data.",
    arguments: [code],
    flags: [{ name: "full", help: "Up to 64 KiB in place of 16" }],
    examples: [["context ENG-12 --full", "for an agent"]],
    load: async () => (await import("../commands/context.ts")).context,
  },
  {
    name: "mcp",
    summary: "Connect an assistant on this machine with the service",
    details:
      'Speaks MCP on standard input and output. In the configuration of an assistant: { "command": ' +
      '"svc", "args": ["mcp"] }',
    raw: true,
    examples: [["mcp", "started by an assistant"]],
    load: async () => (await import("../commands/mcp.ts")).mcp,
  },
  {
    name: "api",
    summary: "Call any operation of the interface",
    arguments: [
      { name: "method", help: "GET, POST, PUT, PATCH or DELETE" },
      { name: "path", help: "Such as /cli/projects; {workspace} stands for the Workspace's id" },
    ],
    flags: [
      {
        name: "field",
        short: "f",
        value: "name=text",
        help: "A field of the body, or of the query of a GET",
        many: true,
      },
      {
        name: "json-field",
        short: "j",
        value: "name=json",
        help: "The same with a number, a list or whatever JSON has",
        many: true,
      },
      { name: "input", value: "file", help: "The body as it is; - is standard input", offered: "file" },
      { name: "header", short: "H", value: "name: value", help: "A header", many: true },
      { name: "include", short: "i", help: "Print status and headers too" },
      revision,
      key,
    ],
    examples: [
      ["api GET /cli/my-work --jq '.items[].code'", "read"],
      ["api POST /cli/projects/ENG/tasks -f title='Cut the gears'", "write"],
    ],
    load: async () => (await import("../commands/api.ts")).api,
  },
];
