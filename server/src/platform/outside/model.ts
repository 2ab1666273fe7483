// Client of the language model that the operator has configured. The library is loaded with the first request. Each
// request is a single step: tool calls of the model are returned, never executed here. The library never sees the key,
// which is sent only to the origin of MODEL_URL; errors are reworded, because the library's errors contain the prompt.
import { Readable } from "node:stream";
import type { ModelConfig } from "../settings/model-config.ts";
import { EgressError } from "./egress.ts";
import type { Answered, Egress, LanguageModel, ModelMessage, ModelRequest, ToolCall } from "./external-systems.ts";
import { joined } from "./joined-stream.ts";

/**
 * rate_limited: overloaded, also after retries; silent: started or continued too late; cut: the response ended early;
 * rejected: the provider refused the request; too_large: the response exceeded the limit; unavailable: anything else.
 */
export type ModelFault = "rate_limited" | "silent" | "cut" | "rejected" | "too_large" | "unavailable";
export class ModelError extends Error {
  readonly fault: ModelFault;
  readonly status: number | null;
  constructor(fault: ModelFault, status: number | null = null) {
    super(`the model did not answer: ${fault}${status === null ? "" : ` (${status})`}`);
    this.name = "ModelError";
    this.fault = fault;
    this.status = status;
  }
}

/** Limit of one response in bytes: a run requests at most 4,096 tokens, and the event of a token has some 400 bytes. */
const MOST_BYTES = 4 * 1024 * 1024;
const SILENCE_MS = 30_000;
const RETRIES = 2;

type Library = typeof import("ai");
type Language = Parameters<Library["streamText"]>[0]["model"];

export function openModel(config: ModelConfig, egress: Egress, silenceMs = SILENCE_MS): LanguageModel {
  const way = wayTo(config, egress, silenceMs);
  let loading: Promise<{ library: Library; language: Language }> | undefined;
  return {
    name: config.name,
    async ask(asked) {
      loading ??= load(config, way).catch((error) => {
        loading = undefined;
        throw error;
      });
      const { library, language } = await loading;
      return askOnce(library, language, asked);
    },
  };
}

async function load({ provider, url, name }: ModelConfig, fetch: typeof globalThis.fetch) {
  // Otherwise the library writes warnings to the console.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  const library = await import("ai");
  if (provider === "anthropic") {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return { library, language: createAnthropic({ baseURL: url, apiKey: "set-by-the-way-out", fetch })(name) };
  }
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const made = createOpenAICompatible({ name: "model", baseURL: url, includeUsage: true, fetch });
  return { library, language: made.chatModel(name) };
}

/** The library uses this as its fetch. */
function wayTo({ provider, url, key }: ModelConfig, egress: Egress, ms: number): typeof globalThis.fetch {
  const { origin } = new URL(url);
  const header = provider === "anthropic" ? { "x-api-key": key ?? "" } : { authorization: `Bearer ${key}` };
  const credential = { origin, headers: key === null ? {} : header };
  return async (address, init = {}) => {
    const headers = Object.fromEntries(new Headers(init.headers));
    delete headers["x-api-key"];
    const answer = await egress.stream(String(address), {
      method: "POST",
      headers,
      body: Buffer.from(init.body as string),
      bytes: MOST_BYTES,
      ms,
      credential,
      ...(init.signal && { signal: init.signal }),
    });
    const body = Readable.toWeb(Readable.from(joined(answer.body), { objectMode: false })) as ConstructorParameters<
      typeof Response
    >[0];
    return new Response(body, { status: answer.status, headers: answer.headers });
  };
}

async function askOnce(
  { streamText, tool, jsonSchema }: Library,
  model: Language,
  asked: ModelRequest,
): Promise<Answered> {
  const answered: Answered = { text: "", calls: [], end: "done", usage: { input: 0, output: 0 } };
  let reason: string | null = null;
  try {
    const { stream } = streamText({
      model,
      instructions: asked.instructions,
      messages: asked.said.map(told),
      tools: Object.fromEntries(
        asked.tools.map(({ name, description, input }) => [
          name,
          tool({ description, inputSchema: jsonSchema(input) }),
        ]),
      ),
      maxOutputTokens: asked.most,
      maxRetries: RETRIES,
      abortSignal: asked.signal,
      onError: () => {},
    });
    for await (const part of stream) {
      if (part.type === "text-delta") {
        answered.text += part.text;
        asked.heard(part.text);
      } else if (part.type === "tool-call") answered.calls.push(callOf(part));
      else if (part.type === "error") throw part.error;
      else if (part.type === "finish") {
        reason = part.finishReason;
        answered.usage = { input: part.totalUsage.inputTokens ?? 0, output: part.totalUsage.outputTokens ?? 0 };
      }
    }
  } catch (error) {
    throw asked.signal.aborted ? asked.signal.reason : faultOf(error);
  }
  if (asked.signal.aborted) throw asked.signal.reason;
  if (reason === null || reason === "error" || reason === "other") throw new ModelError("cut");
  if (reason === "content-filter") answered.end = "refused";
  else if (reason === "length") answered.end = "length";
  else if (answered.calls.length > 0) answered.end = "calls";
  return answered;
}

type Message = NonNullable<Parameters<Library["streamText"]>[0]["messages"]>[number];
function told(said: ModelMessage): Message {
  if (said.role === "user") return { role: "user", content: said.text };
  if (said.role === "tool") {
    const { call, result, refused } = said;
    const output = { type: refused ? ("error-text" as const) : ("text" as const), value: result };
    return { role: "tool", content: [{ type: "tool-result", toolCallId: call.id, toolName: call.name, output }] };
  }
  const text = said.text === "" ? [] : [{ type: "text" as const, text: said.text }];
  const calls = said.calls.map(({ id, name, input }) => ({
    type: "tool-call" as const,
    toolCallId: id,
    toolName: name,
    input: typeof input === "object" && input !== null ? input : {},
  }));
  return { role: "assistant", content: [...text, ...calls] };
}

function callOf(part: { toolCallId: string; toolName: string; input: unknown; invalid?: boolean }): ToolCall {
  const { toolCallId: id, toolName: name, input } = part;
  return { id, name, input, ...(part.invalid && { fault: "The call names no tool, or its arguments are no JSON." }) };
}

const FAULTS: Partial<Record<EgressError["fault"], ModelFault>> = {
  time: "silent",
  connection: "cut",
  size: "too_large",
};
/** Finds the fault, which may be nested several errors deep: in the retry error and the error of the last attempt. */
function faultOf(error: unknown): ModelError {
  const { lastError, statusCode, cause } = error as { lastError?: unknown; statusCode?: number; cause?: unknown };
  if (error instanceof ModelError) return error;
  if (lastError !== undefined) return faultOf(lastError);
  if (error instanceof EgressError) return new ModelError(FAULTS[error.fault] ?? "unavailable");
  if (statusCode === 429) return new ModelError("rate_limited", statusCode);
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) return new ModelError("rejected", statusCode);
  if (statusCode !== undefined && statusCode >= 500) return new ModelError("unavailable", statusCode);
  return cause === undefined ? new ModelError("unavailable") : faultOf(cause);
}
