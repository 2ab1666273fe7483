// Calls the tools of `/mcp`, for actions that no operation offers to developer tokens. It uses a short-lived token that
// has no more access than the one it was exchanged for. A tool's refusal is reported like an operation's.
import { Problem } from "@svc/client";
import { type ErrorCode, errors } from "@svc/contract/errors.ts";
import type { Session } from "./credentials/session.ts";
import { send } from "./send-request.ts";

/** Headers of the protocol's older generation: one message per request, without a handshake. */
export const MCP_HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const PATIENCE_MS = 60_000;

/** Exchanges the calling token for one with the same scopes; at most two can be requested. */
export async function toolToken({ client, workspaceId, scope }: Session): Promise<{ token: string; until: number }> {
  const held = scope.split(" ").filter((name) => name === "svc:read" || name === "svc:write");
  const scopes = held as ("svc:read" | "svc:write")[];
  const made = await client.exchangeMcpToken({ workspace_id: await workspaceId(), scopes });
  return { token: made.access_token, until: Date.parse(made.expires_at) };
}

// biome-ignore lint/suspicious/noExplicitAny: the tool says what it answers with.
export type Told = Record<string, any>;
export type UseTool = (name: string, args: Record<string, unknown>) => Promise<Told>;

export function toolsOf(session: Session): UseTool {
  let token: Promise<{ token: string }> | undefined;
  return async (name, args) => {
    token ??= toolToken(session);
    const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
    return call(session.url, (await token).token, name, given);
  };
}

async function call(url: string, token: string, name: string, args: Record<string, unknown>): Promise<Told> {
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
  const answer = await send(`${url}/mcp`, {
    method: "POST",
    headers: { ...MCP_HEADERS, authorization: `Bearer ${token}` },
    body: JSON.stringify(message),
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).catch((cause) => {
    throw new Problem({
      code: "unreachable",
      message: "No answer came.",
      outcome: "unknown",
      key: args.key as string,
      cause,
    });
  });
  const text = await answer.text();
  const said = messagesIn(text).find(({ id }) => id === 1);
  if (said?.error) throw problemOf(said.error, answer.status);
  const result = said?.result as
    | { isError?: boolean; content: { text: string }[]; structuredContent: Told }
    | undefined;
  if (!result)
    throw new Problem({ code: "invalid_answer", message: `/mcp answered ${answer.status}.`, status: answer.status });
  if (!result.isError) return result.structuredContent;
  throw refusalOf(result.content[0]?.text ?? "");
}

/** Parses a tool's refusal, which ends with its error code. */
function refusalOf(text: string): Problem {
  const [, message = text, code = "failed"] = /^(.*) \[(\w+)\]$/s.exec(text) ?? [];
  return new Problem({ code, message, status: code in errors ? errors[code as ErrorCode].status : 400 });
}

interface RpcError {
  message: string;
  data?: { code?: string; detail?: string };
}
const problemOf = ({ message, data }: RpcError, status: number) =>
  new Problem({
    code: data?.code ?? "invalid_request",
    message: data?.detail ?? message,
    status: status === 200 ? 400 : status,
  });

export interface Message {
  id?: unknown;
  method?: string;
  result?: unknown;
  error?: RpcError;
}
/** The messages of an answer: a single one as JSON, or several as server-sent events. */
function messagesIn(text: string): Message[] {
  const parts = /^\s*[{[]/.test(text)
    ? [text]
    : [...text.matchAll(/^data: ?(.+)$/gm)].map(([, data]) => data as string);
  return parts.flatMap((part) => JSON.parse(part) as Message | Message[]);
}
