// Reports are paginated over one state: each page is one statement that also returns the revision of its subject's
// time, and a page that would continue another revision is refused. A collection of entries above the limit is not
// listed at all.

import type { PageInput } from "@svc/contract/kit.ts";
import { MOST_ENTRIES } from "@svc/contract/planning/time/entries.ts";
import type { ListRow } from "../../platform/kernel/implement-operation.ts";
import { refuse } from "../../platform/wire/problem.ts";

export type ReportRow<Head = unknown> = Head & {
  revision: string;
  entries?: number | null;
  json: string | null;
  key: string | null;
};

/**
 * The head of a report joined to each row of its page; without rows, the head alone. `subject` is the Task, Project or
 * person, and `page` selects json and `place`, the sort key as texts.
 */
export const report = (subject: string, page: string, head = "", beside = "(select) s") => `
with head as materialized (select coalesce(
  (select revision from time_reports where workspace_id = current_workspace() and subject_id = ${subject}),
    0)::text as revision${head}
  from ${beside})
select head.*, page.json, to_json(head.revision || page.place)::text as key
from head left join lateral (${page}) page on true order by page.place collate "C"`;

/** Number of entries, capped at one above the limit. */
export const counted = (from: string) =>
  `, (select count(*)::int from (select ${from} limit ${MOST_ENTRIES + 1}) counted) as entries`;

const CHANGED = {
  pointer: "/query/cursor",
  code: "report_changed",
  detail: "the report has changed: start again without a cursor",
};
/** The page; refuses if it does not continue the report that the caller has started. */
export function pageOf(found: readonly ReportRow[], { after, limit }: PageInput["page"]) {
  const [head] = found;
  if (!head) throw new Error("a report without a head");
  if ((head.entries ?? 0) > MOST_ENTRIES) refuse("retained_limit_exceeded");
  if (after && after[0] !== head.revision)
    refuse("revision_conflict", { current_revision: head.revision, errors: [CHANGED] });
  const rows = found.filter((row): row is ReportRow & ListRow => row.json !== null);
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return { rows: rows.slice(0, limit), more: last?.key ?? null };
}
