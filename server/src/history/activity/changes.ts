// What events tell of the fields of what they are about, as a feed shows it: from what it was at first to what it was at last. Pure.
import type { ActivityChange } from "@svc/contract/history/activity/activity.ts";
import type { Static } from "typebox";

type Change = Static<typeof ActivityChange>;
type Fields = Record<string, unknown>;

/** What an event tells, and the names of what it names, as far as the reader sees that now (see told.ts). */
export interface Told {
  type: string;
  affected: { id: string };
  told: {
    from?: Fields | string;
    to?: Fields | string;
    /** Of relations: the other Task, and how this one is to it. */
    task_id?: string;
    type?: string;
    /** All that events told once of a change of Projects and Milestones. */
    fields?: string[];
  };
  names: Record<string, { code: string | null; name: string | null }> | null;
}

/** Fields that name something else, as they are called in a feed. */
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
/** Of a text the revisions that had it are told. */
const texts: Record<string, string> = { description_markdown: "description", markdown: "markdown" };
/** What is told as it is. Whatever else an event keeps is not: it may be about something that the reader does not see. */
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
const refer = ({ names }: Told, id: unknown) => {
  const found = names?.[id as string];
  return found ? { id: id as string, ...found } : NOTHING;
};

function shown(event: Told, field: string, of: Fields): Change["from"] {
  const value = of[field];
  if (value === undefined || value === null) return value;
  if (field in references) return Array.isArray(value) ? value.map((id) => refer(event, id)) : refer(event, value);
  if (field in texts) return { revision: value as string };
  // It begins with the key of its Project.
  if (field === "code" && refer(event, of.project_id) === NOTHING) return null;
  return value as string | number | boolean;
}

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;

/** How one Task is to another: each type is a field, with the other Task as its value. */
function relationChanges(event: Told): Change[] {
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

/** Of one event. */
function changesIn(event: Told): Change[] {
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

/** Of events, the newest first: each field of each resource once, in the order in which they changed. A relation is one for each other Task. */
export function changesOf(events: readonly Told[]): Change[] {
  const merged = new Map<string, Change>();
  for (const event of events.toReversed())
    for (const change of changesIn(event)) {
      const key = [change.resource_id, change.field, event.told.task_id].join(" ");
      const first = merged.get(key);
      merged.set(key, first ? { ...first, to: change.to } : change);
    }
  return [...merged.values()];
}
