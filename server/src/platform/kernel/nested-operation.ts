// Performs one operation within the transaction of another, as the same caller: its own access rule, revision check and
// handler apply, and its effects are added to those of the outer operation. The input was validated before; keys, audit
// row and response belong to the outer operation.
import { takesIfMatch } from "@svc/contract/kit.ts";
import { refuse } from "../wire/problem.ts";
import { settle } from "./context.ts";
import type { Fact } from "./events.ts";
import type { Context, Implementation, Rendered } from "./implement-operation.ts";
import { requirePermission, requireRevision } from "./steps.ts";

export interface NestedRequest {
  params: Record<string, string>;
  body?: unknown;
  /** Revision that the caller has seen. */
  revision?: string | undefined;
}
export interface NestedResult {
  /** Target as loaded, before the change. */
  target: unknown;
  /** Response that the operation would have returned; null if it has none. */
  answer: Record<string, unknown> | null;
  facts: Fact[];
  /** Settles once its writes are done; later statements on the connection see them anyway. */
  written: Promise<unknown>;
}

/** Wraps a context and collects the facts and deferred statements that pass through it. */
export function watched(context: Context): { here: Context; facts: Fact[]; written: Promise<unknown>[] } {
  const facts: Fact[] = [];
  const written: Promise<unknown>[] = [];
  const here: Context = {
    ...context,
    record(fact) {
      facts.push(fact);
      context.record(fact);
    },
    defer(statement) {
      written.push(statement);
      context.defer(statement);
    },
  };
  return { here, facts, written };
}

/** `found` is the target if it was loaded and locked already. */
export async function perform(
  context: Context,
  { operation, access, run, mode }: Implementation,
  { params, body, revision }: NestedRequest,
  found?: unknown,
): Promise<NestedResult> {
  if (mode !== "one") throw new Error(`${operation.id} cannot be performed within another operation`);
  const { here, facts, written } = watched(context);
  const target = found ?? (await access.load(here.tx, params, true));
  if (target === undefined) refuse("not_found");
  requirePermission(access.permits(here, target));
  if (takesIfMatch(operation)) requireRevision(operation, revision, target, body);
  const result = (await run(here, { params, query: {}, body, target })) as Partial<Rendered> | undefined;
  const { json } = result ?? {};
  const answer = json === undefined ? ((result as NestedResult["answer"]) ?? null) : JSON.parse(json);
  const ending = settle(written);
  ending.catch(() => {});
  return { target, answer, facts, written: ending };
}
