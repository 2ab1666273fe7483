// Optimistic updates of time entries, and how to refresh them.
import type { Client } from "@svc/client";
import type { Brought, Domain, Operation } from "../store/domain.ts";
import type { QueuedChange } from "../store/queue/change.ts";
import type { Replica } from "../store/replica.ts";
import type { TimeEntry } from "../store/rows.ts";
import type { Index } from "../store/sorted-index.ts";
import { plusDays, today } from "../ui/formats/dates.ts";
import { secondsIn } from "../ui/formats/duration.ts";

/** The member's own entries, in the order of creation. */
export const own: Index<TimeEntry> = {
  groups: () => ["own"],
  compare: (one, other) => (one.created_at < other.created_at ? -1 : one.created_at > other.created_at ? 1 : 0),
};

type Applied = Pick<QueuedChange, "input" | "guess" | "creates" | "madeAt">;
/** The service rounds durations: the entered value is displayed until the response arrives. */
function fieldsOf({ duration, work_date, note }: QueuedChange["input"]): Partial<TimeEntry> {
  const seconds = typeof duration === "string" ? (secondsIn(duration) ?? 0) : undefined;
  return {
    ...(seconds !== undefined && { seconds, recorded_seconds: seconds }),
    ...(work_date !== undefined && { work_date: work_date as string }),
    ...(note !== undefined && { note: note as string | null }),
  };
}
function create(_row: TimeEntry | undefined, { input, guess, creates, madeAt }: Applied): TimeEntry {
  const now = new Date(madeAt).toISOString();
  return {
    id: creates as string,
    revision: "0",
    created_at: now,
    updated_at: now,
    task_id: input.task_id as string,
    project_id: null,
    actor_id: null,
    display_name: null,
    work_date: "",
    seconds: 0,
    duration: "",
    recorded_seconds: null,
    rounding_mode: "exact" as const,
    note: null,
    redacted: false,
    task_code: null,
    task_title: null,
    ...(guess as Partial<TimeEntry>),
    ...fieldsOf(input),
  };
}
const update = (row: TimeEntry | undefined, { input }: Applied) => row && { ...row, ...fieldsOf(input) };

/** Adds the Task's code and title, which the response lacks. */
const named = (entry: unknown, { guess }: QueuedChange): Brought => ({
  time_entry: [{ task_code: null, task_title: null, ...(guess as object), ...(entry as object) } as TimeEntry],
});
/** The API has no operation that reads a single entry: list the last 60 days and the next 7. */
async function read(api: Client, id: string): Promise<Brought> {
  const now = today();
  const found: TimeEntry[] = [];
  for await (const entry of api.listTimesheet({ from: plusDays(now, -60), to: plusDays(now, 7), limit: 100 }))
    found.push(entry);
  return { time_entry: found, ...(!found.some((entry) => entry.id === id) && { gone: { time_entry: [id] } }) };
}

const entry = (apply: Operation<TimeEntry>["apply"], more: Partial<Operation<TimeEntry>> = {}): Operation<never> =>
  ({ kind: "time_entry", apply, ...more }) as unknown as Operation<never>;

export const timeDomain: Domain = {
  operations: {
    createTimeEntry: entry(create, { unmatched: true, took: async (answer, change) => named(answer, change) }),
    updateTimeEntry: entry(update, { took: async (answer, change) => named(answer, change) }),
    deleteTimeEntry: entry(() => undefined, { took: async (_answer, { ids }) => ({ gone: { time_entry: ids } }) }),
  },
  read: { time_entry: read },
};

export interface Recorded {
  task: { id: string; code: string | null; title: string | null };
  day: string;
  /** Duration as typed, such as "1h 30m". */
  duration: string;
  note?: string | null;
}
export function record(replica: Replica, { task, day, duration, note }: Recorded) {
  replica.make("createTimeEntry", {
    input: { task_id: replica.store.real(task.id), duration, work_date: day, ...(note && { note }) },
    guess: { task_code: task.code, task_title: task.title },
    creates: true,
  });
}
export function correct(replica: Replica, row: TimeEntry, fields: { duration?: string; note?: string | null }) {
  replica.make("updateTimeEntry", {
    ids: [row.id],
    input: { entry_id: replica.store.real(row.id), ...fields },
    guess: { task_code: row.task_code, task_title: row.task_title },
  });
}
export function voidEntry(replica: Replica, id: string) {
  replica.make("deleteTimeEntry", { ids: [id], input: { entry_id: replica.store.real(id) } });
}

/** Loads the member's entries of a range and removes held ones that are not listed any more. */
export async function loadTime({ api, store, take }: Replica, from: string, to: string): Promise<true> {
  const before = [...store.allSaid("time_entry")] as TimeEntry[];
  const found: TimeEntry[] = [];
  for await (const each of api.listTimesheet({ from, to, limit: 100 })) found.push(each);
  const listed = new Set(found.map(({ id }) => id));
  const gone = before.filter(
    ({ id, work_date }) => work_date >= from && work_date <= to && !listed.has(id) && store.said("time_entry", id),
  );
  take({ time_entry: found, gone: { time_entry: gone.map(({ id }) => id) } });
  return true;
}
