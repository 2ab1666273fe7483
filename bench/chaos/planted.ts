// Runs the service with one planted bug, to prove that the checker detects it. The service has no switch for this: the
// bug wraps its database connection before it starts. A pause widens the bug's window, as a slow disk would.
import files from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { Connection, openDatabase } from "../../server/src/platform/database/db.ts";
import { Refusal } from "../../server/src/platform/wire/problem.ts";
import type { Bug } from "./storm.ts";

/** Longer than a request takes on a busy machine, so that some kills hit the window. */
const GAP_MS = 200;
const KEPT = "insert into idempotency_keys";
const LOOKED = "left join idempotency_keys k";
/** Status of a key without a response. */
const PENDING = 0;

type Values = unknown[];
const { rows, commit, release } = Connection.prototype;

/** The caller, read before the transaction that has these settings ends. */
type Caller = { workspace: string; actor: string; account: string };
const CALLER = `select current_setting('svc.workspace', true) as workspace, current_setting('svc.actor', true) as actor,
  current_setting('svc.account', true) as account`;
const callerOf = async (connection: Connection) => (await rows.call(connection, CALLER))[0] as Caller;
const ENTER = `select set_config('svc.workspace', $1, true), set_config('svc.actor', $2, true),
    set_config('svc.account', $3, true)`;

/** Runs statements in a transaction of their own. */
async function apart(connection: Connection, caller: Caller, ...statements: [sql: string, values: Values][]) {
  await connection.begin();
  await rows.call(connection, ENTER, [caller.workspace, caller.actor, caller.account]);
  const results: unknown[][] = [];
  for (const [sql, values] of statements) results.push(await rows.call(connection, sql, values));
  await commit.call(connection);
  return results;
}

/** Replaces a statement that contains `text`. */
function instead(text: string, run: (connection: Connection, sql: string, values: Values) => Promise<unknown[]>) {
  const before = Connection.prototype.rows;
  Connection.prototype.rows = function (this: Connection, sql: string, values: Values = []) {
    return (sql.includes(text) ? run(this, sql, values) : before.call(this, sql, values)) as never;
  };
}

/** The statement that stores the key and its response, cut out of the ledger statement and renumbered from one. */
type Kept = { sql: string; values: Values };
function cut(ledger: string, values: Values): { rest: string; restValues: Values; kept: Kept } {
  const at = ledger.indexOf(KEPT);
  const [rest, own] = [`${ledger.slice(0, at)} select true`, ledger.slice(at)];
  const numbers = (sql: string) => [...sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number));
  const used = [...new Set(numbers(own))].sort((a, b) => a - b);
  const sql = own.replace(/\$(\d+)/g, (_, number) => `$${used.indexOf(Number(number)) + 1}`);
  return {
    rest,
    restValues: values.slice(0, Math.max(...numbers(rest))),
    kept: { sql, values: used.map((number) => values[number - 1]) },
  };
}
/** Removes the response: the last values of a key are its status, ETag and body. */
const unanswered = (values: Values): Values => [...values.slice(0, -3), PENDING, null, ""];
const OVERWRITE = "on conflict (workspace_id, principal_id, operation, key_hash) do";
const answering = ({ sql, values }: Kept): [string, Values] => [
  `${sql} ${OVERWRITE} update set status = excluded.status, etag = excluded.etag, body = excluded.body`,
  values,
];

/** Work to run after the commit, in a transaction of its own. */
const afterwards = new WeakMap<Connection, () => Promise<unknown>>();
function afterCommit() {
  Connection.prototype.commit = async function () {
    await commit.call(this);
    const work = afterwards.get(this);
    if (!work) return;
    afterwards.delete(this);
    await sleep(GAP_MS);
    await work();
  };
}

/** Changes the result of a statement that contains `text`. */
function altering<R>(text: string, alter: (found: R[]) => R[]) {
  instead(text, async (connection, sql, values) => alter((await rows.call(connection, sql, values)) as R[]));
}
/** The planted bug skips every tenth update. */
const ONE_IN = 10;

type Found = { status: number | null };
/** Reports a key without a response as a write in progress. */
function unansweredIsInProgress() {
  instead(LOOKED, async (connection, sql, values) => {
    const found = await rows.call(connection, sql, values);
    if ((found[0] as Found).status === PENDING) throw new Refusal("idempotency_in_progress");
    return found;
  });
}

const plants: Record<Bug, () => void> = {
  "answer-after-commit"() {
    unansweredIsInProgress();
    afterCommit();
    instead(KEPT, (connection, sql, values) => {
      const asked = callerOf(connection);
      const { kept } = cut(sql, values);
      afterwards.set(connection, async () => apart(connection, await asked, answering(kept)));
      return rows.call(connection, sql, unanswered(values));
    });
  },

  "key-after-commit"() {
    afterCommit();
    instead(KEPT, (connection, sql, values) => {
      const asked = callerOf(connection);
      const { rest, restValues, kept } = cut(sql, values);
      afterwards.set(connection, async () => apart(connection, await asked, answering(kept)));
      return rows.call(connection, rest, restValues);
    });
  },

  "key-before-transaction"() {
    unansweredIsInProgress();
    const elsewhere = openDatabase(process.env.DATABASE_URL as string).writer;
    const underWay = new WeakMap<Connection, Promise<unknown[]>>();
    const early = async (connection: Connection, sql: string, values: Values) => {
      const { kept } = cut(sql, values);
      const caller = await callerOf(connection);
      await elsewhere.use((other) =>
        apart(other, caller, [`${kept.sql} ${OVERWRITE} nothing`, unanswered(kept.values)]),
      );
      await sleep(GAP_MS);
      return rows.call(connection, ...answering({ sql, values }));
    };
    instead(KEPT, (connection, sql, values) => {
      const keeping = early(connection, sql, values);
      underWay.set(connection, keeping);
      return keeping;
    });
    Connection.prototype.commit = async function () {
      await underWay.get(this);
      underWay.delete(this);
      await commit.call(this);
    };
  },

  "acknowledged-before-commit"() {
    const committed = new WeakMap<Connection, Promise<void>>();
    // Excludes the creation of a session: an editor uses it at once, and could never connect.
    const opening = new WeakSet<Connection>();
    instead("insert into collaboration_sessions", (connection, sql, values) => {
      opening.add(connection);
      return rows.call(connection, sql, values);
    });
    Connection.prototype.commit = async function () {
      if (opening.delete(this)) return commit.call(this);
      // A commit that fails is lost too, and must not end the process.
      const late = sleep(GAP_MS).then(() => commit.call(this));
      committed.set(
        this,
        late.catch(() => {}),
      );
    };
    // Releases later without waiting, or the answer would be delayed too.
    Connection.prototype.release = async function () {
      void Promise.resolve(committed.get(this)).then(() => release.call(this));
    };
  },

  /** Readers of the journal skip an event. */
  "event-skipped"() {
    let seen = 0;
    altering("(e.tx, e.id) > ($1::xid8, $2::uuid)", (found) => found.filter(() => ++seen % ONE_IN > 0));
  },

  /** Changes of a private Project are published as if it were public. */
  "private-told"() {
    altering<{ open: boolean; seen_by: null }>("p.visibility = 'workspace' as open", (found) =>
      found.map((project) => ({ ...project, open: true, seen_by: null })),
    );
  },

  /** A process skips an update that another process has stored. */
  "update-skipped"() {
    let seen = 0;
    altering<{ updates: unknown[] }>("x.state_seq > $3 then encode", (found) =>
      found.map((text) => ({ ...text, updates: text.updates.filter(() => ++seen % ONE_IN > 0) })),
    );
  },

  /** A file changes after its checksum was verified. */
  "upload-damaged"() {
    const { rename, open } = files;
    files.rename = async (from, to) => {
      await rename(from, to);
      // A file arrives in the incoming directory, is verified in the directory of objects, and is renamed once more.
      if (!String(to).includes("objects") || String(from).includes("incoming")) return;
      const file = await open(to, "r+");
      const { size } = await file.stat();
      await file.write("damaged", size - 7).finally(() => file.close());
    };
    syncBuiltinESMExports();
  },
};

// The service's own role may not update stored keys.
const owner = new pg.Client(process.env.DATABASE_URL as string);
await owner.connect();
await owner.query("grant update on idempotency_keys to svc_app");
await owner.end();
plants[process.argv[2] as Bug]();
await import("../../server/src/main.ts");
