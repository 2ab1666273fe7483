// MCP bridge for assistants on this machine: forwards each line of standard input to `/mcp`, and writes the answers to
// standard output. It authenticates with the profile and renews the token, so that an assistant needs one line of
// configuration. It does not interpret the messages.
import { createInterface } from "node:readline";
import type { Run } from "../command.ts";
import { openSession, type Session } from "../credentials/session.ts";
import { failureOf } from "../failure.ts";
import { MCP_HEADERS, toolToken } from "../tools.ts";

interface Passing {
  id?: string | number | null;
  method?: string;
  params?: { name?: string; uri?: string; requestId?: string | number; _meta?: Record<string, unknown> };
}
const EARLY_MS = 30_000;
const VERSION = "io.modelcontextprotocol/protocolVersion";

/** Encodes non-ASCII text for a header as the protocol specifies. */
const inHeader = (text: string) =>
  /^[\x20-\x7e]*$/.test(text) ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;

function tokenKeeper(session: Session) {
  let current: { token: string; until: number } | undefined;
  let asking: Promise<{ token: string; until: number }> | undefined;
  return async (refused: boolean) => {
    if (!refused && current && current.until - EARLY_MS > Date.now()) return current.token;
    asking ??= toolToken(session).finally(() => {
      asking = undefined;
    });
    current = await asking;
    return current.token;
  };
}

export const mcp: Run = async (input) => {
  const session = openSession(input);
  const token = tokenKeeper(session);
  const underWay = new Map<string | number, AbortController>();
  const pending = new Set<Promise<void>>();
  // Protocol version of clients of the older generation, which negotiate it once.
  let agreed: string | undefined;

  const tell = (message: unknown) => void input.stdout.write(`${JSON.stringify(message)}\n`);
  const tellFault = ({ id }: Passing, code: number, message: string) => {
    if (id !== undefined && id !== null) tell({ jsonrpc: "2.0", id, error: { code, message } });
    else input.stderr.write(`svc: ${message}\n`);
  };

  const headersFor = ({ method, params }: Passing): Record<string, string> => {
    const own = params?._meta?.[VERSION];
    const version = typeof own === "string" ? own : agreed;
    const name = params?.name ?? params?.uri;
    return {
      ...MCP_HEADERS,
      ...(version !== undefined && { "mcp-protocol-version": version }),
      ...(typeof own === "string" && method !== undefined && { "mcp-method": inHeader(method) }),
      ...(typeof own === "string" && typeof name === "string" && { "mcp-name": inHeader(name) }),
    };
  };

  async function pass(message: Passing, text: string): Promise<void> {
    const stop = new AbortController();
    if (message.id !== undefined && message.id !== null) underWay.set(message.id, stop);
    try {
      const send = async (refused: boolean) =>
        fetch(`${session.url}/mcp`, {
          method: "POST",
          headers: { ...headersFor(message), authorization: `Bearer ${await token(refused)}` },
          body: text,
          signal: stop.signal,
        });
      let answer = await send(false);
      if (answer.status === 401) {
        await answer.body?.cancel();
        answer = await send(true);
      }
      if (!answer.body || answer.status === 202) return;
      const isStream = answer.headers.get("content-type")?.startsWith("text/event-stream");
      if (isStream) for await (const data of eventsOf(answer.body)) told(message, data);
      else told(message, await answer.text());
    } catch (error) {
      if (stop.signal.aborted) return;
      const { message: why, hint } = failureOf(error);
      const cause = (error as { cause?: { code?: string } }).cause?.code;
      tellFault(
        message,
        -32000,
        [cause ? `The service does not answer (${cause}).` : why, hint].filter(Boolean).join(" "),
      );
    } finally {
      if (message.id !== undefined && message.id !== null) underWay.delete(message.id);
    }
  }
  function told(asked: Passing, data: string) {
    if (data.trim() === "") return;
    const said = JSON.parse(data) as { result?: { protocolVersion?: string } };
    if (asked.method === "initialize" && said.result?.protocolVersion) agreed = said.result.protocolVersion;
    tell(said);
  }

  for await (const line of createInterface({ input: input.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === "") continue;
    let message: Passing;
    try {
      message = JSON.parse(line);
    } catch {
      tell({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "This line is no JSON." } });
      continue;
    }
    if (message.method === "notifications/cancelled") {
      // Aborting the HTTP request is what cancels it at the service.
      const { requestId } = message.params ?? {};
      if (requestId !== undefined) underWay.get(requestId)?.abort();
      continue;
    }
    const passing = pass(message, line).finally(() => pending.delete(passing));
    pending.add(passing);
    // Waits for the negotiated version before it sends another message.
    if (message.method === "initialize") await passing;
  }
  await Promise.all(pending);
  return undefined;
};

/** Yields the data of each server-sent event. */
async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const part of body as unknown as AsyncIterable<Uint8Array>) {
    rest += decoder.decode(part, { stream: true });
    const events = rest.split(/\r?\n\r?\n/);
    rest = events.pop() ?? "";
    for (const event of events) {
      const data = event
        .split(/\r?\n/)
        .flatMap((line) => (line.startsWith("data:") ? [line.slice(5).replace(/^ /, "")] : []));
      if (data.length > 0) yield data.join("\n");
    }
  }
}
