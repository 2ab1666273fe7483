// Parses Idempotency-Key, If-Match, If-None-Match and Prefer. The first two decide what is written and are refused if
// they are malformed; the others only shorten the response and are then ignored (RFC 9110, 13.1.2; RFC 7240, 2).
import type { IncomingMessage } from "node:http";
import { type Fault, Refusal } from "../problem.ts";
import type { HttpAnswer } from "../send-answer.ts";

export const headerFault = (name: string, code: string, detail: string) =>
  new Refusal("invalid_request", { errors: [{ pointer: `/headers/${name}`, code, detail }] });

export function idempotencyKey(request: IncomingMessage): string | undefined {
  // Node joins repeated headers by a comma and a space, which no key contains.
  const key = request.headers["idempotency-key"];
  if (key === undefined) return undefined;
  if (typeof key !== "string" || !/^[\x21-\x7e]{16,200}$/.test(key))
    throw headerFault("idempotency-key", "wrong_format", "must be one key of 16 to 200 visible ASCII characters");
  return key;
}

const BASELINE = "x-svc-realtime-baseline";
/** Whether the response must report its place in the journal. */
export const asksBaseline = ({ headers }: IncomingMessage) => headers[BASELINE] === "1";
/**
 * Faults of the baseline header: a journal cursor is bound to a session, so only a browser may request one. Node joins
 * repeated headers.
 */
export function baselineFaults({ headers }: IncomingMessage): Fault[] {
  const sent = headers[BASELINE];
  const pointer = `/headers/${BASELINE}`;
  if (sent === undefined) return [];
  if (sent !== "1") return [{ pointer, code: "wrong_format", detail: "must be 1, or be left out" }];
  if (headers.authorization === undefined) return [];
  return [{ pointer, code: "not_allowed", detail: "is for browser sessions; leave it out with a token" }];
}

/**
 * Quoted, as the ETag is, or without the quotes, which many clients omit. A weak ETag does not identify the revision.
 */
const REVISION = /^(?:"(\d{1,19})"|(\d{1,19}))$/;

/** The revision, `*`, or undefined when the header is absent. */
export function ifMatch(request: IncomingMessage): string | undefined {
  const value = request.headers["if-match"];
  if (value === undefined || value === "*") return value;
  const [, quoted, bare] = REVISION.exec(value) ?? [];
  const revision = quoted ?? bare;
  if (revision !== undefined) return revision;
  throw headerFault(
    "if-match",
    "wrong_format",
    'must be one decimal revision, as in "3", or *; send the ETag as it came',
  );
}

/** False for a malformed header, which is refused when the revision is compared. */
export const namesRevision = ({ headers }: IncomingMessage) => REVISION.test(headers["if-match"] ?? "");

/** Whether the caller already has this representation. Uses weak comparison, as the header requires. */
function isKnown(request: IncomingMessage, etag: string | undefined): boolean {
  const sent = request.headers["if-none-match"];
  if (sent === undefined || etag === undefined) return false;
  return (
    sent.trim() === "*" ||
    sent.split(",").some((tag) => tag.trim().replace(/^W\//, "").replaceAll('"', "") === etag.slice(1, -1))
  );
}

/** Only the first `return` preference counts. Quoted text is no preference. */
function prefersMinimal(request: IncomingMessage): boolean {
  const sent = String(request.headers.prefer ?? "").replace(/"([^"]*)"/g, (_, text) => text.replace(/[^\w-]/g, "_"));
  return /(?:^|,)\s*return\s*=\s*([^\s;,]*)/i.exec(sent)?.[1]?.toLowerCase() === "minimal";
}

/**
 * Shortens a successful response to 304 or 204 at the caller's request. The headers stay; the response stored for a
 * retry is complete.
 */
export function spared(
  outcome: HttpAnswer,
  request: IncomingMessage,
  { unchanging, brief }: { unchanging: boolean; brief: boolean },
): HttpAnswer {
  const { "content-type": _, ...headers } = outcome.headers;
  if (unchanging && outcome.status === 200 && isKnown(request, headers.etag))
    return { ...outcome, status: 304, headers, body: "" };
  if (brief && (outcome.status === 200 || outcome.status === 201) && prefersMinimal(request))
    return { ...outcome, status: 204, headers: { ...headers, "preference-applied": "return=minimal" }, body: "" };
  return outcome;
}

/**
 * Fills the location template of a created resource with the first such field of the response, or else a path
 * parameter.
 */
export const locationOf = (template: string, body: string, params: Record<string, string>): string =>
  `/api/v1${template.replace(/\{(\w+)\}/g, (_, name: string) => new RegExp(`"${name}"\\s*:\\s*"([^"\\\\]+)"`).exec(body)?.[1] ?? params[name] ?? "")}`;
