// How events become the items and the groups of a feed, and which instants a civil day covers. Pure.
import type { ActivityItem } from "@svc/contract/history/activity/activity.ts";
import type { ActivityGroup } from "@svc/contract/history/activity/groups.ts";
import type { Static } from "typebox";
import { changesOf, type Told } from "./changes.ts";

type Item = Static<typeof ActivityItem>;
type Group = Static<typeof ActivityGroup>;
type Affected = Item["affected"][number];
type Source = "session" | "personal" | "developer" | "native" | "mcp" | "service" | "agent" | "integration";

/** An event that the reader may see, with the names that its resource and its Actor have now. */
export interface SeenEvent extends Told {
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

/** Events that one item stands for, newest first. */
interface Collapsed {
  events: SeenEvent[];
  /** What the command recorded first is what it was about: it names the item. */
  head: SeenEvent;
}
const distinct = <T>(values: readonly T[]) => [...new Set(values)];

/**
 * Newest first, in two steps: events of one command are one item; then the items of an editing session, in which one Actor does the same
 * to one resource again with at most five minutes between, are one item. Every event is counted exactly once: a command is whole on one
 * page, and a session that the end of a page cuts goes on as an item of the next.
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

/** Newest first, an item for each command. */
export const itemsOf = (events: readonly SeenEvent[]): Item[] =>
  [...Map.groupBy(events, ({ command_id }) => command_id).values()].map((ofCommand) =>
    itemOf({ events: ofCommand, head: ofCommand.at(-1) as SeenEvent }),
  );

/** What is known of a group: all events that were counted, the newest first, and of its newest commands what they tell. */
export interface ToldGroup {
  id: string;
  kind: Group["kind"];
  first_occurred_at: string;
  capped: boolean;
  members: (Pick<SeenEvent, "activity" | "type" | "actor_id"> & {
    /** Of a revision, all who wrote it. */
    actor_ids: string[] | null;
    event: SeenEvent | null;
  })[];
}

/** All that a command did is told; of other groups everything is about one resource. */
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
/** A comment is told with its Task, whose code and title it shows. */
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

/** The first instant of a civil day and that of the next: 23 or 25 hours apart where the clocks change, 0 where the day was skipped. */
export function civilDay(day: string, timeZone: string): { from: Date; until: Date } {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  return { from: startOf(midnight, timeZone), until: startOf(midnight + 86_400_000, timeZone) };
}

/** Searched, not computed from an offset: midnight itself may not exist on that day. Offsets lie between -12 and +14 hours. */
function startOf(midnight: number, timeZone: string): Date {
  // Swedish writes a date as YYYY-MM-DD, which sorts as text.
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
