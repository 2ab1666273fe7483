// Background jobs of the audit log: one seals it every minute, two prune audit rows and domain events in pages once
// they are older than their retention. They never prune an audit row that is not sealed, nor an event that a reader has
// not processed.
import type { Logger } from "pino";
import type { Storage } from "../outside/external-systems.ts";
import type { Config } from "../settings/config.ts";
import type { Metrics } from "../wire/metrics.ts";
import { type AuditClient, pruneAudit, sealAudit } from "./audit-seals.ts";
import { type Background, inPages, type Jobs } from "./jobs.ts";

const ROWS_AT_ONCE = 10_000;

type Settings = Pick<Config, "secretKeys" | "eventRetentionDays" | "auditRetentionDays">;
export function auditJobs(config: Settings, storage: Storage, metrics: Metrics, log: Logger): Jobs {
  const number = metrics.gauge("svc_audit_head", "Number of the last audit seal; it never falls");
  const sound = metrics.gauge("svc_audit_head_found", "1 while the database has the seal that the head names, else 0");
  return {
    seal_audit: (_payload, { withPgClient }) =>
      withPgClient(async (client) => {
        const result = await sealAudit(client, config.secretKeys, storage, ROWS_AT_ONCE);
        number.set(result.head.number);
        sound.set(result.sound ? 1 : 0);
        if (result.missing) log.warn("the audit log had no head outside of the database; it has one now");
        if (!result.sound) log.error("the audit log ends before its head: run npm run audit:verify");
      }),
    prune_audit: (_payload, { withPgClient }) => withPgClient((client) => pruneAuditRows(client, config, log)),
    prune_events: (_payload, { withPgClient }) => withPgClient((client) => pruneEvents(client, config)),
  };
}

export async function pruneAuditRows(
  client: AuditClient,
  { secretKeys, auditRetentionDays }: Settings,
  log: Logger,
  most = ROWS_AT_ONCE,
): Promise<void> {
  if (auditRetentionDays === null) return;
  let any = false;
  await inPages(async () => {
    const { pruned, fault, rows } = await pruneAudit(client, secretKeys, auditRetentionDays, most);
    if (fault) log.error({ fault }, "the audit log is not pruned, because it is not as it was sealed");
    any ||= pruned;
    await forgetRanges(client, "audit_log_occurred", rows);
    return pruned;
  });
  if (any) await client.query("vacuum audit_log");
}

/** Both readers must have processed an event before it is pruned. If one has never run, nothing is pruned. */
const READ =
  "select case when count(*) = 2 then min(read_to) end from event_readers where reader in ('search', 'inbox')";
const OLD_EVENTS = `
delete from domain_events where ctid = any(array(
  select ctid from domain_events
  where occurred_at < least(now() - make_interval(days => $1), (${READ})) and (${READ}) is not null limit $2))
  returning ctid`;

export async function pruneEvents(
  client: AuditClient,
  { eventRetentionDays }: Pick<Config, "eventRetentionDays">,
  most = ROWS_AT_ONCE,
): Promise<void> {
  if (eventRetentionDays === null) return;
  let any = false;
  await inPages(async () => {
    const { rows } = await client.query(OLD_EVENTS, [eventRetentionDays, most]);
    any ||= rows.length > 0;
    await forgetRanges(client, "domain_events_occurred", rows);
    return rows.length === most;
  });
  if (any) await client.query("vacuum domain_events");
}

const PAGES_PER_RANGE = 128;
/**
 * A BRIN index never narrows the time span of a block range: once new rows reuse the space of deleted ones, a search
 * for any old time would scan that range. This drops the summaries of the affected ranges; the vacuum that follows
 * rebuilds them.
 */
async function forgetRanges(client: AuditClient, index: string, rows: { ctid: string }[]): Promise<void> {
  const pageOf = (ctid: string) => Number(/\d+/.exec(ctid)?.[0]);
  const ranges = new Set(rows.map(({ ctid }) => Math.floor(pageOf(ctid) / PAGES_PER_RANGE) * PAGES_PER_RANGE));
  for (const page of ranges) await client.query("select brin_desummarize_range($1::regclass, $2)", [index, page]);
}

export const background: Background = {
  schedule: `
* * * * * seal_audit ?jobKey=seal_audit
11 2 * * * prune_events ?jobKey=prune_events
21 2 * * * prune_audit ?jobKey=prune_audit`,
  jobs: ({ config, outside, metrics, log }) => auditJobs(config, outside.storage, metrics, log),
};
