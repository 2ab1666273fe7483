// Measures the worker's background processing of measured requests: the search index and the inboxes. It starts with
// the backlog that the requests left, and measures until the worker has caught up.
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";

const LEFT = `
select count(*)::int as events, count(*) filter (where type = 'task.comment.created')::int as comments
from domain_events where source is not null
  and occurred_at >= (select coalesce(min(read_to), '-infinity') from event_readers)`;
const CAUGHT_UP = "select count(*) = 2 as done from event_readers where read_to > $1";
const PATIENCE_SECONDS = 300;

/** `cpu`: CPU seconds of worker and database. */
export async function measureBackground(client: pg.Client, cpu: () => number) {
  const { events, comments } = (await client.query(LEFT)).rows[0];
  const [began, before] = [new Date(), cpu()];
  const seconds = () => (Date.now() - began.getTime()) / 1000;
  while (seconds() < PATIENCE_SECONDS) {
    await sleep(500);
    if ((await client.query(CAUGHT_UP, [began])).rows[0].done) break;
  }
  const each = (((cpu() - before) * 1000) / Math.max(1, events)).toFixed(2);
  console.log(
    `In the background: ${events.toLocaleString("en")} events, of them ${comments.toLocaleString("en")} comments, ` +
      `indexed and told in ${seconds().toFixed(0)} s, ${each} ms of CPU each.`,
  );
}
