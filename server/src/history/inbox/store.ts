// SQL of an inbox as its owner reads it: the caller's own items whose subjects the caller sees now.
import type { NotificationCategory } from "@svc/contract/types.ts";
import type { Queries } from "../../platform/database/db.ts";
import { visibleSubject } from "./access.ts";
import { inboxItemView } from "./view.ts";

export type NotificationState = "unread" | "read" | "archived";
interface Asked {
  states: readonly NotificationState[];
  category: NotificationCategory | null;
}
const own = "i.workspace_id = current_workspace() and i.actor_id = current_actor() and i.listed";

// Reads a page per state, so that merging them yields the newest of all. Items that are no longer visible are examined
// but omitted.
const examine = (category: string) => `
select json_build_array(i.newest_at, i.id)::text as key,
  case when p.subject_id is not null then ${inboxItemView} end as json
from (
  select i.* from unnest($1::text[]) states(state) cross join lateral (
    select * from inbox_items i
    where ${own} and i.state = states.state ${category} and (i.newest_at, i.id) < ($2::timestamptz, $3::uuid)
    order by i.newest_at desc, i.id desc limit $4
  ) i order by i.newest_at desc, i.id desc limit $4
) i ${visibleSubject("left")}
order by i.newest_at desc, i.id desc`;
const EXAMINE = examine("");
const EXAMINE_CATEGORY = examine("and i.category = $5");
export const examineItems = (
  tx: Queries,
  { states, category }: Asked,
  [before, id]: readonly [string, string],
  rows: number,
) =>
  tx.rows<{ key: string; json: string | null }>(category === null ? EXAMINE : EXAMINE_CATEGORY, [
    ...[states, before, id, rows],
    ...(category === null ? [] : [category]),
  ]);

const MOST_COUNTED = 100;
/** Number of unread items examined to count the visible ones. */
const MOST_EXAMINED = 500;
const UNREAD = `
/* reads up to ${6 * MOST_EXAMINED}: so many items, and whether each can be seen */
select count(p.subject_id)::int as seen, count(*)::int as examined from (
  select * from inbox_items i where ${own} and i.state = 'unread' order by i.newest_at desc, i.id desc
  limit ${MOST_EXAMINED}
) i ${visibleSubject("left")}`;
export async function unread(tx: Queries) {
  const { seen, examined } = await tx.one<{ seen: number; examined: number }>(UNREAD);
  return {
    unread_count: Math.min(seen, MOST_COUNTED),
    unread_count_capped: seen > MOST_COUNTED || examined === MOST_EXAMINED,
  };
}

/** A read item gathers no more events and is not mailed. $1: whether to mark items as read. */
const READ = `
update inbox_items i set read_at = case when $1 then now() end, gathering = i.gathering
  and not $1, mail_due = i.mail_due and not $1,
  revision = i.revision + 1, updated_at = now()`;
const NAMED = `
${READ} from inbox_items o where o.workspace_id = current_workspace() and o.id = any($2::uuid[])
  and i.workspace_id = o.workspace_id and i.id = o.id
  and ${own} and (i.read_at is null) = $1 and exists (select ${visibleSubject("from")})
returning i.id`;
/** Number of items marked at once, newest first. */
const MOST_AT_ONCE = 5_000;
// The wire has milliseconds, the table microseconds.
const BEFORE = `
${READ} where i.workspace_id = current_workspace() and i.id = any(array(
  select i.id from inbox_items i where ${own} and i.state = case when $1 then 'unread' else 'read' end
    and i.newest_at < $2::timestamptz + interval '1 millisecond' and ($3::text is null or i.category = $3)
    and exists (select ${visibleSubject("from")})
  order by i.newest_at desc, i.id desc limit ${MOST_AT_ONCE} for no key update))
returning i.id`;
const count = async (rows: Promise<unknown[]>) => (await rows).length;
export const markItems = (tx: Queries, read: boolean, ids: readonly string[]) => count(tx.rows(NAMED, [read, ids]));
export const markBefore = (tx: Queries, read: boolean, before: string, category: NotificationCategory | null) =>
  count(tx.rows(BEFORE, [read, before, category]));

const CHANGE = `
update inbox_items i set read_at = case when $2::boolean is null then i.read_at
  when $2 then coalesce(i.read_at, now()) end,
  archived_at = case when $3::boolean is null then i.archived_at when $3 then coalesce(i.archived_at, now()) end,
  gathering = i.gathering and $2 is not true and $3 is not true, mail_due = i.mail_due and $2 is not true
    and $3 is not true,
  revision = i.revision + 1, updated_at = now()
where i.workspace_id = current_workspace() and i.id = $1
  and ((i.read_at is not null) <> $2 or (i.archived_at is not null) <> $3)
returning i.id`;
const SHOW = `select ${inboxItemView} as json, i.revision::text from inbox_items i ${visibleSubject("cross")}
  where ${own} and i.id = $1`;
/** Changes a row that the load has locked. `row` is undefined if the subject is no longer visible. */
export async function changeItem(tx: Queries, id: string, read: boolean | null, archived: boolean | null) {
  const [changed, row] = await Promise.all([
    count(tx.rows(CHANGE, [id, read, archived])),
    tx.maybe<{ json: string; revision: string }>(SHOW, [id]),
  ]);
  return { changed: changed > 0, row };
}
