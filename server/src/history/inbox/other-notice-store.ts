// SQL of notifications about anything but work and reminders: requests and disabled webhooks. The transaction of the
// cause inserts them in one statement, which blocks nobody.
import type { NotificationCategory } from "@svc/contract/types.ts";
import type { Queries } from "../../platform/database/db.ts";
import { MANAGERS_ALONE } from "./access.ts";
import { preferences, wants } from "./notice-store.ts";

export interface About {
  category: Extract<NotificationCategory, "request_received" | "request_decided" | "webhook_disabled">;
  about_kind: "integration_request" | "agent_request" | "webhook_endpoint";
  about_id: string;
  about_name: string;
  about_note: string | null;
  event_type: string;
  /** Actor who caused it and is not notified. */
  from_actor_id: string | null;
  /** Recipients; null: those who manage the Workspace. */
  actor_ids: string[] | null;
}
const MOST_MANAGERS = 50;
const TELL = `
/* reads up to 5000: everybody whose request for a provider is closed when it is connected */
with f as materialized (
  select a.*, m.actor_id, m.user_id from jsonb_to_recordset($1::jsonb) as a(
    category text, about_kind text, about_id uuid, about_name text, about_note text, event_type text,
      from_actor_id uuid, actor_ids jsonb)
  cross join lateral (
    (select m.actor_id, m.user_id, m.role
    from jsonb_array_elements_text(case jsonb_typeof(a.actor_ids) when 'array' then a.actor_ids else '[]' end) as g(id)
     join memberships m on m.workspace_id = current_workspace() and m.actor_id = g.id::uuid and m.state = 'active')
    union all
    (select m.actor_id, m.user_id, m.role from memberships m
     where jsonb_typeof(a.actor_ids) is distinct from 'array' and m.workspace_id = current_workspace()
       and m.role in ('owner', 'admin') and m.state = 'active' limit ${MOST_MANAGERS})
  ) m
  where m.actor_id is distinct from a.from_actor_id
    and (a.category not in ${MANAGERS_ALONE} or m.role in ('owner', 'admin'))
), wanted as materialized (
  select f.*, ${wants("in_app")} as listed, ${wants("push")} as push, ${wants("email")} as mail from f ${preferences}
  where ${wants("in_app")} or ${wants("push")} or ${wants("email")}
), told as (
  insert into inbox_items as old (workspace_id, id, actor_id, category, about_kind, about_id, about_name, about_note,
    event_type, from_actor_id, count, newest_at, listed, mail_due)
  select current_workspace(), uuidv7(), n.actor_id, n.category, n.about_kind, n.about_id, n.about_name,
    left(n.about_note, 200), n.event_type, n.from_actor_id, 1, now(), n.listed, n.mail
  from wanted n
  on conflict (workspace_id, actor_id, category, subject_id, listed) where gathering do update
  set count = old.count + 1, about_name = excluded.about_name, about_note = excluded.about_note,
    event_type = excluded.event_type, from_actor_id = excluded.from_actor_id,
    newest_at = excluded.newest_at, mail_due = excluded.mail_due, revision = old.revision + 1, updated_at = now()
  returning id, actor_id, about_id
)
select enqueue_job('push_inbox',
  json_build_object('id', uuidv7(), 'endpoint_id', e.id, 'workspace_id', current_workspace(), 'actor_id', n.actor_id,
  'item_ids', jsonb_build_array(t.id)))
from told t join wanted n on n.actor_id = t.actor_id and n.about_id = t.about_id and n.push
join push_endpoints e on e.user_id = n.user_id and e.kind = 'browser'`;
/** Notifies recipients in the connection's Workspace, each according to their preferences. */
export const tellAbout = (tx: Queries, about: readonly About[]) => tx.rows(TELL, [JSON.stringify(about)]);

const DONE = `
/* reads up to 5000: those who manage the Workspace, each with what was asked */
update inbox_items i set read_at = coalesce(i.read_at, now()), archived_at = now(), gathering = false, mail_due = false,
  revision = i.revision + 1, updated_at = now()
where i.workspace_id = current_workspace() and i.about_id = any($1::uuid[]) and i.category = $2
  and i.archived_at is null`;
/** Archives the notifications of a decided request or a repaired endpoint: nothing is left to do. */
export const settleAbout = (tx: Queries, aboutIds: readonly string[], category: About["category"]) =>
  tx.rows(DONE, [aboutIds, category]);
