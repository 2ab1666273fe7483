// A provider of a language model that says what a script says, over HTTP, in the words of either API: text piece by
// piece, calls of tools, and everything that goes wrong with a provider. It remembers what it was asked.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { ModelConfig } from "../src/platform/settings/model-config.ts";

export interface Reply {
  text?: readonly string[];
  /** `json` in place of args: as it stands, whatever it is. */
  calls?: readonly { name: string; args?: object; json?: string; id?: string }[];
  /** In place of an answer. */
  status?: number;
  headers?: Record<string, string>;
  /** After the text: the connection ends, nothing more is said, the provider does not want to, or there is no room. */
  after?: "cut" | "silence" | "refusal" | "length";
  /** Waited for before the first piece, and between two. */
  before?: Promise<unknown>;
  /** Waited for behind the first piece. */
  hold?: Promise<unknown>;
  pauseMs?: number;
}
// biome-ignore lint/suspicious/noExplicitAny: what the library sends is looked at in tests.
export type Request = any;
type Next = Reply | ((request: Request) => Reply | Promise<Reply>);

const USAGE = { input: 21, output: 7 };

export async function scriptedModel() {
  const script: Next[] = [];
  const asked: { path: string; headers: IncomingMessage["headers"]; body: Request; aborted: boolean }[] = [];
  let otherwise: Next | null = null;
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = JSON.parse(Buffer.concat(pieces).toString() || "null");
    const seen = { path: request.url ?? "", headers: request.headers, body, aborted: false };
    asked.push(seen);
    response.on("close", () => {
      seen.aborted ||= !response.writableEnded;
    });
    const next = script.shift() ?? otherwise ?? { status: 500 };
    const reply = typeof next === "function" ? await next(body) : next;
    if (reply.status !== undefined) {
      response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
      response.end(JSON.stringify({ error: { message: "as the script says", type: "scripted" } }));
      return;
    }
    await reply.before;
    response.writeHead(200, { "content-type": "text/event-stream", ...reply.headers });
    await (request.url?.endsWith("/messages") ? anthropic : openai)(response, reply);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const model = (provider: ModelConfig["provider"] = "openai"): ModelConfig => ({
    provider,
    url: `${origin}/v1`,
    name: "scripted-1",
    key: "canary-model-key",
  });
  return {
    origin,
    model,
    /** For the configuration of a service that uses it. */
    config: { model: model(), egressAllow: [origin] },
    /** The same for a process of its own. */
    env: {
      MODEL_PROVIDER: "openai",
      MODEL_URL: model().url,
      MODEL_NAME: model().name,
      MODEL_KEY: model().key ?? "",
      EGRESS_ALLOW: origin,
    },
    asked,
    /** What it says next, and after that. */
    say: (...replies: Next[]) => void script.push(...replies),
    /** What it says when the script has ended. */
    always: (reply: Next | null) => {
      otherwise = reply;
    },
    /** Forgets what it was asked and what it was to say. */
    clear: () => {
      script.length = 0;
      asked.length = 0;
      otherwise = null;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
export type ScriptedModel = Awaited<ReturnType<typeof scriptedModel>>;

async function paced(reply: Reply, write: (text: string) => void) {
  for (const [at, text] of (reply.text ?? []).entries()) {
    write(text);
    if (at === 0) await reply.hold;
    if (reply.pauseMs) await sleep(reply.pauseMs);
  }
}

async function cut(response: ServerResponse) {
  await new Promise((written) => response.write(": \n\n", written));
  await sleep(20);
  response.socket?.end();
}

async function openai(response: ServerResponse, reply: Reply) {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    response.write(
      `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", created: 1, model: "scripted-1", choices: [{ index: 0, delta, finish_reason }] })}\n\n`,
    );
  chunk({ role: "assistant", content: "" });
  await paced(reply, (content) => chunk({ content }));
  // What was said arrives, and then nothing more does.
  if (reply.after === "cut") return cut(response);
  if (reply.after === "silence") return;
  for (const [index, { name, args, json, id }] of (reply.calls ?? []).entries())
    chunk({
      tool_calls: [
        {
          index,
          id: id ?? `call_${index}`,
          type: "function",
          function: { name, arguments: json ?? JSON.stringify(args ?? {}) },
        },
      ],
    });
  chunk({}, ending(reply, { refusal: "content_filter", length: "length", calls: "tool_calls", done: "stop" }));
  const usage = { prompt_tokens: USAGE.input, completion_tokens: USAGE.output, total_tokens: 28 };
  response.write(
    `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", created: 1, model: "scripted-1", choices: [], usage })}\n\n`,
  );
  response.end("data: [DONE]\n\n");
}

const ending = ({ after, calls }: Reply, words: Record<"refusal" | "length" | "calls" | "done", string>) =>
  after === "refusal" || after === "length" ? words[after] : calls ? words.calls : words.done;

async function anthropic(response: ServerResponse, reply: Reply) {
  const event = (type: string, data: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  const usage = { input_tokens: USAGE.input, output_tokens: 0 };
  event("message_start", {
    message: {
      id: "m1",
      type: "message",
      role: "assistant",
      model: "scripted-1",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    },
  });
  event("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
  await paced(reply, (text) => event("content_block_delta", { index: 0, delta: { type: "text_delta", text } }));
  // What was said arrives, and then nothing more does.
  if (reply.after === "cut") return cut(response);
  if (reply.after === "silence") return;
  event("content_block_stop", { index: 0 });
  for (const [at, { name, args, json, id }] of (reply.calls ?? []).entries()) {
    const index = at + 1;
    event("content_block_start", {
      index,
      content_block: { type: "tool_use", id: id ?? `call_${at}`, name, input: {} },
    });
    const partial_json = json ?? JSON.stringify(args ?? {});
    event("content_block_delta", { index, delta: { type: "input_json_delta", partial_json } });
    event("content_block_stop", { index });
  }
  const stop_reason = ending(reply, { refusal: "refusal", length: "max_tokens", calls: "tool_use", done: "end_turn" });
  event("message_delta", { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: USAGE.output } });
  event("message_stop", {});
  response.end();
}
