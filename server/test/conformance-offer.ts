// What the published conformance suite wants of a server, as an offer of its own: it is served by the transport that
// serves our tools, to whom that lets in.
import { setTimeout as sleep } from "node:timers/promises";
import { Server } from "@modelcontextprotocol/server";
import type { McpServerFactory } from "../src/assistant/mcp/protocol.ts";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==";
const SCHEMA = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object" as const,
  $defs: { address: { type: "object", properties: { street: { type: "string" }, city: { type: "string" } } } },
  properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
  additionalProperties: false,
};

const text = (said: string) => ({ type: "text" as const, text: said });
const image = { type: "image" as const, data: PNG, mimeType: "image/png" };
const embedded = (uri: string, mimeType: string, said: string) => ({
  type: "resource" as const,
  resource: { uri, mimeType, text: said },
});
const said = {
  test_simple_text: [text("This is a simple text response for testing.")],
  test_image_content: [image],
  test_audio_content: [{ type: "audio" as const, data: WAV, mimeType: "audio/wav" }],
  test_embedded_resource: [embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
  test_multiple_content_types: [
    text("Multiple content types test:"),
    image,
    embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
  ],
  json_schema_2020_12_tool: [text("Checked.")],
};
const named = (name: string) => ({
  name,
  description: `Wanted by the suite: ${name}`,
  inputSchema: { type: "object" as const },
});
const tools = [
  ...Object.keys(said).map((name) =>
    name === "json_schema_2020_12_tool" ? { ...named(name), inputSchema: SCHEMA } : named(name),
  ),
  ...["test_tool_with_logging", "test_tool_with_progress", "test_error_handling"].map(named),
];

const user = (...content: object[]) =>
  content.map((each) => ({ role: "user" as const, content: each as typeof image }));
const prompts: Record<string, { takes: string[]; messages(given: Record<string, string>): ReturnType<typeof user> }> = {
  test_simple_prompt: { takes: [], messages: () => user(text("This is a simple prompt for testing.")) },
  test_prompt_with_arguments: {
    takes: ["arg1", "arg2"],
    messages: ({ arg1, arg2 }) => user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  },
  test_prompt_with_embedded_resource: {
    takes: ["resourceUri"],
    messages: ({ resourceUri = "" }) =>
      user(embedded(resourceUri, "text/plain", "Embedded resource content for testing."), text("Please process it.")),
  },
  test_prompt_with_image: { takes: [], messages: () => user(image, text("Please analyze the image above.")) },
};

const resources = [
  { uri: "test://static-text", name: "Text", mimeType: "text/plain" },
  { uri: "test://static-binary", name: "Picture", mimeType: "image/png" },
];
function contentsOf(uri: string) {
  const [, id] = /^test:\/\/template\/(\w+)\/data$/.exec(uri) ?? [];
  if (id !== undefined) {
    const data = { id, templateTest: true, data: `Data for ID: ${id}` };
    return { uri, mimeType: "application/json", text: JSON.stringify(data) };
  }
  return uri === "test://static-binary"
    ? { uri, mimeType: "image/png", blob: PNG }
    : { uri, mimeType: "text/plain", text: "This is the content of the static text resource." };
}

export const conformanceOffer: McpServerFactory = () => {
  const server = new Server(
    { name: "conformance", version: "1.0.0" },
    { capabilities: { tools: {}, resources: {}, prompts: {}, logging: {}, completions: {} } },
  );
  server.setRequestHandler("tools/list", async () => ({ tools }));
  server.setRequestHandler("tools/call", async ({ params: { name } }, { mcpReq }) => {
    if (name === "test_error_handling")
      return { isError: true, content: [text("This tool intentionally returns an error for testing")] };
    if (name === "test_tool_with_logging")
      for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
        await mcpReq.notify({ method: "notifications/message", params: { level: "info", data } });
        await sleep(50);
      }
    const progressToken = mcpReq._meta?.progressToken;
    if (name === "test_tool_with_progress" && progressToken !== undefined)
      for (const progress of [0, 50, 100]) {
        await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 100 } });
        await sleep(50);
      }
    return { content: said[name as keyof typeof said] ?? [text("Done.")] };
  });
  server.setRequestHandler("resources/list", async () => ({ resources }));
  server.setRequestHandler("resources/templates/list", async () => ({
    resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "Data", mimeType: "application/json" }],
  }));
  server.setRequestHandler("resources/read", async ({ params: { uri } }) => ({ contents: [contentsOf(uri)] }));
  server.setRequestHandler("prompts/list", async () => ({
    prompts: Object.entries(prompts).map(([name, { takes }]) => ({
      name,
      arguments: takes.map((each) => ({ name: each, required: true })),
    })),
  }));
  server.setRequestHandler("prompts/get", async ({ params }) => ({
    messages: prompts[params.name]?.messages(params.arguments ?? {}) ?? [],
  }));
  server.setRequestHandler("completion/complete", async () => ({ completion: { values: [] } }));
  server.setRequestHandler("logging/setLevel", async () => ({}));
  return server;
};
