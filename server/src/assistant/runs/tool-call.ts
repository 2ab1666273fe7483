// Runs a tool for a run: validates the arguments, calls the operations under the terms of the run and with the key of
// its step, and turns a refusal into a text for the model. An error that ends the run ends it. The calling gate decides
// which calls are allowed.
import type { ToolCall } from "../../platform/outside/external-systems.ts";
import { Refusal } from "../../platform/wire/problem.ts";
import type { OperationCaller } from "../tools/operation-calls.ts";
import { said } from "../tools/refusal-text.ts";
import type { Args, Self, Tool } from "../tools/tool.ts";
import { faultsOf } from "../tools/tools.ts";
import { RunEnded } from "./rules.ts";

export interface RefusedCall {
  result: string;
  refused: true;
  value: null;
  readOthers: boolean;
  code: string;
}
/** `readOthers`: the text names something that somebody else wrote. */
export const refusedWith = (result: string, code = "invalid_request", readOthers = false): RefusedCall => ({
  result,
  refused: true,
  value: null,
  readOthers,
  code,
});

/** Codes after which the credential, or the authority of the run, has ended. */
const ENDED = new Set(["authentication_required", "invalid_token"]);

/** Performs a model's tool call; an unknown tool, or a refusal, becomes a text. */
export async function attempted<T>(
  known: readonly Tool[],
  call: ToolCall,
  work: (tool: Tool, args: Args) => Promise<T>,
): Promise<T | RefusedCall> {
  const tool = known.find(({ name }) => name === call.name);
  if (!tool) return refusedWith(`There is no tool called ${call.name}.`);
  if (call.fault !== undefined) return refusedWith(call.fault);
  const args = (call.input ?? {}) as Args;
  const refused = (refusal: Refusal, readOthers: boolean) =>
    refusedWith(`${said(refusal)} [${refusal.code}]`, refusal.code, readOthers);
  const faults = faultsOf(tool, args);
  if (faults.length > 0) return refused(new Refusal("invalid_request", { errors: faults }), false);
  try {
    return await work(tool, args);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (ENDED.has(error.code)) throw new RunEnded("credential_ended");
    return refused(error, echoes(error));
  }
}
/**
 * Whether a refusal may quote stored names (Statuses, labels, people). Without faults and choices its text is the
 * catalogue's.
 */
const echoes = ({ extra }: Refusal) => extra.errors !== undefined || extra.choices !== undefined;

interface Terms {
  /** Calls operations under any of these scopes. */
  calling(scopes: readonly string[]): OperationCaller;
  key: string;
  self: Self;
  origin: string;
  signal: AbortSignal;
}
/** Runs the tool, restricted to the operations that it declares. */
export function runTool(tool: Tool, args: Args, { calling, key, self, origin, signal }: Terms) {
  const all = calling(tool.scopesOf?.(args) ?? tool.scopes);
  const call: OperationCaller = (operation, asked) => {
    if (!tool.operations.includes(operation)) throw new Error(`${tool.name} does not name ${operation}`);
    return all(operation, asked);
  };
  const context = { call, key: async () => key, step: async () => {}, self: async () => self, origin };
  return patiently(() => tool.run(context, args) as Promise<Args>, signal);
}

/** Retries a few times if the service is busy: a refused call had no effect. */
async function patiently<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let left = 5; ; left--) {
    try {
      return await work();
    } catch (error) {
      const busy =
        error instanceof Refusal && ["overloaded", "rate_limited", "idempotency_in_progress"].includes(error.code);
      if (!busy || left === 0 || signal.aborted) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1000 * Math.min(Number(error.extra.retry_after ?? 1), 5)));
    }
  }
}
/** Whether a result of the tool may hold text that somebody else wrote, whether the tool reads or writes. */
export const readsOthers = ({ ownResult }: Tool) => ownResult !== true;
