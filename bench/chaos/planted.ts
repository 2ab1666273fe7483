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

type Values = unknown[];
const { rows, commit, release } = Connection.prototype;

/** Who is calling, asked before the transaction that knows it ends. */
type Caller = { workspace: string; actor: string; account: string };
const CALLER = `select current_setting('svc.workspace', true) as workspace, current_setting('svc.actor', true) as actor,
  current_setting('svc.account', true) as account`;
const callerOf = async (connection: Connection) => (await rows.call(connection, CALLER))[0] as Caller;
const ENTER =
  "select set_config('svc.workspace', $1, true), set_config('svc.actor', $2, true), set_config('svc.account', $3, true)";

/** Statements in a transaction of their own. */
async function apart(connection: Connection, caller: Caller, ...statements: [sql: string, values: Values][]) {
  await connection.begin();
  await rows.call(connection, ENTER, [caller.workspace, caller.actor, caller.account]);
  const results: unknown[][] = [];
  for (const [sql, values] of statements) results.push(await rows.call(connection, sql, values));
  await commit.call(connection);
  return results;
}

/** Runs in place of a statement that contains `text`. */
function instead(text: string, run: (connection: Connection, sql: string, values: Values) => Promise<unknown[]>) {
  const before = Connection.prototype.rows;
  Connection.prototype.rows = function (this: Connection, sql: string, values: Values = []) {
    return (sql.includes(text) ? run(this, sql, values) : before.call(this, sql, values)) as never;
  };
}

/** The ledger without the stored answer, which `store` gets as a statement of its own once the rest is committed. */
type Store = (connection: Connection, caller: Caller, answer: [string, Values]) => Promise<unknown>;
function answerAfterCommit(store: Store) {
  const afterwards = new WeakMap<Connection, () => Promise<unknown>>();
  instead(ANSWER, (connection, sql, values) => {
    const [kept, answer] = [sql.slice(0, sql.indexOf(ANSWER)), sql.slice(sql.indexOf(ANSWER))];
    const numbers = new Set([...answer.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
    const used = [...numbers].sort((a, b) => a - b);
    const alone = answer.replace(/\$(\d+)/g, (_, number) => `$${used.indexOf(Number(number)) + 1}`);
    const own: Values = used.map((number) => values[number - 1]);
    const asked = callerOf(connection);
    afterwards.set(connection, async () => store(connection, await asked, [alone, own]));
    const last = Math.max(...[...kept.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
    return rows.call(connection, `${kept} select true`, values.slice(0, last));
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
    answerAfterCommit((connection, caller, answer) => apart(connection, caller, answer));
  },

  "key-after-commit"() {
    const claims = new WeakMap<Connection, [string, Values]>();
    instead(CLAIM, (connection, sql, values) => {
      claims.set(connection, [sql, values]);
      const free = `select true as claimed where not exists (select from idempotency_keys
        where workspace_id = current_workspace() and principal_id = current_actor() and operation = $1 and key_hash = $2)`;
      return rows.call(connection, free, values.slice(0, 2));
    });
    answerAfterCommit((connection, caller, answer) =>
      apart(connection, caller, claims.get(connection) as [string, Values], answer),
    );
  },

  "key-before-transaction"() {
    unansweredIsInProgress();
    const elsewhere = openDatabase(process.env.DATABASE_URL as string).writer;
    instead(CLAIM, async (connection, sql, values) => {
      const caller = await callerOf(connection);
      const [claimed] = await elsewhere.use((other) => apart(other, caller, [sql, values]));
      await sleep(GAP_MS);
      return claimed as unknown[];
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
    // Not waited for, or the answer would wait with it.
    Connection.prototype.release = async function () {
      void Promise.resolve(committed.get(this)).then(() => release.call(this));
    };
  },
};

plants[process.argv[2] as Bug]();
await import("../../server/src/main.ts");
