// Seals over the audit log: each seal covers the rows of a time span and the previous seal, with a MAC under a key that
// the database does not have. The head (number and MAC of the last seal) is stored outside the database, so that
// truncation is detected. The database may be ahead of its head, because nobody else can make a seal, but never behind
// it: a crash between commit and head raises no alarm.
import { createHmac, hkdfSync } from "node:crypto";
import type { Storage } from "../outside/external-systems.ts";
import type { SecretKey } from "../settings/secret-keys.ts";

export interface AuditClient {
  // biome-ignore lint/suspicious/noExplicitAny: the rows of any statement.
  query(sql: string, values?: unknown[]): Promise<{ rows: any[]; rowCount: number | null }>;
}
export type Keys = readonly SecretKey[];

interface Seal {
  number: string;
  /** Seconds since the epoch, which do not depend on the settings of a session. */
  from: string;
  to: string;
  row_count: string;
  digest: Buffer;
  key_id: string;
  mac: Buffer;
  pruned_key_id: string | null;
  pruned_mac: Buffer | null;
}
const FIELDS =
  "s.number, extract(epoch from s.sealed_from)::text as from, extract(epoch from s.sealed_to)::text as to, " +
  "s.row_count, s.digest, s.key_id, s.mac, s.pruned_key_id, s.pruned_mac";

function macOf(keys: Keys, id: string | undefined, values: readonly string[]): Buffer | null {
  const key = keys.find((candidate) => candidate.id === id);
  if (!key) return null;
  const derived = Buffer.from(hkdfSync("sha256", key.key, "", "svc audit seals", 32));
  return createHmac("sha256", derived).update(JSON.stringify(values)).digest();
}
type Sealed = Pick<Seal, "number" | "from" | "to" | "row_count" | "digest">;
const sealMac = (keys: Keys, id: string | undefined, s: Sealed, previous: Buffer) =>
  macOf(keys, id, ["seal", s.number, s.from, s.to, s.row_count, s.digest.toString("hex"), previous.toString("hex")]);
const prunedMac = (keys: Keys, id: string | undefined, { number, to, mac }: Pick<Seal, "number" | "to" | "mac">) =>
  macOf(keys, id, ["pruned", number, to, mac.toString("hex")]);

const LOCK = "select pg_advisory_lock(hashtext('audit seals'))";
const UNLOCK = "select pg_advisory_unlock(hashtext('audit seals'))";
async function alone<T>(client: AuditClient, work: () => Promise<T>): Promise<T> {
  await client.query(LOCK);
  try {
    return await work();
  } finally {
    await client.query(UNLOCK);
  }
}

export interface AuditHead {
  number: number;
  mac: string;
}
const HEAD = "audit/head";
export async function readHead(storage: Pick<Storage, "get">): Promise<AuditHead | null> {
  const bytes = await storage.get(HEAD);
  return bytes ? JSON.parse(bytes.toString()) : null;
}
const writeHead = (storage: Pick<Storage, "put">, head: AuditHead) =>
  storage.put(HEAD, Buffer.from(JSON.stringify(head)), "application/json");
const LAST = "select number::int as number, encode(mac, 'hex') as mac from audit_seals order by number desc limit 1";
const lastSeal = async (client: AuditClient): Promise<AuditHead> =>
  (await client.query(LAST)).rows[0] ?? { number: 0, mac: "" };

/** Accepts the database as it is, after a backup was restored on purpose. */
export const acceptHead = (client: AuditClient, storage: Pick<Storage, "put">) =>
  alone(client, async () => {
    await writeHead(storage, await lastSeal(client));
    // Clients may have read journal entries that the restored database does not contain.
    await client.query("update journal set epoch = gen_random_uuid()");
  });

const NEXT = `
select s.*, s.sealed_from::text as from_text, s.sealed_to::text as to_text,
  extract(epoch from s.sealed_from)::text as from, extract(epoch from s.sealed_to)::text as to from audit_span($1) s`;
const INSERT = `insert into audit_seals (number, sealed_from, sealed_to, row_count, digest, key_id, mac)
    values ($1, $2, $3, $4, $5, $6, $7)`;

/**
 * Seals all unsealed rows, in spans of about `most` rows, then moves the head. `sound` is false if the database does
 * not contain the previous head.
 */
export const sealAudit = (client: AuditClient, keys: Keys, storage: Pick<Storage, "get" | "put">, most: number) =>
  alone(client, async (): Promise<{ head: AuditHead; sound: boolean; missing: boolean }> => {
    const found = await readHead(storage);
    const head = found ?? (await lastSeal(client));
    // Writes the head before the first seal, so that no seal ever exists without a head.
    if (!found) await writeHead(storage, head);
    const id = keys[0]?.id;
    for (;;) {
      const [span] = (await client.query(NEXT, [most])).rows;
      if (span.row_count === "0") break;
      const mac = sealMac(keys, id, span, span.previous);
      await client.query(INSERT, [span.number, span.from_text, span.to_text, span.row_count, span.digest, id, mac]);
    }
    // A head that the database does not contain is evidence of truncation, so it is not overwritten.
    if (!(await reaches(client, keys, head))) return { head, sound: false, missing: !found };
    const last = await lastSeal(client);
    if (last.number > head.number) await writeHead(storage, last);
    return { head: last, sound: true, missing: !found };
  });

async function reaches(client: AuditClient, keys: Keys, { number, mac }: AuditHead): Promise<boolean> {
  if (number === 0) return true;
  const [first] = (await client.query(`select ${FIELDS} from audit_seals s order by s.number limit 1`)).rows as Seal[];
  if (first && Number(first.number) > number) return isCheckpoint(keys, first);
  const { rows } = await client.query("select encode(mac, 'hex') as mac from audit_seals where number = $1", [number]);
  return rows[0]?.mac === mac;
}

const isCheckpoint = (keys: Keys, seal: Seal) =>
  seal.pruned_mac !== null && prunedMac(keys, seal.pruned_key_id ?? undefined, seal)?.equals(seal.pruned_mac) === true;

const SEALS_AT_ONCE = 500;
const CHECKED = `
select ${FIELDS}, a.row_count as actual_count, a.digest as actual,
  s.sealed_from::text || ' to ' || s.sealed_to::text as span from audit_seals s
cross join lateral audit_digest(case when s.pruned_mac is null then s.sealed_from else '-infinity' end, s.sealed_to) a
where s.number > $1 and s.number <= $2 order by s.number limit ${SEALS_AT_ONCE}`;
type Checked = Seal & { actual_count: string; actual: Buffer; span: string };

function faultOf(keys: Keys, seal: Checked, before: Checked | null): string | null {
  const place = `seal ${seal.number} (${seal.span})`;
  if (before === null && (seal.number !== "1" || seal.pruned_mac !== null)) {
    if (!isCheckpoint(keys, seal)) return `${place} is the first that is left, and was not pruned by this service`;
    return seal.actual_count === "0" ? null : `${place} has ${seal.actual_count} rows of before what was pruned`;
  }
  const [number, from] = before ? [String(Number(before.number) + 1), before.to] : ["1", "-Infinity"];
  if (seal.number !== number || seal.from !== from) return `${place} does not follow the one before it`;
  if (!keys.some(({ id }) => id === seal.key_id))
    return `${place} was made with the key ${seal.key_id}; add it to SECRET_KEYS, behind the first`;
  if (!sealMac(keys, seal.key_id, seal, before?.mac ?? Buffer.alloc(0))?.equals(seal.mac))
    return `${place} was not made by this service`;
  if (seal.actual_count !== seal.row_count)
    return `${place} covers ${seal.row_count} rows and there are ${seal.actual_count}`;
  return seal.actual.equals(seal.digest) ? null : `${place} covers other rows than there are`;
}

/** Describes the first fault of the seals up to `upTo`; null if all of them verify. */
async function firstFault(
  client: AuditClient,
  keys: Keys,
  upTo: number,
  head: AuditHead | null,
): Promise<string | null> {
  let before: Checked | null = null;
  for (;;) {
    const { rows } = await client.query(CHECKED, [before?.number ?? 0, upTo]);
    for (const seal of rows as Checked[]) {
      const fault = faultOf(keys, seal, before);
      if (fault) return fault;
      if (head && Number(seal.number) === head.number && seal.mac.toString("hex") !== head.mac)
        return `seal ${seal.number} (${seal.span}) is not the one that the head names`;
      before = seal;
    }
    if (rows.length < SEALS_AT_ONCE) break;
  }
  const last = Number(before?.number ?? 0);
  if (head && head.number > last)
    return `the seals end at ${last} and the head names ${head.number}: the end is missing`;
  return null;
}

const EVERYTHING = Number.MAX_SAFE_INTEGER;
/** Reads the head first: seals made meanwhile are ahead of it, which is no fault. */
export async function verifyAudit(
  client: AuditClient,
  keys: Keys,
  storage: Pick<Storage, "get">,
): Promise<string | null> {
  const head = await readHead(storage);
  await client.query("begin isolation level repeatable read read only");
  try {
    if (!head && (await lastSeal(client)).number > 0)
      return "there is no head; the worker writes one within a minute, and until then a missing end does not show";
    return await firstFault(client, keys, EVERYTHING, head);
  } finally {
    await client.query("rollback");
  }
}

const TO_PRUNE = `
select t.number::int as number from (
  select s.*, sum(s.row_count) over (order by s.number) as total, min(s.number) over () as first from audit_seals s
  where s.pruned_mac is null order by s.number limit 500
) t where t.sealed_to <= now() - make_interval(days => $1) and (t.total <= $2 or t.number = t.first)
  order by t.number desc limit 1`;
const DELETE =
  "delete from audit_log where occurred_at < (select sealed_to from audit_seals where number = $1) returning ctid";

/**
 * Prunes one page of rows older than `days`; the last seal over them becomes a signed checkpoint. Verifies the seals
 * first, because pruning would otherwise remove the evidence of tampering.
 */
export const pruneAudit = (client: AuditClient, keys: Keys, days: number, most: number) =>
  alone(client, async (): Promise<{ pruned: boolean; fault: string | null; rows: { ctid: string }[] }> => {
    const number: number | undefined = (await client.query(TO_PRUNE, [days, most])).rows[0]?.number;
    if (number === undefined) return { pruned: false, fault: null, rows: [] };
    const fault = await firstFault(client, keys, number, null);
    if (fault) return { pruned: false, fault, rows: [] };
    const [seal] = (await client.query(`select ${FIELDS} from audit_seals s where s.number = $1`, [number])).rows;
    await client.query("begin");
    try {
      const { rows } = await client.query(DELETE, [number]);
      await client.query("delete from audit_seals where number < $1", [number]);
      const mark = "update audit_seals set pruned_key_id = $2, pruned_mac = $3 where number = $1";
      await client.query(mark, [number, keys[0]?.id, prunedMac(keys, keys[0]?.id, seal)]);
      await client.query("commit");
      return { pruned: true, fault: null, rows };
    } catch (error) {
      await client.query("rollback");
      throw error;
    }
  });
