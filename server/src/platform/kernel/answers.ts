// Turns the result of a handler into a response: one resource, a page, a redirect, or the response stored for a retry.
import { type Csv, type Redirect, successStatus } from "@svc/contract/kit.ts";
import { contentDisposition } from "../wire/content-disposition.ts";
import { locationOf } from "../wire/input/preconditions.ts";
import { refuse } from "../wire/problem.ts";
import type { HttpAnswer } from "../wire/send-answer.ts";
import type { Principal } from "./authentication.ts";
import type { Call } from "./call.ts";
import { withTellable } from "./capabilities.ts";
import type { ListResult, ListRow, Rendered } from "./implement-operation.ts";
import type { Input } from "./input.ts";
import type { Answer, Claim, StoredAnswer } from "./ledger.ts";

export const NO_ANSWER: Answer = { status: 0, etag: null, body: "" };

/** Renders further members of a response, such as the maps of included resources. */
const besides = (fields: Record<string, unknown> | undefined) =>
  fields === undefined ? "" : `,${JSON.stringify(fields).slice(1, -1)}`;

export function answerOf(call: Call, result: unknown, included?: Record<string, unknown>): Answer {
  const { operation } = call.implementation;
  const status = successStatus(operation);
  if (result === undefined || result === null) return { status, etag: null, body: "" };
  if (operation.redirect) return { status, etag: null, body: "", location: (result as Redirect).location };
  if (operation.csv) return { status, etag: null, body: (result as Csv).csv, file: (result as Csv).filename };
  const rendered = withTellable(result as Partial<Rendered>, call.principal);
  const body = typeof rendered.json === "string" ? rendered.json : JSON.stringify(rendered);
  return {
    status: rendered.accepted === true ? 202 : status,
    etag: rendered.revision === undefined ? null : `"${rendered.revision}"`,
    body: included === undefined ? body : `${body.slice(0, -1)}${besides({ included })}}`,
    location: createdAt(call, status, body),
  };
}
/** Derives the location from the response, also when that is replayed. */
const createdAt = ({ implementation: { operation }, params }: Call, status: number, body: string) =>
  status === 201 && operation.creates ? locationOf(operation.creates, body, params) : undefined;

/** Adds the id of the committed command, if any: its receipt tells the result of the write. */
export function outcomeOf(answer: Answer, commandId?: string): HttpAnswer {
  const headers: Record<string, string> = {};
  if (commandId !== undefined) headers["x-svc-command-id"] = commandId;
  if (answer.file) {
    headers["content-type"] = "text/csv; charset=utf-8";
    headers["content-disposition"] = contentDisposition(answer.file);
  } else if (answer.body !== "") headers["content-type"] = "application/json; charset=utf-8";
  if (answer.etag !== null) headers.etag = answer.etag;
  if (answer.location !== undefined) headers.location = answer.location;
  return { status: answer.status, body: answer.body, headers, cookies: [] };
}

/** Evaluates the page, or its refusal, only once the cursor is known to belong to the caller. */
export function listOutcome(
  call: Call,
  principal: Principal,
  { page }: Input,
  listed: () => ListResult,
  included?: () => Record<string, unknown>,
): HttpAnswer {
  const { limit, binding } = page;
  const caller = principal.membership?.actorId ?? principal.userId;
  if (page.caller !== null && page.caller !== caller) refuse("invalid_cursor");
  const result = listed();
  const { rows, more } = cutOff(
    Array.isArray(result)
      ? { rows: result.slice(0, limit), more: result.length > limit ? (result[limit - 1] as ListRow).key : null }
      : result,
  );
  const beside =
    besides(Array.isArray(result) ? undefined : result.beside) + besides(included && { included: included() });
  const cursor = more === null ? null : call.kernel.cursors.seal(more, caller, binding);
  const outcome = outcomeOf({
    status: 200,
    etag: null,
    body: `{"items":[${rows.map((row) => row.json).join(",")}],"next_cursor":${JSON.stringify(cursor)},"has_more":${more !== null}${beside}}`,
  });
  if (cursor !== null) outcome.headers.link = `<${nextLink(call, cursor)}>; rel="next"`;
  return outcome;
}

/** Ends the page at the first row that is cut, because the texts before it fill the page. */
function cutOff({ rows, more }: { rows: ListRow[]; more: string | null }) {
  const at = rows.findIndex(({ cut }) => cut === true);
  return at < 0 ? { rows, more } : { rows: rows.slice(0, at), more: (rows[at - 1] as ListRow).key };
}

function nextLink(call: Call, cursor: string): string {
  const query = new URLSearchParams(call.search);
  query.set("cursor", cursor);
  return `${(call.request.url as string).split("?")[0]}?${query}`;
}

const rowOf = (call: Call, claim: Claim) =>
  `${call.principal?.membership?.actorId ?? call.principal?.userId} ${claim.operation} ${claim.keyHash.toString("hex")}`;
/** Body that is stored with the key. If the response is renewed on replay, only its identifying part. */
export function sealed(call: Call, claim: Claim, answered: string): string {
  const { operation, renew } = call.implementation;
  const body = renew ? renew.kept(answered) : answered;
  return operation.secret ? call.kernel.secrets.seal(body, rowOf(call, claim)) : body;
}

export function replay(call: Call, claim: Claim, stored: StoredAnswer): HttpAnswer {
  const { fingerprint, status, etag, body, command_id } = stored;
  if (!fingerprint.equals(claim.fingerprint)) refuse("idempotency_key_conflict");
  const { secret } = call.implementation.operation;
  const opened = secret ? call.kernel.secrets.open(body, rowOf(call, claim)) : body;
  if (opened === null) return refuse("idempotency_key_conflict");
  const outcome = outcomeOf({ status, etag, body: opened, location: createdAt(call, status, opened) }, command_id);
  outcome.headers["idempotent-replayed"] = "true";
  return outcome;
}
