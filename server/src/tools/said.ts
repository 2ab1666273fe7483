// How a refusal is told to an assistant: what is wrong, where, and what to do next, in the words of tools and not of HTTP.
import { type ErrorCode, errors } from "@svc/contract/errors.ts";
import type { Refusal } from "../wire/problem.ts";

/** Where the catalogue speaks of headers and paths. */
const next: Partial<Record<ErrorCode, string>> = {
  not_found: "It does not exist, or you cannot read it. Look for it with find.",
  invalid_request: "Correct the arguments and call again.",
  forbidden: "The role of this person or service does not permit it. Ask somebody who may, and do not try other ways.",
  revision_conflict: "It has changed since you read it. Read it again with get_task, and call again with its revision.",
  idempotency_key_conflict: "This key was used for another call. Leave it out, or choose another one.",
  idempotency_in_progress: "The same call is still under way. Look with get_receipt before you call again.",
  completion_target_required: "Call again with status set to the name of one of these.",
  invalid_cursor: "Take next_cursor as the last answer had it, with the same filters, or begin without a cursor.",
  internal: "Something failed here. Call again later; a write that was given the same arguments happens once.",
};

export function said({ code, extra }: Refusal): string {
  const { title, detail } = errors[code];
  const faults = (extra.errors ?? []).map((fault) => `${nameOf(fault.pointer)} ${fault.detail}.`);
  const choices = extra.choices?.map(({ name }) => name).join(", ");
  const current = extra.current_revision === undefined ? "" : ` Its revision is now ${extra.current_revision}.`;
  return [`${title}.`, ...faults, choices && `${choices}.`, `${next[code] ?? detail}${current}`]
    .filter(Boolean)
    .join(" ");
}

/** The last part of a pointer is the name of the argument, or near it. */
const nameOf = (pointer: string) => pointer.replace(/^\/(?:body|query|path)\//, "").replaceAll("/", ".") || "The call";

/** No structured content: clients would hold it against the shape of a success. */
export const toolError = (refusal: Refusal) => ({
  isError: true,
  content: [{ type: "text" as const, text: `${said(refusal)} [${refusal.code}]` }],
});
