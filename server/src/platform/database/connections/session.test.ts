// Each connection proves its role and settings before its first use: with one of them missing, whichever it is, it is
// refused.
import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { ownerUrl, run, type TestDatabase, testDatabase } from "../../../../test/database.ts";
import { openProvedDatabase, sessions } from "../db.ts";
import { DatabaseClient } from "./client.ts";
import { APP_ROLE, establish, ownerSession, type Session, setupOf, UnprovenError } from "./session.ts";

/** Defaults of a database that differ from everything that a session sets. */
const HOSTILE: Record<string, string> = {
  search_path: "pg_catalog",
  timezone: "Asia/Tokyo",
  datestyle: "German",
  intervalstyle: "iso_8601",
  bytea_output: "escape",
  extra_float_digits: "0",
  client_encoding: "LATIN1",
  standard_conforming_strings: "off",
  row_security: "off",
  default_transaction_isolation: "serializable",
  default_transaction_deferrable: "on",
  statement_timeout: "50s",
  lock_timeout: "50s",
  idle_in_transaction_session_timeout: "50s",
  idle_session_timeout: "50s",
  transaction_timeout: "50s",
  jit: "on",
  plan_cache_mode: "force_custom_plan",
  random_page_cost: "4",
  seq_page_cost: "2",
  join_collapse_limit: "1",
  from_collapse_limit: "1",
  synchronous_commit: "off",
};
/** Settings whose values differ between sessions, or that only have two. */
const opposite = (value: string) => (value === "on" ? "off" : "on");
const hostileTo = ({ settings }: Session) => ({
  ...Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, HOSTILE[name] ?? opposite(value)])),
  ...(settings.synchronous_commit === "off" ? { synchronous_commit: "on" } : { synchronous_commit: "off" }),
});

let database: TestDatabase;
const unnamed = (name: string) => `session_${name}_${randomBytes(6).toString("hex")}`;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url);
  await client.connect();
  return work(client).finally(() => client.end());
}
const named = () => new URL(database.url).pathname.slice(1);
const known = async () =>
  connected(database.url, async (client) => {
    const { rows } = await client.query<{ name: string }>("select lower(name) as name from pg_settings");
    return new Set(rows.map(({ name }) => name));
  });
/** Makes these the defaults of the database, and none other. */
async function defaults(settings: Record<string, string>): Promise<void> {
  const server = await known();
  const sets = Object.entries(settings).filter(([name]) => server.has(name));
  const { url } = inject("postgres");
  await run(url, `alter database ${named()} reset all`);
  for (const [name, value] of sets) await run(url, `alter database ${named()} set ${name} = '${value}'`);
}
const fault = (session: Session, setup?: string) =>
  connected(ownerUrl(database.url), (client) =>
    establish(client, session, setup).then(
      () => null,
      (error) => {
        expect(error).toBeInstanceOf(UnprovenError);
        return String(error.message);
      },
    ),
  );

const all: Session[] = [...Object.values(sessions), ownerSession("svc-test", { synchronize_seqscans: "off" })];
describe.for(all)("a connection of $name", (session) => {
  test("has its session whatever the defaults of the database are, and without any single setting is refused", async () => {
    const hostile: Record<string, string> = hostileTo(session);
    await defaults(hostile);
    expect(await fault(session)).toBe(null);
    const server = await known();
    for (const [name, value] of Object.entries(session.settings)) {
      if (!server.has(name)) continue;
      const setup = setupOf(session).replace(`('${name}', '${value}')`, `('${name}', '${hostile[name]}')`);
      expect(setup).not.toBe(setupOf(session));
      expect(await fault(session, setup), name).toContain(`${name} is `);
    }
  });

  test("is refused without its role, its name, or what tells the policies who it is", async () => {
    const drop = (part: string) => {
      const setup = setupOf(session).replace(part, "null");
      expect(setup).not.toBe(setupOf(session));
      return fault(session, setup);
    };
    if (session.as === APP_ROLE)
      expect(await drop(`set_config('role', '${APP_ROLE}', false)`)).toMatch(
        /the user is svc_owner instead of svc_app/,
      );
    expect(await drop(`set_config('svc.owner', '${session.as === "owner" ? "on" : "off"}', false)`)).toMatch(
      /svc\.owner/,
    );
    expect(await drop(`set_config('application_name', '${session.name}', false)`)).toMatch(/application_name is /);
  });
});

test("a commit is durable where the default of the server is not, and stricter defaults stay", async () => {
  const shown = (setup = setupOf(sessions.writer)) =>
    connected(ownerUrl(database.url), async (client) => {
      await establish(client, sessions.writer, setup);
      return (await client.query("show synchronous_commit")).rows[0].synchronous_commit;
    });
  await defaults({ synchronous_commit: "off" });
  expect(await shown()).toBe("on");
  const forgotten = setupOf(sessions.writer).replace("'synchronous_commit', 'on'", "'synchronous_commit', 'off'");
  await expect(shown(forgotten)).rejects.toThrow("synchronous_commit is off");
  for (const strict of ["local", "remote_write", "remote_apply"]) {
    await defaults({ synchronous_commit: strict });
    expect(await shown()).toBe(strict);
  }
  await defaults({});
});

describe("a role that row-level security does not hold", () => {
  // A role of its own: the one of the service is shared by all databases of this cluster.
  const session = (as: string): Session => ({ ...sessions.reader, as: as as typeof APP_ROLE });
  test.for([
    ["passes it by an attribute", "bypassrls", /row-level security does not apply/],
    ["is a superuser", "superuser", /row-level security does not apply/],
  ] as const)("because it %s is refused", async ([, attribute, reason]) => {
    const role = unnamed("role");
    await run(database.url, `create role ${role} ${attribute}; grant ${role} to svc_owner`);
    try {
      expect(await fault(session(role))).toMatch(reason);
      await run(database.url, `alter role ${role} nobypassrls nosuperuser`);
      expect(await fault(session(role))).toBe(null);
    } finally {
      await run(database.url, `drop role ${role}`);
    }
  });

  test("because it has the rights of the tables' owner is refused", async () => {
    const [role, owner] = [unnamed("role"), unnamed("owner")];
    await run(
      database.url,
      `create role ${role}; create role ${owner}; grant ${owner} to ${role}; grant ${role} to svc_owner; alter table
        tasks owner to ${owner}`,
    );
    try {
      expect(await fault(session(role))).toMatch(/has the rights of the tables' owner/);
    } finally {
      await run(
        database.url,
        `alter table tasks owner to svc_owner; drop owned by ${role}, ${owner}; drop role ${role}, ${owner}`,
      );
    }
  });

  test("a start without it ends with one line that says what to do", async () => {
    const login = unnamed("login");
    const url = new URL(database.url);
    url.username = login;
    await run(database.url, `create role ${login} login`);
    try {
      await expect(openProvedDatabase(url.href)).rejects.toThrow(/permission denied to set role "svc_app"/);
    } finally {
      await run(database.url, `drop role ${login}`);
    }
  });
});

test("what the client before left on a connection does not reach the next one", async () => {
  await connected(ownerUrl(database.url), async (client) => {
    await client.query(
      "set svc.owner = 'on'; set svc.workspace = '018f0000-0000-7000-8000-000000000000'; prepare s0 as select 1; " +
        "listen news; select pg_advisory_lock(1)",
    );
    await establish(client, sessions.reader);
    const left = `select current_setting('svc.workspace', true) as workspace,
      (select count(*)::int from pg_prepared_statements) as prepared,
      (select count(*)::int from pg_listening_channels()) as channels,
      (select count(*)::int from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()) as locks`;
    expect((await client.query(left)).rows).toEqual([{ workspace: "", prepared: 0, channels: 0, locks: 0 }]);
  });
});

test("a connection that cannot prove its session is closed", async () => {
  const client = new DatabaseClient({
    url: ownerUrl(database.url),
    session: { ...sessions.reader, as: "svc_owner" as never },
  });
  const ended = new Promise((resolve) => client.once("end", resolve));
  await expect(client.connect()).rejects.toThrow(UnprovenError);
  await ended;
});
