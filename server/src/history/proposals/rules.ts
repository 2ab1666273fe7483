// Parts, digest and state of a ChangeSet. Pure.
import { createHash } from "node:crypto";
import type { ActionName } from "@svc/contract/history/proposals/actions.ts";
import type { ChangeSet, states } from "@svc/contract/history/proposals/change-sets.ts";
import type { Static } from "typebox";

/** Number of unexpired ChangeSet versions, and of Document patch versions, that a member may have. */
export const MOST_VERSIONS = 500;
/** Days until a ChangeSet is deleted: after it expires, or after it was applied (as long as activity shows it). */
export const UNUSED_DAYS = 30;
export const APPLIED_DAYS = 90;
/** Days until a Document patch is deleted, counted from its last version. */
export const PATCH_DAYS = 90;

export type ChangeSetState = (typeof states)[number];
type Wire = Static<typeof ChangeSet>;
export type ChangeEffect = Wire["changes"][number]["effects"][number];
export type ChangeRefusal = NonNullable<Wire["changes"][number]["refusal"]>;
export type ChangeFields = Record<string, unknown>;

/**
 * A change as sent, in canonical spelling. For a Document patch it includes the Document and the patch's base revision.
 */
export interface ChangeInput {
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
  set?: ChangeFields;
  reason?: string;
}
/** The result of rehearsing a change. */
export interface Rehearsal {
  before: ChangeFields | null;
  after: ChangeFields | null;
  effects: ChangeEffect[];
  refusal: ChangeRefusal | null;
}
export interface Pin {
  id: string;
  version: number;
}

/** JSON with the members of every object sorted (RFC 8785). JSON.stringify writes numbers and strings as required. */
export function canonical(value: unknown): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((each) => canonical(each)).join(",")}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  // Compares by UTF-16 code units, as string comparison does.
  members.sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`;
}

/** Fields assigned when the change is applied, with another value each time: they are not approved. */
const GIVEN = new Set(["id", "number", "code", "position", "revision", "content_revision", "created_at", "updated_at"]);
/** The approved part of an outcome. A time counts only as set or not set. */
export const approvedOf = (after: ChangeFields | null): ChangeFields | null =>
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
  changes: readonly ChangeInput[];
  evidence: readonly Pin[];
}
/** Digest of everything that a reviewer sees and that applying does. */
export function digestOf(set: Digested, outcomes: readonly Rehearsal[]): Buffer {
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
/** The state of the version itself. Whether its targets have changed is checked separately. */
export function stateOf({
  version,
  newest,
  refused,
  approved_at,
  rejected_at,
  applied_at,
  expired,
}: Standing): ChangeSetState {
  if (applied_at !== null) return "applied";
  if (rejected_at !== null) return "rejected";
  if (expired) return "expired";
  if (version !== newest) return "stale";
  if (refused) return "draft";
  return approved_at === null ? "proposed" : "approved";
}
/** Whether the ChangeSet can still be applied, directly or after a new version. */
export const isOpen = (state: ChangeSetState) => state === "draft" || state === "proposed" || state === "approved";
