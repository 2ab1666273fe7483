// What a check over all operations is, the words in which it says which operations it speaks of, and how it fails.
import type { ErrorCode } from "@svc/contract/errors.ts";
import { type AnyOperation, isPublic } from "@svc/contract/kit.ts";
import { oauthErrorOf } from "@svc/contract/oauth-errors.ts";
import type { TSchema } from "typebox";
import { expect } from "vitest";
import { inputSchemas } from "../../src/platform/wire/input/validation.ts";
import type { Answer } from "../answer.ts";
import { ofAccount } from "../fixtures.ts";
import type { Stage } from "../stage.ts";

export interface Check {
  /** Which operations it speaks of; without it, of all. */
  of?: (operation: AnyOperation) => boolean;
  /** Applies to the first success of an operation, which every tier tests. */
  ofSuccess?: true;
  /** Throws where the rule does not hold. */
  run: (operation: AnyOperation, stage: Stage) => Promise<void>;
}
/** By the rule, in words. */
export type Checks = Record<string, Check>;

export const signedIn = (operation: AnyOperation) => !isPublic(operation);
export const bySession = (operation: AnyOperation) => operation.auth.includes("S");
/** Of fields: a file is taken or refused as a whole. */
export const hasBody = (operation: AnyOperation) => operation.schemas.body !== undefined && !operation.raw;
export const isList = (operation: AnyOperation) => operation.kind === "page";

export const propertiesOf = (schema: TSchema) =>
  (schema as unknown as { properties: Record<string, TSchema & { format?: string }> }).properties;
/** The path parameters that are identifiers. */
export const idsOf = (operation: AnyOperation) =>
  operation.params.filter((name) => propertiesOf(inputSchemas(operation).path)[name]?.format === "uuid");
export const inWorkspace = (operation: AnyOperation) =>
  signedIn(operation) && idsOf(operation).some((name) => !ofAccount.has(name));

/** Asserted only where it can fail: hundreds of thousands of comparisons are of one and the same value. */
export function same(found: unknown, wanted: unknown, what: string): void {
  if (found !== wanted) expect(found, what).toEqual(wanted);
}

/** What every answer of the service carries. */
function carriesHeaders({ headers }: Answer): void {
  same(headers.get("cache-control"), "no-store", "Cache-Control");
  same(headers.get("x-content-type-options"), "nosniff", "X-Content-Type-Options");
  same(headers.get("x-svc-api-version"), "1.0.0-rc.9", "X-Svc-API-Version");
  same(/^[\x21-\x7e]{1,200}$/.test(headers.get("x-correlation-id") ?? ""), true, "X-Correlation-ID");
}

export function answersIn(answer: Answer): Answer {
  if (answer.status >= 400) throw new Error(`answered ${answer.status} ${answer.text.slice(0, 400)}`);
  carriesHeaders(answer);
  return answer;
}

/** With this status and code, and with a fault that points there. */
export function refusedWith(answer: Answer, status: number, code?: string, pointer?: string): Answer {
  carriesHeaders(answer);
  // An OAuth endpoint tells it in its own words.
  const { error, error_description: description } = answer.body ?? {};
  const wanted = error !== undefined && code !== undefined ? oauthErrorOf(code as ErrorCode) : code;
  if (answer.status !== status || (code !== undefined && (error ?? answer.body?.code) !== wanted))
    throw new Error(`answered ${answer.status} ${answer.text.slice(0, 400)} in place of ${status} ${code ?? ""}`);
  const pointers =
    description?.split(" ") ?? (answer.body?.errors ?? []).map((fault: { pointer: string }) => fault.pointer);
  if (pointer !== undefined && !pointers.includes(pointer)) throw new Error(`points to ${pointers}, not to ${pointer}`);
  return answer;
}

/** The rows that one request left, found by its correlation id. */
export async function leftBy(stage: Stage, correlationId: string | null): Promise<{ audited: number; events: number }> {
  const { rows } = await stage.admin.query(
    `select count(*)::int as audited,
     coalesce(sum((select count(*) from domain_events e where e.command_id = a.id)), 0)::int as events
     from audit_log a where a.correlation_id = $1`,
    [correlationId],
  );
  return rows[0];
}
