// The service with one planted bug, to prove that the checker would see it. The service itself has no switch for this: the bug is
// laid over its database connection before it starts. A pause stands where the bug leaves its gap, as a slow disk would.
import { setTimeout as sleep } from "node:timers/promises";
import { Connection, openDatabase } from "../../server/src/kernel/db.ts";
import { Refusal } from "../../server/src/kernel/problem.ts";
import type { Bug } from "./storm.ts";

const GAP_MS = 25;
const CLAIM = "insert into idempotency_keys";
const STORED = "select fingerprint, status, etag, body from idempotency_keys";
const ANSWER = "update idempotency_keys set status";
/** The order of writeLedger's parameters. */
const [TENANT, OPERATION, PRINCIPAL, KEY, STATUS, ETAG, BODY] = [0, 2, 10, 11, 12, 13, 14];

type Values = unknown[];
const { rows, commit, release } = Connection.prototype;
/** What is left to be written when the transaction has already been committed. */
const afterwards = new WeakMap<Connection, () => Promise<unknown>>();

async function apart(connection: Connection, tenant: unknown, sql: string, values: Values) {
  await connection.begin();
  await rows.call(connection, "select set_config('svc.workspace', $1, true)", [tenant]);
  const result = await rows.call(connection, sql, values);
  await commit.call(connection);
  return result;
}

/** Runs in place of a statement that contains `text`. */
function instead(text: string, run: (connection: Connection, sql: string, values: Values) => Promise<unknown[]>) {
  const before = Connection.prototype.rows;
  Connection.prototype.rows = function (this: Connection, sql: string, values: Values = []) {
    return (sql.includes(text) ? run(this, sql, values) : before.call(this, sql, values)) as never;
  };
}

/** The ledger without the stored answer, which `store` writes in a transaction of its own. */
function answerAfterCommit(store: (connection: Connection, values: Values) => Promise<unknown>) {
  instead(ANSWER, (connection, sql, values) => {
    afterwards.set(connection, () => store(connection, values));
    const typed = "select $11::uuid, $12::bytea, $13::smallint, $14::text, $15::text";
    return rows.call(connection, sql.slice(0, sql.indexOf(ANSWER)) + typed, values);
  });
  Connection.prototype.commit = async function () {
    await commit.call(this);
    const store = afterwards.get(this);
    if (!store) return;
    afterwards.delete(this);
    await sleep(GAP_MS);
    await store();
  };
}

/** A claim without an answer is taken for a write that still runs. */
function unansweredIsInProgress() {
  instead(STORED, async (connection, sql, values) => {
    const found = await rows.call(connection, sql, values);
    if ((found[0] as { status?: unknown } | undefined)?.status === null) throw new Refusal("idempotency_in_progress");
    return found;
  });
}

const plants: Record<Bug, () => void> = {
  "answer-after-commit"() {
    unansweredIsInProgress();
    const sql =
      "update idempotency_keys set status = $5, etag = $6, body = $7 where workspace_id = $1 and principal_id = $2 and operation = $3 and key_hash = $4";
    const order = [TENANT, PRINCIPAL, OPERATION, KEY, STATUS, ETAG, BODY];
    answerAfterCommit((connection, values) =>
      apart(
        connection,
        values[TENANT],
        sql,
        order.map((index) => values[index]),
      ),
    );
  },

  "key-after-commit"() {
    const claims = new WeakMap<Connection, Values>();
    instead(CLAIM, (connection, _sql, values) => {
      claims.set(connection, values);
      const sql =
        "select true as claimed where not exists (select from idempotency_keys where workspace_id = $1 and principal_id = $2 and operation = $3 and key_hash = $4)";
      return rows.call(connection, sql, values.slice(0, 4));
    });
    const sql =
      "insert into idempotency_keys (workspace_id, principal_id, operation, key_hash, fingerprint, status, etag, body) values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing";
    answerAfterCommit((connection, values) => {
      const answer = [values[STATUS], values[ETAG], values[BODY]];
      return apart(connection, values[TENANT], sql, [...(claims.get(connection) as Values), ...answer]);
    });
  },

  "key-before-transaction"() {
    unansweredIsInProgress();
    const elsewhere = openDatabase(process.env.DATABASE_URL as string).writer;
    instead(CLAIM, async (_connection, sql, values) => {
      const claimed = await elsewhere.use((other) => apart(other, values[0], sql, values));
      await sleep(GAP_MS);
      return claimed;
    });
  },

  "acknowledged-before-commit"() {
    const committed = new WeakMap<Connection, Promise<void>>();
    Connection.prototype.commit = async function () {
      committed.set(
        this,
        sleep(GAP_MS).then(() => commit.call(this)),
      );
    };
    Connection.prototype.release = async function () {
      await committed.get(this);
      release.call(this);
    };
  },
};

plants[process.argv[2] as Bug]();
await import("../../server/src/main.ts");
