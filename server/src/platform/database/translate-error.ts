// Translates any thrown value into a Refusal. A violated constraint becomes that constraint's code; a lack of time or
// connections becomes 503; everything else is our fault, and its details stay out of the response.
import type { ErrorCode } from "@svc/contract/errors.ts";
import { Refusal } from "../wire/problem.ts";
import type { RefusedWrite } from "./connections/write-health.ts";

/** Error codes by constraint name, with the body fields concerned. */
export type Constraints = Record<string, { code: ErrorCode; field?: string | readonly string[] }>;

/** 25006: a server that was the primary until a failover refuses writes. */
const UNAVAILABLE = /^(?:08|53|57P|57014|55P03|40001|40P01|25P0|25006)/;
const SOCKET = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ENOENT", "ETIMEDOUT"]);
const POOL =
  /timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|not queryable/;

/** Whether the database is temporarily out of reach or overloaded, which is nobody's fault. */
export function isUnavailable(error: unknown): boolean {
  const { code = "", message = "", writeRefused } = error as { code?: string; message?: string } & RefusedWrite;
  return writeRefused === true || UNAVAILABLE.test(code) || SOCKET.has(code) || POOL.test(message);
}

/** The same, also true if this service had no free place at the database: the caller may retry later. */
export const isTransient = (error: unknown) =>
  isUnavailable(error) || (error instanceof Refusal && error.code === "overloaded");

export function translate(error: unknown, constraints: Constraints): Refusal {
  if (error instanceof Refusal) return error;
  const { constraint = "" } = error as { constraint?: string };
  const known = constraints[constraint];
  if (known) {
    const errors = [known.field ?? []]
      .flat()
      .map((field) => ({ pointer: `/body/${field}`, code: known.code, detail: "is refused" }));
    return new Refusal(known.code, errors.length > 0 ? { errors } : {});
  }
  if (isUnavailable(error)) return new Refusal("overloaded", { retry_after: 1 });
  return new Refusal("internal");
}
