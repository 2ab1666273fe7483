// Captured Tasks on the wire: identities as captured, and previews of the Tasks' current state.
import { type CapturedTask, TaskPreview } from "@svc/contract/history/captures/result-sets.ts";
import type { Static } from "typebox";
import { view } from "../../platform/database/view.ts";
import type { Rendered } from "../../platform/kernel/implement-operation.ts";
import { refuse } from "../../platform/wire/problem.ts";

/** Captured ids and revisions, in parallel arrays. */
export interface Identities {
  task_ids: string[];
  revisions: string[];
}
export const identitiesView = ({ task_ids, revisions }: Identities): Static<typeof CapturedTask>[] =>
  task_ids.map((id, place) => ({ id, revision: revisions[place] as string }));

export const taskPreview = view(TaskPreview, "t", { code: "p.key || '-' || t.number" });

/** One Task of a page; an empty page has one row without id. */
export interface HydratedRow {
  /** Number of Tasks captured in all. */
  count: number;
  id: string | null;
  revision: string;
  /** Current revision; null if the caller does not see the Task. */
  now: string | null;
  json: string | null;
}
const stateOf = ({ revision, now }: HydratedRow) =>
  now === null ? "unavailable" : now === revision ? "current" : "changed";

/** An unavailable Task shows only its captured id and revision. */
export function hydratedView(beside: object, offset: number, rows: readonly HydratedRow[]): Rendered {
  const { count } = rows[0] ?? refuse("not_found");
  const shown = rows.filter(({ id }) => id !== null);
  const items = shown.map(
    (row) => `{"id":"${row.id}","revision":"${row.revision}","state":"${stateOf(row)}","task":${row.json}}`,
  );
  const next = offset + shown.length;
  const page = { ...beside, offset, count, next_offset: shown.length > 0 && next < count ? next : null };
  return { json: `{"items":[${items.join(",")}],${JSON.stringify(page).slice(1)}` };
}
