// SQL of My Work, for every surface that shows it:
//   listWork(tx, { view, json? }, { after, limit }) -> { rows: { json, key }[], more: key | null, beside: { complete }
//   } `json` is the SQL of the JSON of Task t, with its Project's key as p.key and its Status as s.name and s.category
//   (default: the wire representation). A page examines bounded index ranges (examined-page.ts), so it may be short
//   although `more` is not null.
import type { MyWorkView } from "@svc/contract/planning/tasks/own-work/work.ts";
import type { Static } from "typebox";
import { callerManages } from "../../../accounts/workspaces/access.ts";
import type { Queries } from "../../../platform/database/db.ts";
import { filled, type PageBounds, parameters } from "../../../platform/database/scan-page.ts";
import { LAST_ID, NIL } from "../../../platform/wire/ids.ts";
import { today } from "../lists/due-dates.ts";
import { EXAMINED, examinedPage, type IndexRange, tasksOf } from "../lists/examined-page.ts";

export type WorkView = Static<typeof MyWorkView>;
interface Asked {
  view: WorkView;
  json?: string;
}

const there = "t.workspace_id = current_workspace() and t.trashed_at is null";
/** Must match the expression of the indexes that separate open Tasks. */
export const isOpen = "(case when t.completed_at is null then 1 else 0 end) = 1";
const mine = "t.assignee_actor_id = current_actor()";
const ownCreation = "t.created_by_actor_id = current_actor()";
/** Whether the caller reviews work in Project p: Workspace viewers do not, whatever their Project role. */
export const callerReviews =
  `(${callerManages} or p.caller_role = 'lead' and current_setting('svc.role', ` + "true) <> 'viewer')";
/** Whether Status s is open; a cancelled one counts as done. */
export const open = "not s.counts_as_completed and s.category <> 'cancelled'";
export const withinSevenDays = `t.due_date <= ${today} + 7`;

const newestChange = { columns: ["updated_at", "id"], way: "desc", first: ["infinity", LAST_ID] } as const;
interface View {
  /** Conditions that an index answers. */
  in?: string[];
  where: string[];
  order: { columns: readonly string[]; way: "asc" | "desc"; first: readonly (string | number)[] };
}
const views: Record<WorkView, View> = {
  assigned: { in: [mine, isOpen], where: [open], order: newestChange },
  created: { in: [ownCreation, isOpen], where: [open], order: newestChange },
  delegated: {
    in: [ownCreation, isOpen],
    where: [open, "t.assignee_actor_id is not null", "t.assignee_actor_id <> current_actor()"],
    order: newestChange,
  },
  due_soon: {
    in: [mine, "t.completed_at is null", "t.due_date is not null", withinSevenDays],
    where: [open],
    order: { columns: ["due_date", "id"], way: "asc", first: ["-infinity", NIL] },
  },
  completed: {
    in: [mine, "t.completed_at is not null"],
    where: ["s.counts_as_completed"],
    order: { columns: ["completed_at", "id"], way: "desc", first: ["infinity", LAST_ID] },
  },
  reviewing: {
    where: ["t.trashed_at is null", open, "s.awaits_review", callerReviews],
    order: { columns: ["bearer_id"], way: "desc", first: [LAST_ID] },
  },
};
const types: Record<string, string> = {
  updated_at: "timestamptz",
  completed_at: "timestamptz",
  due_date: "date",
  id: "uuid",
  bearer_id: "uuid",
};

/** One index range per Status that awaits review; a Workspace has few. */
const inReview = (after: string) =>
  tasksOf(`
  select t.bearer_id from (
    select s.id from lifecycle_stages g join statuses s on s.workspace_id = g.workspace_id and s.stage_id = g.id
    where g.workspace_id = current_workspace() and g.awaits_review limit 100
  ) s cross join lateral (
    select t.id as bearer_id from tasks t
    where t.workspace_id = current_workspace() and t.status_id = s.id and ${after.replaceAll("bearer_id", "id")}
    order by t.id desc limit ${EXAMINED}
  ) t order by t.bearer_id desc limit ${EXAMINED}`);

export const listWork = (tx: Queries, asked: Asked, page: PageBounds) =>
  filled(page, (rest) => stretchOf(tx, asked, rest));

function stretchOf(tx: Queries, { view, json }: Asked, page: PageBounds) {
  const { in: within = [], where, order } = views[view];
  const values = parameters();
  const from = (page.after ?? order.first).map(
    (value, at) => `${values.put(value)}::${types[order.columns[at] as string]}`,
  );
  const columns = order.columns.map((column) => `t.${column}`).join(", ");
  const after = `(${columns}) ${order.way === "asc" ? ">" : "<"} (${from.join(", ")})`;
  const stretch: IndexRange = {
    parts:
      view === "reviewing"
        ? [inReview(after)]
        : [`select * from tasks t where ${[there, ...within, after].join(" and ")}`],
    order: order.columns.map((column) => [column, order.way]),
  };
  return examinedPage(tx, stretch, { where: [...where, "p.archived_at is null"], json }, values, page);
}
