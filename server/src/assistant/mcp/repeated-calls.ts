// Decides whether a write of an MCP client repeats an earlier one. A client that chooses a key repeats the call while
// the service stores the key. Without a key, an equal call counts as a repeat only within a minute and under the same
// grant. A repeat never shows what was trashed or undone since.
import { createHash } from "node:crypto";
import { newId } from "../../platform/wire/ids.ts";
import { Refusal, refuseAt } from "../../platform/wire/problem.ts";
import type { CallResult, OperationCaller } from "../tools/operation-calls.ts";
import type { Args, Tool } from "../tools/tool.ts";
import type { McpExchange } from "./exchange.ts";

const WINDOW_MS = 60_000;

/** Idempotency-Key of a call: the client's own, or one derived from the client, the tool and its arguments. */
export async function keyOf(
  { caller }: Pick<McpExchange, "caller">,
  tool: Tool,
  { key, ...args }: Args,
): Promise<string> {
  if (typeof key === "string") return key;
  if (tool.annotations.idempotentHint !== true) return newId();
  const sorted = Object.keys(args).sort();
  const named = JSON.stringify([(await caller()).holderId, tool.name, sorted.map((name) => [name, args[name]])]);
  return `mcp-${createHash("sha256").update(named).digest("hex")}`;
}

/** Calls operations, and repeats a write whose stored answer is out of date. */
export function withoutStaleRepeats(call: OperationCaller, tool: Tool, { key }: Args): OperationCaller {
  const isChosen = typeof key === "string";
  return async (operation, asked) => {
    const done = await call(operation, asked);
    if (!done.repeated || done.commandId === null) return done;
    const { body: receipt, now } = await call("getOperationReceipt", { params: { id: done.commandId } });
    const isGone = receipt.state === "undone" || (await isTrashed(call, done, receipt));
    if (isChosen && isGone)
      return refuseAt(
        "/body/key",
        "invalid_request",
        "was used for a write that was undone or trashed since: choose another key to make it again",
        "outdated",
      );
    const isLate = Date.parse(now) - Date.parse(receipt.occurred_at) > WINDOW_MS;
    if (!isChosen && (isGone || isLate)) return call(operation, { ...asked, replaces: done.commandId });
    return { ...done, repeat: wordsFor(tool, isChosen) };
  };
}

function wordsFor({ input }: Tool, isChosen: boolean): string {
  const why = isChosen
    ? "this key was used for the same call before"
    : "this client made the same call less than a minute ago";
  const again = "key" in input.properties ? " To do it once more, call again with a new key." : "";
  return `Nothing was done: ${why}, and this is the result of that call.${again}`;
}

interface Receipt {
  occurred_at: string;
  effects: { code: string | null }[];
}
/** Whether the Task or Document of the write was trashed since, or is hidden from the caller. */
async function isTrashed(
  call: OperationCaller,
  { body }: CallResult,
  { occurred_at, effects }: Receipt,
): Promise<boolean> {
  const code = body?.code ?? effects.find((each) => each.code !== null)?.code;
  const isDocument = Boolean(body?.path && body.id);
  if (!code && !isDocument) return false;
  try {
    const found = code
      ? await call("getTaskByCode", { params: { task_code: code } })
      : await call("getDocument", { params: { document_id: body.id } });
    const { trashed_at } = found.body;
    return trashed_at !== null && Date.parse(trashed_at) > Date.parse(occurred_at);
  } catch (error) {
    if (error instanceof Refusal && error.code === "not_found") return true;
    throw error;
  }
}
