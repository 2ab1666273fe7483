// One operation within the transaction of another, under the same caller: its own rule, revision and handler decide, and what it leaves
// behind is left by the other. Its input was checked before; keys, audit and answer are the other's.
import { takesIfMatch } from "@svc/contract/kit.ts";
import { refuse } from "../wire/problem.ts";
import { settle } from "./context.ts";
import type { Fact } from "./events.ts";
import type { Context, Implementation, Rendered } from "./implement.ts";
import { requirePermission, requireRevision } from "./steps.ts";

export interface Step {
  params: Record<string, string>;
  body?: unknown;
  /** The one that the caller has seen. */
  revision?: string | undefined;
}
export interface Performed {
  /** What it found, before it changed anything. */
  target: unknown;
  /** What it would have answered; null of what answers nothing. */
  answer: Record<string, unknown> | null;
  facts: Fact[];
  /** What it writes, on its way: whoever is asked next on the connection finds it. */
  written: Promise<unknown>;
}

/** The same context, and what goes through it: the facts that are recorded, and the statements that are to be awaited. */
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

/** `found` is what was loaded and locked already. */
export async function perform(
  context: Context,
  { operation, access, run, mode }: Implementation,
  { params, body, revision }: Step,
  found?: unknown,
): Promise<Performed> {
  if (mode !== "one") throw new Error(`${operation.id} cannot be performed within another operation`);
  const { here, facts, written } = watched(context);
  const target = found ?? (await access.load(here.tx, params, true));
  if (target === undefined) refuse("not_found");
  requirePermission(access.permits(here, target));
  if (takesIfMatch(operation)) requireRevision(operation, revision, target, body);
  const result = (await run(here, { params, query: {}, body, target })) as Partial<Rendered> | undefined;
  const { json } = result ?? {};
  const answer = json === undefined ? ((result as Performed["answer"]) ?? null) : JSON.parse(json);
  const ending = settle(written);
  ending.catch(() => {});
  return { target, answer, facts, written: ending };
}
