// SQL of the effects of an assistant's command: the changed resources with their fields before and after, from its
// immutable events, and their revisions.
import { inWorkspace } from "../../../platform/background/jobs.ts";
import type { Pool, Queries } from "../../../platform/database/db.ts";

interface Recorded {
  type: string;
  kind: string;
  id: string;
  payload: Record<string, unknown>;
}
export interface CommandEffect {
  kind: string;
  id: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  revision: string | null;
}
const EVENTS = `
select e.type, e.resource_kind as kind, e.resource_id as id, e.payload from domain_events e
where e.workspace_id = current_workspace() and e.id between first_event_of($1) and last_event_of($1)
  and e.command_id = $1 order by e.id limit 500`;
/** Changed field of an event with a single value. */
const FIELDS: Record<string, string> = {
  "task.status_changed": "status_id",
  "task.assigned": "assignee_actor_id",
  "task.priority_changed": "priority",
  "task.milestone_changed": "milestone_id",
  "task.labels_changed": "label_ids",
  "task.description_changed": "description_revision",
  "document.content_updated": "content_revision",
  "task.trashed": "trashed_at",
  "task.restored": "trashed_at",
};
const TABLES: Record<string, string> = {
  task: "tasks",
  comment: "comments",
  document: "documents",
  milestone: "milestones",
  project: "projects",
  time_entry: "time_entries",
};
const fieldsOf = (value: unknown, field: string): Record<string, unknown> =>
  value !== null && typeof value === "object" && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : { [field]: value ?? null };

/** Prefers the revision of an event, if one has it: the resource may have changed again since. */
function effectOf(events: readonly Recorded[]): CommandEffect {
  const [{ kind, id }] = events as [Recorded];
  const before: Record<string, unknown> = {};
  const after: Record<string, unknown> = {};
  let revision: string | null = null;
  for (const { type, payload } of events) {
    const { from, to, ...rest } = payload;
    const field = FIELDS[type] ?? type.slice(type.lastIndexOf(".") + 1);
    if (type.endsWith(".created")) Object.assign(after, { id }, rest);
    if (from !== undefined) Object.assign(before, fieldsOf(from, field));
    if (to !== undefined) Object.assign(after, fieldsOf(to, field));
    if (field.endsWith("_revision")) revision = to as string;
  }
  const orNull = (fields: Record<string, unknown>) => (Object.keys(fields).length > 0 ? fields : null);
  return { kind, id, before: orNull(before), after: orNull(after), revision };
}
async function revisionOf(tx: Queries, kind: string, id: string): Promise<string | null> {
  const table = TABLES[kind];
  if (table === undefined) return null;
  const sql = `select revision::text from ${table} where workspace_id = current_workspace() and id = $1`;
  return (await tx.maybe<{ revision: string }>(sql, [id]))?.revision ?? null;
}

/** Effects, one per resource, in the order in which the command first changed them. */
export const effectsOf = (writer: Pool, workspaceId: string, commandId: string): Promise<CommandEffect[]> =>
  inWorkspace(writer, workspaceId, async (tx) => {
    const events = await tx.rows<Recorded>(EVENTS, [commandId]);
    const groups = [...Map.groupBy(events, ({ id }) => id).values()];
    return Promise.all(
      groups.map(async (group) => {
        const effect = effectOf(group);
        return { ...effect, revision: effect.revision ?? (await revisionOf(tx, effect.kind, effect.id)) };
      }),
    );
  });
