// Fills inboxes from events and from approaching due dates. One transaction advances the cursor and inserts the
// notices, so that each event notifies exactly once, even after a crash. Delivery happens elsewhere.

import { BEGINNING, inPages, TENANT } from "../../platform/background/jobs.ts";
import type { Connection, Database, Queries } from "../../platform/database/db.ts";
import { NIL, newId } from "../../platform/wire/ids.ts";
import { mentionsOf } from "./mention-store.ts";
import * as store from "./notice-store.ts";

type Writer = Pick<Database, "writer">;
const AT_ONCE = 1_000;

/** Runs `work` in one transaction. `work` returns whether more remains. */
const transaction = ({ writer }: Writer, work: (tx: Connection) => Promise<boolean>) =>
  writer.use(async (tx) => {
    const [, , more] = await Promise.all([tx.begin(), tx.atLength(), work(tx)]);
    await tx.commit();
    return more;
  });

type Tell = typeof tellIn;
/**
 * Whether the error is caused by the data and not by the database or the network: a retry would fail in the same way.
 */
const isItsOwn = (error: unknown) =>
  error instanceof TypeError || error instanceof RangeError || /^2[23]/.test((error as { code?: string }).code ?? "");

/**
 * Notifies of new events. If an event cannot be processed, bisection isolates and skips it, so that it does not block
 * the others. The error is thrown at the end.
 */
export async function tellEvents(database: Writer, tell: Tell = tellIn): Promise<void> {
  const faults: unknown[] = [];
  let [most, position] = [AT_ONCE, BEGINNING];
  const page = (told: boolean) =>
    transaction(database, async (tx) => {
      const { events, more, ...next } = await store.takeEvents(tx, most, position);
      if (told)
        for (const [workspaceId, theirs] of Map.groupBy(events, ({ workspace_id }) => workspace_id))
          await tell(tx, workspaceId, theirs, []);
      position = next;
      return more;
    });
  await inPages(() =>
    page(true).catch(async (error) => {
      if (!isItsOwn(error)) throw error;
      if (most > 1) most = Math.floor(most / 2);
      else {
        faults.push(error);
        await page(false);
        most = AT_ONCE;
      }
      return true;
    }),
  );
  if (faults.length > 0) throw faults[0];
}

/** A synthetic event for an approaching due date, which has no author and no recorded event. */
const comingDue = (task: { workspace_id: string; task_id: string }): store.NoticeEvent => ({
  ...task,
  id: newId(),
  type: "task.due_soon",
  actor_id: null,
  command_id: newId(),
  project_id: null,
  resource_kind: "task",
  resource_id: task.task_id,
  payload: {},
  occurred_at: new Date().toISOString(),
});

export async function tellDue(database: Writer): Promise<void> {
  const page = async (tx: Connection) => {
    const due = await store.takeDueTasks(tx, AT_ONCE);
    for (const [workspaceId, theirs] of Map.groupBy(due, ({ workspace_id }) => workspace_id)) {
      const told = theirs.map(({ actor_id, ...task }) => ({ actor_id, event: comingDue(task) }));
      const addressed = told.map(({ actor_id, event: { id } }) => ({
        event_id: id,
        category: "due_soon" as const,
        actor_id,
      }));
      await tellIn(
        tx,
        workspaceId,
        told.map(({ event }) => event),
        addressed,
      );
    }
    return due.length === AT_ONCE;
  };
  await inPages(() => transaction(database, page));
}

export async function tellIn(
  tx: Queries,
  workspaceId: string,
  events: store.NoticeEvent[],
  addressed: store.Addressed[],
) {
  await tx.rows(TENANT, [workspaceId]);
  const also = await mentionsOf(tx, events);
  for (let after: string | null = NIL; after !== null; ) {
    const { notices, next }: Awaited<ReturnType<typeof store.noticesOf>> = await store.noticesOf(
      ...([tx, events, [...addressed, ...also], after] as const),
    );
    after = next;
    if (notices.length === 0) continue;
    const items = Map.groupBy(await store.gather(tx, notices), ({ actor_id }) => actor_id);
    await pushLater(tx, notices, items);
  }
}

const PUSH = `
select enqueue_job('push_inbox',
  json_build_object('id', r.id, 'endpoint_id', e.id, 'workspace_id', current_workspace(), 'actor_id', r.actor_id,
  'item_ids', r.item_ids))
from jsonb_to_recordset($1::jsonb) as r(id uuid, user_id uuid, actor_id uuid, item_ids jsonb)
join push_endpoints e on e.user_id = r.user_id and e.kind = 'browser'`;
/** Sends each person one message to each of their browsers, whatever the number of items. */
export async function pushLater(tx: Queries, notices: readonly store.Notice[], items: Map<string, { id: string }[]>) {
  const wanted = new Map(notices.filter(({ push }) => push).map(({ actor_id, user_id }) => [actor_id, user_id]));
  const people = [...wanted].map(([actor_id, user_id]) => ({
    id: newId(),
    user_id,
    actor_id,
    item_ids: items.get(actor_id)?.map(({ id }) => id) ?? [],
  }));
  if (people.length > 0) await tx.rows(PUSH, [JSON.stringify(people)]);
}
