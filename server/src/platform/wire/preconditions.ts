// What a caller says about the write that it repeats, the state that it has seen and the answer that it wants: Idempotency-Key, If-Match,
// If-None-Match and Prefer. The first two decide what is written and are refused where they are malformed; the others only shorten an answer
// and are then ignored (RFC 9110, 13.1.2; RFC 7240, 2).
import type { IncomingMessage } from "node:http";
import { type Fault, Refusal } from "./problem.ts";
import type { Outcome } from "./send.ts";

export const headerFault = (name: string, code: string, detail: string) =>
  new Refusal("invalid_request", { errors: [{ pointer: `/headers/${name}`, code, detail }] });

export function idempotencyKey(request: IncomingMessage): string | undefined {
  // Sent twice, the two are joined by a comma and a space, which no key contains.
  const key = request.headers["idempotency-key"];
  if (key === undefined) return undefined;
  if (typeof key !== "string" || !/^[\x21-\x7e]{16,200}$/.test(key))
    throw headerFault("idempotency-key", "wrong_format", "must be one key of 16 to 200 visible ASCII characters");
  return key;
}

const BASELINE = "x-svc-realtime-baseline";
/** Whether the answer is to say where in the journal it stands. */
export const asksBaseline = ({ headers }: IncomingMessage) => headers[BASELINE] === "1";
/** A cursor of the journal is bound to a session, so that only a browser asks for one. Sent twice, the two are joined. */
export function baselineFaults({ headers }: IncomingMessage): Fault[] {
  const sent = headers[BASELINE];
  const pointer = `/headers/${BASELINE}`;
  if (sent === undefined) return [];
  if (sent !== "1") return [{ pointer, code: "wrong_format", detail: "must be 1, or be left out" }];
  if (headers.authorization === undefined) return [];
  return [{ pointer, code: "not_allowed", detail: "is for browser sessions; leave it out with a token" }];
}

/** Quoted, as the ETag is, or without the quotes, which many clients leave out. A weak one does not say which revision was seen. */
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

/** A header that is malformed is refused when the revision is compared. */
export const namesRevision = ({ headers }: IncomingMessage) => REVISION.test(headers["if-match"] ?? "");

/** Whether the caller has this representation already. Compared weakly, as the header asks for. */
function isKnown(request: IncomingMessage, etag: string | undefined): boolean {
  const sent = request.headers["if-none-match"];
  if (sent === undefined || etag === undefined) return false;
  return (
    sent.trim() === "*" ||
    sent.split(",").some((tag) => tag.trim().replace(/^W\//, "").replaceAll('"', "") === etag.slice(1, -1))
  );
}

/** Of several the first counts. What stands in quotes is no preference. */
function prefersMinimal(request: IncomingMessage): boolean {
  const sent = String(request.headers.prefer ?? "").replace(/"([^"]*)"/g, (_, text) => text.replace(/[^\w-]/g, "_"));
  return /(?:^|,)\s*return\s*=\s*([^\s;,]*)/i.exec(sent)?.[1]?.toLowerCase() === "minimal";
}

/** What the caller asked to be spared of this success. Its headers stay; the answer that is kept for a retry is the whole one. */
export function spared(
  outcome: Outcome,
  request: IncomingMessage,
  { unchanging, brief }: { unchanging: boolean; brief: boolean },
): Outcome {
  const { "content-type": _, ...headers } = outcome.headers;
  if (unchanging && outcome.status === 200 && isKnown(request, headers.etag))
    return { ...outcome, status: 304, headers, body: "" };
  if (brief && (outcome.status === 200 || outcome.status === 201) && prefersMinimal(request))
    return { ...outcome, status: 204, headers: { ...headers, "preference-applied": "return=minimal" }, body: "" };
  return outcome;
}

/** Where what was created is: the names are those of fields of the answer, of which the first so called counts, or else of the path. */
export const locationOf = (template: string, body: string, params: Record<string, string>): string =>
  `/api/v1${template.replace(/\{(\w+)\}/g, (_, name: string) => new RegExp(`"${name}"\\s*:\\s*"([^"\\\\]+)"`).exec(body)?.[1] ?? params[name] ?? "")}`;
