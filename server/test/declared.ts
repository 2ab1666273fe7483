// What the contract promises of every answer: the statuses, codes, headers and shapes that it declares, and no others.
import { Included } from "@svc/contract/included-schemas.ts";
import { type AnyOperation, declaredErrors, successStatuses, takesPrefer } from "@svc/contract/kit.ts";
import { oauthErrorOf } from "@svc/contract/oauth-errors.ts";
import Type, { type TSchema } from "typebox";
import { expect } from "vitest";
import { answerFaults } from "../src/platform/wire/input/validation.ts";
import type { Answer } from "./answer.ts";

const locationFits = ({ creates }: AnyOperation, location: string | null) =>
  creates ? new RegExp(`^/api/v1${creates.replace(/\{\w+\}/g, "[\\w-]+")}$`).test(location ?? "") : location === null;

/**
 * What the contract promises of every answer. Asserted only where it is broken: an assertion costs more than the look.
 */
export function expectDeclared(operation: AnyOperation, answer: Answer): void {
  const where = `${operation.id} answered ${answer.status} ${answer.text.slice(0, 300)}`;
  const holds = (found: unknown, wanted: unknown, what: string) => {
    if (found !== wanted) expect(found, `${where}: ${what}`).toEqual(wanted);
  };
  const isOneOf = <T>(found: T, declared: readonly T[], what: string) => {
    if (!declared.includes(found)) expect(declared, `${where}: ${what}`).toContain(found);
  };
  const { headers, status, body } = answer;
  holds(headers.get("cache-control"), "no-store", "Cache-Control");
  holds(headers.get("x-content-type-options"), "nosniff", "X-Content-Type-Options");
  holds(Boolean(headers.get("x-correlation-id")), true, "has an X-Correlation-ID");
  if (status >= 400 && operation.oauth) {
    holds(Object.keys(body).sort().join(), "error,error_description", "fields");
    isOneOf(body.error, declaredErrors(operation).map(oauthErrorOf), "declared errors");
    return;
  }
  if (status >= 400) {
    holds(headers.get("content-type")?.includes("application/problem+json"), true, "is a problem");
    isOneOf(body.code, declaredErrors(operation), "declared codes");
    holds(body.status, status, "status in the body");
    return;
  }
  const spared = headers.has("preference-applied") ? takesPrefer(operation) : status === 304 && operation.unchanging;
  if (spared) {
    holds([status === 304, answer.text].join(), [!headers.has("preference-applied"), ""].join(), "status and body");
    return;
  }
  isOneOf(status, successStatuses(operation), "declared statuses");
  if (status === 201) holds(locationFits(operation, headers.get("location")), true, "Location");
  const { result } = operation.schemas;
  if (!result) return;
  const keepsTo = (schema: TSchema, value: unknown) => {
    const faults = answerFaults(schema, value);
    if (faults.length > 0) expect(faults, where).toEqual([]);
  };
  const { included, ...one } = body;
  for (const item of operation.kind === "page" ? body.items : [Array.isArray(body) ? body : one]) keepsTo(result, item);
  if (included !== undefined) keepsTo(operation.include ? Included : Type.Never(), included);
  for (const [name, part] of Object.entries(operation.beside ?? {})) keepsTo(part, body[name]);
  if (operation.kind === "one" && body.revision !== undefined) holds(headers.get("etag"), `"${body.revision}"`, "ETag");
}
