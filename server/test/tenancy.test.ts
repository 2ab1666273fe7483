// The first wall between tenants, alone: row-level security under queries that forget the tenant. And what the
// application's role may never do. tenancy-predicates.test.ts tests the other wall.
import { operations } from "@svc/contract/operations.ts";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { implementations } from "../src/operations.ts";
import { migrate } from "../src/platform/database/start/migrations.ts";
import { ConfigError } from "../src/platform/settings/config-error.ts";
import { NIL, newId, newSecret } from "../src/platform/wire/ids.ts";
import { asserted } from "./asserts.ts";
import { ownerUrl } from "./database.ts";
import { eventually } from "./eventually.ts";
import { fixtures } from "./fixtures.ts";
import { plantedImplementations } from "./planted.ts";
import { type Stage, stageOn } from "./stage.ts";
import { foreignId, forgetful, PROTECTED } from "./tenancy-predicates.ts";
import { insertCredential, newKey, service, world } from "./world.ts";

describe("row-level security alone", () => {
  const running = service({}, { implementations: [...implementations, ...plantedImplementations] });
  let client: pg.Client;
  let stage: Stage;
  let tables: string[];
  beforeAll(async () => {
    stage = await stageOn(running, [...operations.values()], { ...fixtures, forgetsTenant: {} });
    for (const home of [stage.home, stage.foreign]) {
      await home.shared("comment_id");
      await home.owner.call("PUT", `/comments/${await home.id("comment_id")}/reactions/heart`);
    }
    client = new pg.Client(running.databaseUrl);
    await client.connect();
    tables = (await client.query<{ name: string }>(PROTECTED)).rows.map(({ name }) => name);
    await client.query("set role svc_app");
  });
  afterAll(async () => {
    await client.end();
    await stage.admin.end();
  });
  const enter = (workspaceId: string | null) =>
    client.query("select set_config('svc.workspace', $1, false)", [workspaceId ?? ""]);
  const count = async (table: string) => Number((await client.query(`select count(*) as n from ${table}`)).rows[0].n);

  test("covers the tables of a Workspace", () => {
    expect(tables).toEqual(
      expect.arrayContaining([
        "actors",
        "audit_log",
        "comments",
        "domain_events",
        "idempotency_keys",
        "projects",
        "statuses",
        "tasks",
      ]),
    );
  });

  test("shows of every table only the rows of the tenant that is set, to a query without any predicate", async () => {
    await enter(stage.home.workspaceId);
    for (const table of tables) {
      const { rows } = await client.query(`select distinct workspace_id from ${table}`);
      expect(
        rows.map(({ workspace_id }) => workspace_id).filter((id) => id !== stage.home.workspaceId),
        table,
      ).toEqual([]);
    }
    expect(await count("tasks")).toBeGreaterThan(0);
  });

  test.for([
    ["another tenant", newId()],
    ["the nil tenant", NIL],
    ["no tenant", null],
  ] as const)("shows and changes nothing of a Workspace under %s", async ([, tenant]) => {
    await enter(tenant);
    for (const table of tables.filter(
      (name) => !["audit_log", "domain_events", "idempotency_keys", "private_changes"].includes(name) || tenant !== NIL,
    ))
      expect(await count(table), table).toBe(0);
    for (const table of ["projects", "tasks", "comments"]) {
      const { rowCount } = await client.query(`update ${table} set revision = revision + 1 where workspace_id = $1`, [
        stage.home.workspaceId,
      ]);
      expect(rowCount, table).toBe(0);
    }
    expect((await client.query("delete from tasks")).rowCount).toBe(0);
  });

  test("holds for an operation that forgets the tenant in its query", () => asserted(foreignId.run(forgetful, stage)));

  test("a row of another tenant cannot be written, nor moved there", async () => {
    await enter(stage.home.workspaceId);
    const insert = "insert into actors (workspace_id, id, kind) values ($1, $2, 'service')";
    await expect(client.query(insert, [stage.foreign.workspaceId, newId()])).rejects.toThrow("row-level security");
    await expect(client.query("update comments set workspace_id = $1", [stage.foreign.workspaceId])).rejects.toThrow(
      "row-level security",
    );
  });

  test("a reference into another tenant cannot be stored, even past row-level security", async () => {
    const [project, task] = [await stage.home.id("project_id"), await stage.foreign.id("task_id")];
    const move = stage.admin.query("update tasks set project_id = $1 where id = $2", [project, task]);
    await expect(move).rejects.toThrow("foreign key");
  });

  test("what was recorded can be neither changed nor deleted by the application", async () => {
    await enter(stage.home.workspaceId);
    for (const table of ["audit_log", "domain_events"]) {
      await expect(client.query(`update ${table} set id = id`)).rejects.toThrow("permission denied");
      await expect(client.query(`delete from ${table}`)).rejects.toThrow("permission denied");
      await expect(client.query(`truncate ${table}`)).rejects.toThrow("permission denied");
    }
    for (const attack of [
      "alter table tasks disable row level security",
      "drop table tasks",
      "create table x ()",
      "create role x",
    ])
      await expect(client.query(attack), attack).rejects.toThrow(/must be owner|permission denied/);
  });

  test("what is visible without a Workspace holds no secret that can be used", async () => {
    await enter(null);
    const { rows: visible } = await client.query<{ name: string; kept: string[] }>(`
      select c.relname as name,
        array_agg(a.attname::text) filter (where a.attname ~ 'secret|token|password|code'
        and a.atttypid in ('text'::regtype, 'bytea'::regtype)) as kept
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not c.relrowsecurity
        and has_table_privilege('svc_app', c.oid, 'select') group by 1`);
    const names = visible.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["users", "credentials", "email_links", "oauth_codes"]));
    // Hashed (a mark is a hash of a hash), or sealed with a key that the database does not have; the challenge of PKCE
    // is public.
    const plain = visible.flatMap(({ name, kept }) => (kept ?? []).map((column) => `${name}.${column}`));
    expect(plain.filter((column) => !/_hash$|_mark$|_sealed$|\.code_challenge$/.test(column))).toEqual([]);
    const secrets = [stage.home.owner.session, stage.foreign.owner.session];
    for (const name of names) {
      const { rows } = await client.query(`select to_jsonb(t)::text as text from ${name} t`);
      expect(
        rows.filter(({ text }) => secrets.some((secret) => text.includes(secret))),
        name,
      ).toEqual([]);
    }
  });

  test("a read cannot write: its connection is read-only", async () => {
    const write = running.database.reader.use((tx) => tx.rows("update users set display_name = 'x'"));
    await expect(write).rejects.toThrow("read-only transaction");
  });

  test("a session cannot name another Workspace than its own in a header", async () => {
    const { home, foreign } = stage;
    const path = `/tasks/${await foreign.id("task_id")}`;
    const headers = { "x-svc-workspace-id": foreign.workspaceId };
    expect((await home.owner.call("GET", path, { headers })).body.code).toBe("not_found");
    const native = newSecret("nat");
    await insertCredential(running, "native", native, home.owner.userId, null, []);
    expect((await home.owner.bearer(native, "GET", path, { headers })).body.code).toBe("not_found");
    const own = { headers: { "x-svc-workspace-id": home.workspaceId } };
    expect((await home.owner.bearer(native, "GET", `/tasks/${await home.id("task_id")}`, own)).status).toBe(200);
  });
});

describe("the owner of the tables, who is no superuser", () => {
  const running = service({ roles: ["api", "worker"] });
  const HIDDEN = ["actors", "domain_events", "projects", "statuses", "tasks"];
  let client: pg.Client;
  let home: Awaited<ReturnType<typeof world>>;
  let foreign: Awaited<ReturnType<typeof world>>;
  beforeAll(async () => {
    [home, foreign] = [await world(running), await world(running)];
    for (const { owner, workspaceId } of [home, foreign]) {
      const key = newKey();
      const created = await owner.call("POST", `/workspaces/${workspaceId}/projects`, {
        body: { key: "ONE", name: "One" },
        key,
      });
      const path = `/projects/${created.body.id}/tasks`;
      await owner.call("POST", path, { body: { title: "Heliotrope" }, key: newKey() });
    }
    client = new pg.Client(ownerUrl(running.databaseUrl));
    await client.connect();
    const { rows } = await client.query(
      `select pg_has_role(current_user, relowner, 'usage') as owns, rolsuper or rolbypassrls or rolcreaterole as more
        from pg_class, pg_roles where relname = 'tasks' and rolname = current_user`,
    );
    expect(rows).toEqual([{ owns: true, more: false }]);
  });
  afterAll(() => client.end());
  const see = async (settings: Record<string, string>) => {
    await client.query("reset all; reset role");
    for (const [name, value] of Object.entries(settings))
      await client.query("select set_config($1, $2, false)", [name, value]);
    const counts = HIDDEN.map(
      (name) => `(select count(distinct workspace_id)::int from ${name} where workspace_id = any($1)) as ${name}`,
    );
    const { rows } = await client.query(`select ${counts.join()}`, [[home.workspaceId, foreign.workspaceId]]);
    return [...new Set(Object.values(rows[0]))];
  };

  test("sees nothing where a connection has lost its role, and its tenant's rows where it has one", async () => {
    expect(await see({})).toEqual([0]);
    expect(await see({ "svc.workspace": home.workspaceId })).toEqual([1]);
    const { rowCount } = await client.query("update tasks set title = 'x' where workspace_id = $1", [
      foreign.workspaceId,
    ]);
    expect(rowCount).toBe(0);
  });

  test("sees all rows where its connection says so, and the application's role gains nothing by that", async () => {
    expect(await see({ "svc.owner": "on" })).toEqual([2]);
    expect(await see({ "svc.owner": "on", role: "svc_app" })).toEqual([0]);
    expect(await see({ "svc.owner": "on", application_name: "svc-worker", role: "svc_app" })).toEqual([0]);
  });

  test("passes inside the functions that the application's role calls", async () => {
    const moved = async (before: string) => {
      await client.query(`reset all; discard plans; ${before}`);
      return (await client.query("select * from journal_moved($1, '0'::xid8)", [[home.workspaceId]])).rowCount;
    };
    expect(await moved("reset role")).toBe(0);
    expect(await moved("set role svc_app")).toBe(1);
  });

  test("has what the worker does across Workspaces done: search finds what was written", () =>
    eventually(async () => {
      const { body } = await home.owner.call("GET", `/workspaces/${home.workspaceId}/search?q=heliotrope`);
      expect(body.items).toHaveLength(1);
    }));

  test("gets row-level security back at the next start, where it was turned off or the tables changed hands", async () => {
    const other = `other_${newId().replaceAll("-", "")}`;
    await running.asOwner(`create role ${other}; alter table tasks no force row level security; drop policy owner
      on projects;
      alter table statuses disable row level security; alter table actors disable row level security,
        no force row level security;
      drop policy owner on comments; create policy owner on comments to ${other} using (true)`);
    await migrate(ownerUrl(running.databaseUrl));
    const left = `select relname from pg_class c
      where relnamespace = 'public'::regnamespace and not (relrowsecurity and relforcerowsecurity)
      and exists (select from pg_policy where polrelid = c.oid) union all select unforced_tenants()::text`;
    expect(await running.asOwner(left)).toEqual([]);
    await running.asOwner(`drop role ${other}`);
    expect(await see({})).toEqual([0]);
  });

  test("is never the application's role: a start is refused while that owns anything or has the owner's rights", async () => {
    const other = `other_${newId().replaceAll("-", "")}`;
    const refusal = () =>
      migrate(ownerUrl(running.databaseUrl)).then(
        () => null,
        (error) => (error instanceof ConfigError ? error.lines : Promise.reject(error)),
      );
    const reassign = "run as a superuser: reassign owned by svc_app to svc_owner;";
    await running.asOwner("alter table comments owner to svc_app");
    await expect(running.asOwner("call force_tenant('comments')")).rejects.toThrow(
      "svc_app has the rights of svc_app, who owns comments",
    );
    expect(await refusal()).toEqual([`DATABASE_URL: svc_app owns table comments; ${reassign}`]);
    await running.asOwner("reassign owned by svc_app to svc_owner");
    expect(await refusal()).toBe(null);
    await running.asOwner(
      "create function theirs() returns int language sql return 1; alter function theirs owner to svc_app",
    );
    expect(await refusal()).toEqual([`DATABASE_URL: svc_app owns function theirs(); ${reassign}`]);
    await running.asOwner(
      `drop function theirs; create role ${other}; alter table comments owner to ${other}; grant ${other} to svc_app`,
    );
    const revoke = `revoke ${other} from svc_app`;
    expect(await refusal()).toEqual([
      `DATABASE_URL: svc_app has the rights of ${other}, who owns table comments; run as a superuser: ${revoke};`,
    ]);
    await running.asOwner(`${revoke}; alter table comments owner to svc_owner; drop role ${other}`);
    expect(await refusal()).toBe(null);
    expect(await see({})).toEqual([0]);
  });
});
