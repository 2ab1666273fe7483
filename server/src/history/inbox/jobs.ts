// Background work of the inbox: notifying, delivering and sweeping. Each may run twice, also concurrently.
import type { Background } from "../../platform/background/jobs.ts";
import { claimDigests, type DigestPayload, mailDigest, type PushPayload, pushItems } from "./delivery.ts";
import { tellDue, tellEvents } from "./fill-inboxes.ts";

interface Client {
  query(sql: string): Promise<{ rowCount: number | null }>;
}
const PAGE = 5_000;
const page = (table: string, where: string) =>
  `delete from ${table} where ctid = any(array(select ctid from ${table} where ${where} limit ${PAGE}))`;
// Runs across all Workspaces as the owner of the tables.
const OLD = [
  page("inbox_items", "least(read_at, archived_at) < now() - interval '90 days'"),
  page("inbox_items", "not listed and newest_at < now() - interval '2 days'"),
  page("due_notices", "due_date < current_date - 30"),
];
export async function sweepInbox(client: Client): Promise<void> {
  for (const sql of OLD) while ((await client.query(sql)).rowCount === PAGE);
}

export const background: Background = {
  follows: ({ database }) => ({ notify: { run: () => tellEvents(database), gatherMs: 200, notifies: true } }),
  schedule: `
*/5 * * * * mail_digests
7 * * * * notify_due
29 3 * * * sweep_inbox`,
  jobs: ({ database, outside }) => ({
    notify_due: () => tellDue(database),
    push_inbox: (payload, { job }) => pushItems(database, outside, payload as PushPayload, job.attempts),
    mail_digests: () => claimDigests(database),
    mail_digest: (payload, { job }) => mailDigest(database, outside, payload as DigestPayload, job.attempts),
    sweep_inbox: (_payload, { withPgClient }) => withPgClient(sweepInbox),
  }),
};
