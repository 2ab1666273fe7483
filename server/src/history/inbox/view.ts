// Inbox items on the wire. Their subject is p, as joined in access.ts.
import { InboxItem } from "@svc/contract/history/inbox/inbox.ts";
import { checked } from "../../platform/database/sql.ts";
import { view } from "../../platform/database/view.ts";

export const inboxItemView = view(InboxItem, "i", {
  action: "i.event_type",
  event: "i.event_type",
  occurred_at: "wire_time(i.newest_at)",
  actor: `(select json_build_object('id', a.id, 'display_name', coalesce(u.display_name, a.name)) from actors a
    left join users u on u.id = a.user_id
    where a.workspace_id = i.workspace_id and a.id = i.from_actor_id)`,
  task: `case when p.task_id is not null
    then json_build_object('id', p.task_id, 'code', p.key || '-' || p.number, 'title', p.title) end`,
  document: `case when p.document_id is not null
      then json_build_object('id', p.document_id, 'path', p.path, 'title', p.title) end`,
  project: "case when p.id is not null then json_build_object('id', p.id, 'key', p.key, 'name', p.name) end",
  reminder: `(select json_build_object('id', r.id, 'text', r.text) from discuss_reminders r
      where r.workspace_id = i.workspace_id and r.id = i.reminder_id)`,
  about: `case when i.about_id is not null
      then json_build_object('kind', i.about_kind, 'id', i.about_id, 'name', i.about_name, 'note', i.about_note) end`,
  excerpt: `(select plain_excerpt(c.markdown) from comments c
    where c.workspace_id = i.workspace_id and c.id = i.comment_id and ${checked("c.deleted_at is null")})`,
});
