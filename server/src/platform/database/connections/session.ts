// Role and settings of a connection, sent after it connects and verified in the same round trip, before its first use.
// Startup options are never sent: poolers refuse or drop them. Everything that our SQL relies on is set here, so that
// no default of a server, database or user matters. A connection that cannot prove its session is destroyed.
import pg from "pg";
import { ConfigError } from "../../settings/config-error.ts";

/** Database role of the application: it owns nothing and is subject to row-level security. */
export const APP_ROLE = "svc_app";

export interface Session {
  /** The application_name, by which an operator recognises the connection. */
  name: string;
  /** "owner" acts as the user of the address, who bypasses the tenants' policies. */
  as: typeof APP_ROLE | "owner";
  /** Values in the format of SHOW; use `duration` for times. */
  settings: Readonly<Record<string, string>>;
}

/** Settings of every session. A setting that the server does not have is skipped. */
const BASE = {
  search_path: "public",
  timezone: "UTC",
  datestyle: "ISO, MDY",
  intervalstyle: "postgres",
  bytea_output: "hex",
  extra_float_digits: "1",
  client_encoding: "UTF8",
  standard_conforming_strings: "on",
  row_security: "on",
  default_transaction_isolation: "read committed",
  // default_transaction_read_only is not set: providers use it to refuse writes before a disk is full.
  default_transaction_deferrable: "off",
  statement_timeout: "0",
  lock_timeout: "0",
  idle_in_transaction_session_timeout: "0",
  idle_session_timeout: "0",
  transaction_timeout: "0",
  // Compiling a plan takes seconds where running it takes milliseconds (measured: 6 s and 8 to 21 ms at 100,000 Tasks).
  jit: "off",
  plan_cache_mode: "auto",
  random_page_cost: "1.1",
  seq_page_cost: "1",
  join_collapse_limit: "8",
  from_collapse_limit: "8",
  enable_seqscan: "on",
  enable_indexscan: "on",
  enable_indexonlyscan: "on",
  enable_bitmapscan: "on",
  enable_nestloop: "on",
  enable_hashjoin: "on",
  enable_mergejoin: "on",
  enable_hashagg: "on",
  enable_sort: "on",
} as const;

export const appSession = (name: string, settings: Record<string, string> = {}): Session => ({
  name,
  as: APP_ROLE,
  settings: { ...BASE, ...settings },
});
export const ownerSession = (name: string, settings: Record<string, string> = {}): Session => ({
  name,
  as: "owner",
  settings: { ...BASE, ...settings },
});

const UNITS = { d: 86_400_000, h: 3_600_000, min: 60_000, s: 1000, ms: 1 };
/** Formats milliseconds as SHOW does. */
export function duration(ms: number): string {
  const [unit, size] = Object.entries(UNITS).find(([, size]) => ms % size === 0) as [string, number];
  return ms === 0 ? "0" : `${ms / size}${unit}`;
}

const literal = (text: string) => pg.escapeLiteral(text);
const passes = ({ as }: Session) => (as === "owner" ? "on" : "off");

/**
 * Resets a connection first, because a pooler may pass on a server connection in the state of its last client: runs the
 * parts of DISCARD ALL that can run within a batch. A commit is durable even if the server's default is not, unless the
 * session says otherwise; stricter defaults stay.
 */
export const setupOf = (session: Session): string => `
close all; set session authorization default; reset all; deallocate all; discard plans; unlisten *;
  select pg_advisory_unlock_all();
select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off';
select set_config(name, value, false) from (values ${Object.entries(session.settings)
  .map(([name, value]) => `(${literal(name)}, ${literal(value)})`)
  .join()}) as wanted (name, value) where current_setting(name, true) is not null;
select set_config('application_name', ${literal(session.name)}, false),
  set_config('svc.owner', '${passes(session)}', false),
  set_config('tcp_keepalives_idle', '10', false), set_config('tcp_keepalives_interval', '5', false),
  set_config('tcp_keepalives_count', '3', false),
  set_config('role', '${session.as === "owner" ? "none" : session.as}', false)`;

interface Proof {
  user: string;
  login: string;
  passes: string | null;
  /** Null before the tables exist. */
  secured: boolean | null;
  owns: boolean | null;
  /** A setting that the server does not have is null. */
  settings: Record<string, string | null>;
}
const DURABLE = "synchronous_commit";
const expectedOf = ({ name, settings }: Session) =>
  Object.entries({ [DURABLE]: "", ...settings, application_name: name });
const proofOf = (session: Session) => `
select current_user::text as user, session_user::text as login, current_setting('svc.owner', true) as passes,
  row_security_active(c.oid) as secured, pg_has_role(current_user, c.relowner, 'member') as owns,
  (select json_object_agg(name, current_setting(name, true)) from unnest(array[${expectedOf(session)
    .map(([name]) => literal(name))
    .join()}]) name) as settings
from (select to_regclass('public.tasks')::oid as oid) t left join pg_class c using (oid)`;

/** Describes why a connection does not have its session; null if it has. */
function faultOf(session: Session, proof: Proof): string | null {
  const { as } = session;
  const isWrong = (is: string | null | undefined, value: string) =>
    value === "" ? is === "off" : is !== null && is !== value;
  const wrong = expectedOf(session).find(([name, value]) => isWrong(proof.settings[name], value));
  const user = as === "owner" ? proof.login : as;
  if (proof.user !== user) return `the user is ${proof.user} instead of ${user}`;
  if (proof.passes !== passes(session)) return `svc.owner is ${proof.passes} instead of ${passes(session)}`;
  if (as !== "owner" && proof.secured === false) return `row-level security does not apply to ${proof.user}`;
  if (as !== "owner" && proof.owns) return `${proof.user} has the rights of the tables' owner`;
  return wrong ? `${wrong[0]} is ${proof.settings[wrong[0]]} instead of ${wrong[1] || "on"}` : null;
}

/** The code makes requests answer 503 if a connection loses its session while the service runs. */
export class UnprovenError extends ConfigError {
  readonly code = "08P01";
  constructor(fault: string) {
    super([
      `DATABASE_URL: a connection did not get its role and settings: ${fault}; connect to PostgreSQL itself or to ` +
        `a pooler in session mode, and give ${APP_ROLE} no rights of its own`,
    ]);
  }
}

type Client = pg.ClientBase;

/** Sends the session of a fresh connection and proves it. */
export async function establish(client: Client, session: Session, setup = setupOf(session)): Promise<void> {
  const results = (await client.query(`${setup};${proofOf(session)}`)) as unknown as pg.QueryResult<Proof>[];
  const fault = faultOf(session, results.at(-1)?.rows[0] as Proof);
  if (fault !== null) throw new UnprovenError(fault);
}
