// The AsyncAPI 3 document as a pure function of the frames: one channel, one message per frame, one operation per
// direction. "send" is the client's view; the document describes the server, which receives those frames.
import { API_VERSION, credentialNames } from "../../kit.ts";
import { info, securitySchemes } from "../../openapi-parts.ts";
import { input, type Json, output, type Shared } from "../../openapi-schemas.ts";
import { type Frame, frames } from "./frames.ts";
import { endings, PROTOCOL } from "./limits.ts";

const reference = (...path: string[]) => ({ $ref: `#/${path.join("/")}` });
const named = (all: readonly Frame[], make: (frame: Frame) => Json) =>
  Object.fromEntries(all.map((frame) => [frame.type, make(frame)]));
const from = (side: Frame["from"]) => frames.filter((frame) => frame.from === side);
const messages = (side: Frame["from"]) =>
  from(side).map(({ type }) => reference("channels", "realtime", "messages", type));

const NOTHING_SHARED: Shared = { schemas: {}, parameters: {}, responses: {}, examples: {}, tags: new Set() };
const message = ({ type, from, summary, schema, example }: Frame): Json => ({
  name: type,
  summary,
  contentType: "application/json",
  // Frames of the server are open schemas: fields may be added.
  payload: from === "client" ? input(schema) : output(schema, NOTHING_SHARED),
  examples: [{ payload: example }],
});
const closing = Object.entries(endings)
  .map(([code, { close, detail }]) => `- ${close} ${code}: ${detail}`)
  .join("\n");

const { S, M, C } = credentialNames;
const credentials = {
  [S]: {
    type: "httpApiKey",
    in: "cookie",
    name: securitySchemes[S].name,
    description: "Browser session, with Origin.",
  },
  [M]: securitySchemes[M],
  [C]: securitySchemes[C],
};

export function asyncApi(): Json {
  return {
    asyncapi: "3.0.0",
    info: {
      title: "svc realtime",
      version: API_VERSION,
      license: { name: info.license.name },
      description:
        `Changes as they happen, on a WebSocket that speaks ${PROTOCOL}. Upcoming: it may still change. ` +
        `Frames are JSON objects with \`type\`; ignore fields and types that you do not know. ` +
        `The server says bye before it closes:\n\n${closing}`,
    },
    defaultContentType: "application/json",
    servers: {
      here: {
        host: "svc.example.com",
        protocol: "wss",
        pathname: "/api/v1",
        security: Object.keys(credentials).map((name) => reference("components", "securitySchemes", name)),
      },
    },
    channels: {
      realtime: {
        address: "/realtime",
        summary: "One socket of one person, in one Workspace or none.",
        messages: named(frames, ({ type }) => reference("components", "messages", type)),
        bindings: {
          ws: {
            method: "GET",
            headers: {
              type: "object",
              properties: {
                "Sec-WebSocket-Protocol": { type: "string", const: PROTOCOL },
                "X-Svc-Workspace-ID": { type: "string", format: "uuid" },
              },
              required: ["Sec-WebSocket-Protocol"],
            },
          },
        },
      },
    },
    operations: {
      hear: { action: "receive", channel: reference("channels", "realtime"), messages: messages("client") },
      tell: { action: "send", channel: reference("channels", "realtime"), messages: messages("server") },
    },
    components: { messages: named(frames, message), securitySchemes: credentials },
  };
}
