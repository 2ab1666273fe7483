// Derives the field changes that a feed shows from event payloads: each field with its first and its last value. Pure.
import type { ActivityChange } from "@svc/contract/history/activity/activity.ts";
import type { Static } from "typebox";

type Change = Static<typeof ActivityChange>;
type Fields = Record<string, unknown>;

/**
 * The payload of an event, with the names of the resources that it refers to, as far as the reader sees them now (see
 * event-details.ts).
 */
export interface ActivityEvent {
  type: string;
  affected: { id: string };
  told: {
    from?: Fields | string;
    to?: Fields | string;
    /** For a relation: the other Task and the type of the relation. */
    task_id?: string;
    type?: string;
    /** Names of all fields that older events of Projects and Milestones recorded as changed. */
    fields?: string[];
  };
  names: Record<string, { code: string | null; name: string | null }> | null;
}

/** Reference fields and their names in a feed. */
const references: Record<string, string> = {
  status_id: "status",
  actor_id: "assignee",
  milestone_id: "milestone",
  project_id: "project",
  parent_id: "parent",
  state_id: "state",
  stage_id: "stage",
  label_ids: "labels",
};
/** For long texts, a change shows the revisions and not the text. */
const texts: Record<string, string> = { description_markdown: "description", markdown: "markdown" };
/**
 * Fields whose values are shown unchanged. Other payload fields are omitted: they may refer to something that the
 * reader does not see.
 */
const PLAIN = [
  "title",
  "name",
  "code",
  "priority",
  "start_date",
  "due_date",
  "target_date",
  "trashed_at",
  "archived_at",
  "archived",
];
const isTold = (field: string) => field in references || field in texts || PLAIN.includes(field);

const NOTHING = { id: null, code: null, name: null };
const refer = ({ names }: ActivityEvent, id: unknown) => {
  const found = names?.[id as string];
  return found ? { id: id as string, ...found } : NOTHING;
};

function shown(event: ActivityEvent, field: string, of: Fields): Change["from"] {
  const value = of[field];
  if (value === undefined || value === null) return value;
  if (field in references) return Array.isArray(value) ? value.map((id) => refer(event, id)) : refer(event, value);
  if (field in texts) return { revision: value as string };
  // A code begins with the key of its Project, which the reader may not see.
  if (field === "code" && refer(event, of.project_id) === NOTHING) return null;
  return value as string | number | boolean;
}

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;

/** Maps a relation event to changes: each relation type is a field, and the other Task is its value. */
function relationChanges(event: ActivityEvent): Change[] {
  const { from, to, type, task_id } = event.told;
  const other = refer(event, task_id);
  const change = (field: unknown, was: boolean) => ({
    resource_id: event.affected.id,
    field: field as string,
    from: was ? other : null,
    to: was ? null : other,
  });
  if (type === undefined) return [change(from, true), change(to, false)];
  return [change(type, event.type === "task.relation_removed")];
}

function changesIn(event: ActivityEvent): Change[] {
  const { from, to, task_id, fields = [] } = event.told;
  if (task_id !== undefined) return relationChanges(event);
  const resource_id = event.affected.id;
  const nameOf = (field: string) => references[field] ?? texts[field] ?? field;
  if (!isFields(to)) return fields.filter(isTold).map((field) => ({ resource_id, field: nameOf(field) }));
  const was = isFields(from) ? from : Object.fromEntries(Object.keys(to).map((field) => [field, null]));
  return Object.keys(to)
    .filter((field) => isTold(field) && !same(was[field], to[field]))
    .map((field) => ({
      resource_id,
      field: nameOf(field),
      from: shown(event, field, was),
      to: shown(event, field, to),
    }));
}

/**
 * Merges the changes of events that are sorted newest first: one change per field of a resource, in the order in which
 * the fields changed. A relation counts once per other Task.
 */
export function changesOf(events: readonly ActivityEvent[]): Change[] {
  const merged = new Map<string, Change>();
  for (const event of events.toReversed())
    for (const change of changesIn(event)) {
      const key = [change.resource_id, change.field, event.told.task_id].join(" ");
      const first = merged.get(key);
      merged.set(key, first ? { ...first, to: change.to } : change);
    }
  return [...merged.values()];
}
