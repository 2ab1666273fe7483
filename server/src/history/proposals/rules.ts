// What a ChangeSet is made of, its digest and its state. Pure.
import { createHash } from "node:crypto";
import type { ActionName } from "@svc/contract/history/proposals/actions.ts";
import type { ChangeSet, states } from "@svc/contract/history/proposals/change-sets.ts";
import type { Static } from "typebox";

/** Versions of ChangeSets that have not expired, and of Document patches, that a member has at a time. */
export const MOST_VERSIONS = 500;
/** A ChangeSet is kept for so many days after it has expired, and one that was applied for as long as activity tells of it. */
export const UNUSED_DAYS = 30;
export const APPLIED_DAYS = 90;
/** A Document patch, since its last version. */
export const PATCH_DAYS = 90;

export type State = (typeof states)[number];
type Wire = Static<typeof ChangeSet>;
export type Effect = Wire["changes"][number]["effects"][number];
export type Refused = NonNullable<Wire["changes"][number]["refusal"]>;
export type Fields = Record<string, unknown>;

/** A change as it was sent, in one spelling. Of a Document patch, the Document and the revision that it was made against stand there too. */
export interface Change {
  action: ActionName;
  project_id?: string;
  task_id?: string;
  relation_id?: string;
  comment_id?: string;
  milestone_id?: string;
  entry_id?: string;
  patch_id?: string;
  document_id?: string;
  version?: number;
  revision?: string;
  set?: Fields;
  reason?: string;
}
/** What came of trying it. */
export interface Outcome {
  before: Fields | null;
  after: Fields | null;
  effects: Effect[];
  refusal: Refused | null;
}
export interface Pin {
  id: string;
  version: number;
}

/** JSON with the members of every object in order (RFC 8785): numbers and texts are already as JSON.stringify writes them. */
export function canonical(value: unknown): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((each) => canonical(each)).join(",")}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  // By UTF-16 code units, as the comparison of texts does.
  members.sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`;
}

/** Given out when it happens, and another one each time: they are no part of what is approved. */
const GIVEN = new Set(["id", "number", "code", "position", "revision", "content_revision", "created_at", "updated_at"]);
/** What is approved of what would be: of a time, that there is one. */
export const approvedOf = (after: Fields | null): Fields | null =>
  after &&
  Object.fromEntries(
    Object.entries(after)
      .filter(([name]) => !GIVEN.has(name))
      .map(([name, value]) => [name, name.endsWith("_at") ? value !== null : value]),
  );

interface Digested {
  change_set_id: string;
  version: number;
  title: string;
  reason: string | null;
  changes: readonly Change[];
  evidence: readonly Pin[];
}
/** Of everything that a reviewer is shown and that is then done. */
export function digestOf(set: Digested, outcomes: readonly Outcome[]): Buffer {
  const shown = outcomes.map(({ before, after, refusal }) => ({
    before,
    after: approvedOf(after),
    refusal: refusal?.code ?? null,
  }));
  return createHash("sha256")
    .update(canonical({ ...set, outcomes: shown }))
    .digest();
}

interface Standing {
  version: number;
  newest: number;
  refused: boolean;
  approved_at: string | null;
  rejected_at: string | null;
  applied_at: string | null;
  expired: boolean;
}
/** By itself: whether what it builds on has moved is looked at besides. */
export function stateOf({ version, newest, refused, approved_at, rejected_at, applied_at, expired }: Standing): State {
  if (applied_at !== null) return "applied";
  if (rejected_at !== null) return "rejected";
  if (expired) return "expired";
  if (version !== newest) return "stale";
  if (refused) return "draft";
  return approved_at === null ? "proposed" : "approved";
}
/** What may still become something. */
export const isOpen = (state: State) => state === "draft" || state === "proposed" || state === "approved";
