// Checks what no connection can set for itself on the PostgreSQL of DATABASE_URL, before the first write: encoding,
// extensions, room for our connections, and that a session stays on its connection. A fault is one line with its
// remedy; lesser problems are notes.
import { randomUUID } from "node:crypto";
import { ConfigError } from "../../settings/config-error.ts";
import { CONNECT_MS, connectClient, type DatabaseClient } from "../connections/client.ts";
import { ownerSession } from "../connections/session.ts";
import { SESSION as CHANNEL } from "../notifications.ts";

const START = ownerSession("svc-start");
const EXTENSIONS = ["pg_trgm", "btree_gin"];

interface Facts {
  database: string;
  user: string;
  encoding: string;
  recollated: boolean;
  slots: number;
  /** Connections of other programs, and of svc on other databases. */
  others: number;
  /** Other processes of svc on this database, each of which has one channel. */
  processes: number;
  missing: string[];
  unsafe: string[];
}
const FACTS = `
select d.datname::text as database, r.rolname::text as user, current_setting('server_encoding') as encoding,
  d.datcollversion is distinct from pg_database_collation_actual_version(d.oid) as recollated,
  least(case when r.rolconnlimit >= 0 then r.rolconnlimit end, case when d.datconnlimit >= 0 then d.datconnlimit end,
    current_setting('max_connections')::int - case when r.rolsuper then 0
      else current_setting('superuser_reserved_connections')::int
      + coalesce(current_setting('reserved_connections', true), '0')::int end) as slots,
  (select count(*)::int from pg_stat_activity a
  where usesysid is not null and not (a.datid = d.oid and application_name like 'svc-%')) as others,
  (select count(*)::int from pg_stat_activity a where a.datid = d.oid and application_name = $2) as processes,
  array(select name from unnest($1::text[]) wanted (name)
    where not exists (select from pg_available_extensions a where a.name = wanted.name)) as missing,
  array(select name from unnest(array['fsync', 'full_page_writes']) wanted (name)
    where current_setting(name) = 'off') as unsafe
from pg_database d, pg_roles r where d.datname = current_database() and r.rolname = current_user`;

/** `most` is the number of connections that this process opens at peak load. Resolves to notes for the log. */
export async function checkServer(url: string, most: number): Promise<string[]> {
  const client = await connectClient(url, START, { connectionTimeoutMillis: CONNECT_MS, query_timeout: 10_000 });
  const { facts, cased } = await factsOf(client).finally(() => client.end());
  const fault = faultOf(facts, most) ?? ((await keepsSessions(url)) ? null : MIXED);
  if (fault !== null) throw new ConfigError([`DATABASE_URL: ${fault}`]);
  return [...notesOf(facts, most), ...(cased ? [] : [plainFault(facts)])];
}

async function factsOf(client: DatabaseClient): Promise<{ facts: Facts; cased: boolean }> {
  const facts = (await client.query<Facts>(FACTS, [EXTENSIONS, CHANNEL.name])).rows[0] as Facts;
  // Another encoding may lack these letters.
  const cased = facts.encoding !== "UTF8" || (await client.query("select lower('ÄΩ') = 'äω' as cased")).rows[0].cased;
  return { facts, cased };
}

const MIXED =
  "the pooler gives a connection to another client after each transaction or statement, and the service needs its " +
  "sessions; set pool_mode = session there, or connect to PostgreSQL itself";

function faultOf({ database, user, encoding, missing, slots }: Facts, most: number): string | null {
  if (encoding !== "UTF8")
    return (
      `the database ${database} has the encoding ${encoding}; create one with: ` +
      `create database ${database} owner ` +
      `${user} encoding 'UTF8' template template0`
    );
  if (missing.length > 0)
    return (
      `PostgreSQL does not have the extension ${missing.join(" and ")}; install its contrib package (Debian: ` +
      "part of postgresql)"
    );
  if (slots < most)
    return (
      `this process opens up to ${most} connections and ${user} may have ${slots}; raise max_connections, ` +
      `or the connection limit of the user or the database, to ${most + 20}`
    );
  return null;
}

const plainFault = ({ database }: Facts) =>
  `DATABASE_URL: the locale of the database ${database} knows no letters beyond ASCII, so that search tells É ` +
  "from é; create it with lc_ctype 'C.UTF-8'";
function notesOf({ database, recollated, slots, others, processes, unsafe, user }: Facts, most: number): string[] {
  const needed = (processes + 1) * most + others;
  return [
    needed > slots
      ? `DATABASE_URL: this process opens up to ${most} connections, ${processes} others of svc as many each, ` +
        `${others} are open for other programs, and ${user} may have ${slots}; raise max_connections to ${needed + 20}`
      : "",
    recollated
      ? `DATABASE_URL: the collation of the database ${database} has changed with its system; run: ` +
        `reindex database ${database}; alter database ${database} refresh collation version;`
      : "",
    ...unsafe.map(
      (name) => `DATABASE_URL: ${name} is off in PostgreSQL, so that a crash of its machine loses writes; turn it on`,
    ),
  ].filter((note) => note !== "");
}

const READ = "select current_setting('svc.pooling', true) as mark";
const markOf = async (client: DatabaseClient) => (await client.query<{ mark: string | null }>(READ)).rows[0]?.mark;
/**
 * One other client reveals a pooler that hands out the most recently used connection; two or three reveal a round-robin
 * pooler.
 */
const OTHERS = 3;
const PATIENCE_MS = 2000;
/** Error messages of the driver, whose query waits for the transaction of another client, and of PgBouncer. */
const SHARED = ["read timeout", "statement pooling"];

/**
 * Whether a session setting stays with its client and reaches no other. Other clients hold transactions meanwhile: an
 * idle pooler would hand out the same connection again and look like one that keeps sessions. A client that waits for
 * the transaction of another shares its connection too.
 */
async function keepsSessions(url: string): Promise<boolean> {
  const mark = randomUUID();
  const options = { connectionTimeoutMillis: CONNECT_MS, query_timeout: PATIENCE_MS };
  const first = await connectClient(url, START, options);
  const open = [first];
  try {
    await first.query("select set_config('svc.pooling', $1, false)", [mark]);
    for (let count = 0; count < OTHERS; count++) {
      const other = await connectClient(url, START, options);
      open.push(other);
      await other.query("begin");
      if ((await markOf(other)) === mark) return false;
      for (let look = 0; look < OTHERS; look++) if ((await markOf(first)) !== mark) return false;
    }
    return true;
  } catch (error) {
    if (SHARED.some((cause) => (error as Error).message.includes(cause))) return false;
    throw error;
  } finally {
    await Promise.all(open.map((client) => client.end().catch(() => {})));
  }
}
