// The text of a refusal for assistants: the problem, the argument, and the next step, in terms of tools rather than
// HTTP. A sentence that names a tool is omitted if the assistant does not have that tool.
import { type ErrorCode, errors } from "@svc/contract/errors.ts";
import type { Refusal } from "../../platform/wire/problem.ts";
import { operationOf } from "./operation-calls.ts";

/** Next steps, for codes whose catalogue text mentions headers, paths or members of a response. */
const next: Partial<Record<ErrorCode, string>> = {
  not_found: "It does not exist, or you cannot read it.",
  invalid_request: "Correct the arguments and call again.",
  forbidden: "The role of this person or service does not permit it. Ask somebody who may, and do not try other ways.",
  revision_conflict: "It has changed since you read it.",
  idempotency_key_conflict: "This key was used for another call. Leave it out, or choose another one.",
  idempotency_in_progress: "The same call is still under way. Look with get_receipt before you call again.",
  completion_target_required: "Call again with status set to the name of one of these.",
  invalid_cursor: "Take next_cursor as the last answer had it, with the same filters, or begin without a cursor.",
  internal: "Something failed here. Call again later. Where you gave a key, ask get_receipt first whether it happened.",
  time_tracking_disabled: "Ask an administrator to enable time tracking in the settings of the Workspace.",
  already_undone: "To make it again, call undo with the command of that undo.",
  undo_conflict: "Something that it made has changed since. Nothing was undone.",
  evidence_unavailable: "You cannot read all of its evidence now. Propose it again without.",
  invalid_reference: "Correct what is named here: each must exist, be visible to you and be usable for this.",
  retained_limit_exceeded: "Choose a shorter range.",
  document_patch_conflict: "Read it again with get_document, and draft the edits anew.",
  change_set_closed: "Read it with get_change_set. Propose again with propose_changes.",
  change_set_stale: "Nothing was changed. Propose again with propose_changes, with id and version.",
  change_set_refused: "Nothing was changed. Propose again with propose_changes, without that change.",
};

type Kind = "task" | "project" | "milestone" | "document" | "change_set" | "result_set";
const kinds: readonly [RegExp, Kind][] = [
  [/ChangeSet$/, "change_set"],
  [/ResultSet$/, "result_set"],
  [/^getMilestone/, "milestone"],
  [/^(?:find|read)Project|^listCliDocuments$/, "project"],
  [/Document/, "document"],
  [/Task|TimeEntry/, "task"],
];
const look: Record<Kind, string> = {
  task: "Look for it with find.",
  project: "list_projects names those that you can see.",
  milestone: "get_project names the Milestones of a Project.",
  document: "Look for it with find. list_documents names those at the top.",
  change_set: "",
  result_set: "Save a new one with list_tasks.",
};
const readAgain: Record<Kind, string> = {
  task: "Read it again with get_task, and call again with its revision.",
  project: "",
  milestone: "",
  document: "Read it again with get_document, and call again with its content_revision.",
  change_set: "Read it again with get_change_set.",
  result_set: "",
};
function stepFor(refusal: Refusal): string {
  const { code } = refusal;
  const operation = operationOf(refusal) ?? "";
  const kind = kinds.find(([names]) => names.test(operation))?.[1];
  const more = kind && (code === "not_found" ? look[kind] : code === "revision_conflict" ? readAgain[kind] : "");
  return `${next[code] ?? errors[code].detail} ${more ?? ""}`.trim();
}

const SENTENCE = ". ";
const TOOL_LIKE = /[a-z]+(?:_[a-z]+)*/g;
/** Removes the sentences that name a tool which the assistant does not have. */
export function withoutMissing(text: string, every: ReadonlySet<string>, offered: ReadonlySet<string>): string {
  const isMissing = (word: string) => every.has(word) && !offered.has(word);
  const sentences = text.split(SENTENCE);
  const kept = sentences.filter((sentence) => !(sentence.match(TOOL_LIKE) ?? []).some(isMissing));
  const joined = kept.join(SENTENCE);
  return joined === "" || joined.endsWith(".") ? joined : `${joined}.`;
}

/** `heard` removes sentences about tools that the reader does not have. */
export function said(refusal: Refusal, heard = (text: string) => text): string {
  const { code, extra } = refusal;
  const faults = (extra.errors ?? []).map((fault) => `${nameOf(fault.pointer)} ${fault.detail}.`);
  const choices = extra.choices?.map(({ name }) => name).join(", ");
  const current = extra.current_revision === undefined ? "" : `Its revision is now ${extra.current_revision}.`;
  return [`${errors[code].title}.`, ...faults, choices && `${choices}.`, heard(stepFor(refusal)), current]
    .filter(Boolean)
    .join(" ");
}

/** The last part of a pointer is the name of the argument, or close to it. */
const nameOf = (pointer: string) => pointer.replace(/^\/(?:body|query|path)\//, "").replaceAll("/", ".") || "The call";

/** Tool result without structured content: clients would validate it against the output schema. */
export const toolError = (refusal: Refusal, heard?: (text: string) => string) => ({
  isError: true,
  content: [{ type: "text" as const, text: `${said(refusal, heard)} [${refusal.code}]` }],
});
