// Collapses events into the items and groups of a feed, and computes the instants that a civil day covers. Pure.
import type { ActivityItem } from "@svc/contract/history/activity/activity.ts";
import type { ActivityGroup } from "@svc/contract/history/activity/groups.ts";
import type { Static } from "typebox";
import { type ActivityEvent, changesOf } from "./changes.ts";

type Item = Static<typeof ActivityItem>;
type Group = Static<typeof ActivityGroup>;
type Affected = Item["affected"][number];
type Source = "session" | "personal" | "developer" | "native" | "mcp" | "service" | "agent" | "integration";

/** An event that the reader sees, with the current names of its resource and its Actor. */
export interface SeenEvent extends ActivityEvent {
  id: string;
  activity: Item["type"];
  occurred_at: string;
  actor_id: string;
  actor_name: string | null;
  source: Source;
  client: string | null;
  command_id: string;
  affected: Affected;
}

const MOST_AFFECTED = 25;
const SESSION_MS = 5 * 60_000;
const sources: Record<Source, Item["provenance"]["source"]> = {
  session: "browser",
  personal: "script",
  developer: "developer_client",
  native: "mobile",
  mcp: "mcp_client",
  service: "service",
  agent: "agent",
  integration: "integration",
};

/** Events that one item represents, newest first. */
interface Collapsed {
  events: SeenEvent[];
  /** The first event that the command recorded. It names the item. */
  head: SeenEvent;
}
const distinct = <T>(values: readonly T[]) => [...new Set(values)];

/**
 * Collapses events into items, newest first, in two steps: events of one command become one item; then the items of an
 * editing session become one item, if one Actor repeats the same action on one resource at most five minutes apart.
 * Every event counts exactly once: a page never splits a command, and a session that the end of a page cuts continues
 * as an item of the next page.
 */
export function collapse(events: readonly SeenEvent[]): Item[] {
  const commands = Map.groupBy(events, ({ command_id }) => command_id);
  const items: Collapsed[] = [];
  const sessions = new Map<string, Collapsed>();
  for (const ofCommand of commands.values()) {
    const head = ofCommand.at(-1) as SeenEvent;
    const { actor_id, client, affected, occurred_at } = head;
    const alone = ofCommand.every((event) => event.affected.id === affected.id);
    const key = [actor_id, client, affected.id, ...distinct(ofCommand.map(({ type }) => type)).sort()].join(" ");
    const session = alone ? sessions.get(key) : undefined;
    if (
      session &&
      Date.parse((session.events.at(-1) as SeenEvent).occurred_at) - Date.parse(occurred_at) <= SESSION_MS
    ) {
      session.events.push(...ofCommand);
      continue;
    }
    const group = { events: [...ofCommand], head };
    items.push(group);
    if (alone) sessions.set(key, group);
  }
  return items.map(itemOf);
}

/** Builds one item per command, newest first. */
export const itemsOf = (events: readonly SeenEvent[]): Item[] =>
  [...Map.groupBy(events, ({ command_id }) => command_id).values()].map((ofCommand) =>
    itemOf({ events: ofCommand, head: ofCommand.at(-1) as SeenEvent }),
  );

/** A group as the store reads it: all counted events, newest first, with the full event for its newest commands. */
export interface ToldGroup {
  id: string;
  kind: Group["kind"];
  first_occurred_at: string;
  capped: boolean;
  members: (Pick<SeenEvent, "activity" | "type" | "actor_id"> & {
    /** For a revision: all of its authors. */
    actor_ids: string[] | null;
    event: SeenEvent | null;
  })[];
}

/** Builds the group. A command group may cover several resources; any other group has one. */
export function groupOf({ id, kind, first_occurred_at, capped, members }: ToldGroup): Group {
  const events = members.flatMap(({ event }) => event ?? []);
  const [newest] = events as [SeenEvent];
  const common = <T>(of: (event: SeenEvent) => T) => (distinct(events.map(of)).length === 1 ? of(newest) : null);
  const subject = common(({ affected }) => affected.task_id ?? affected.id);
  return {
    id,
    kind,
    actor_ids: distinct(members.flatMap(({ actor_id, actor_ids }) => actor_ids ?? actor_id)),
    resource: subject === null ? null : subjectOf(newest.affected),
    project_id: common(({ affected }) => affected.project_id),
    task_id: common(({ affected }) => affected.task_id),
    kinds: distinct(members.map(({ activity }) => activity)),
    actions: distinct(members.map(({ type }) => actionOf(type))),
    count: members.length,
    capped,
    first_occurred_at,
    last_occurred_at: newest.occurred_at,
    items: itemsOf(events),
  };
}
/** The subject of a comment is its Task, whose code and title the comment shows. */
const subjectOf = (affected: Affected): Affected =>
  affected.task_id === null ? affected : { ...affected, kind: "task", id: affected.task_id };

const actionOf = (type: string) => `activity.${type}`;

function itemOf({ events, head }: Collapsed): Item {
  const { id, occurred_at, actor_id, actor_name, source, client, command_id } = events[0] as SeenEvent;
  const every = new Map(events.map((event) => [event.affected.id, event.affected]));
  const affected = [...every.values()].slice(0, MOST_AFFECTED);
  const shown = new Set(affected.map((each) => each.id));
  return {
    id,
    kind: head.activity,
    type: head.activity,
    action: actionOf(head.type),
    actions: distinct(events.map(({ type }) => actionOf(type))).reverse(),
    count: events.length,
    occurred_at,
    affected,
    changes: changesOf(events.filter((event) => shown.has(event.affected.id))),
    provenance: { actor_id, display_name: actor_name, actor_name, source: sources[source], client, command_id },
  };
}

/**
 * Returns the first instant of a civil day and of the next one. They are 23 or 25 hours apart if the clocks change, 0
 * if the time zone skipped the day.
 */
export function civilDay(day: string, timeZone: string): { from: Date; until: Date } {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  return { from: startOf(midnight, timeZone), until: startOf(midnight + 86_400_000, timeZone) };
}

/**
 * Binary search instead of offset arithmetic: midnight may not exist on that day. Offsets lie between -12 and +14
 * hours.
 */
function startOf(midnight: number, timeZone: string): Date {
  // The Swedish locale formats a date as YYYY-MM-DD, which sorts as text.
  const local = new Intl.DateTimeFormat("sv-SE", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" });
  const day = new Date(midnight).toISOString().slice(0, 10);
  let [before, after] = [midnight / 1000 - 16 * 3600, midnight / 1000 + 16 * 3600];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (local.format(middle * 1000) < day) before = middle;
    else after = middle;
  }
  return new Date(after * 1000);
}
