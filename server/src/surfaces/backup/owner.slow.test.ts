// A database user who may do what docs/operate.md says and nothing more: it restores into its own empty database and
// bucket, also after a restore that was cut off, serves what is there, and backs it up again.
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { emptyDatabase, run } from "../../../test/database.ts";
import { atRelease, dumpOf, programAt, releases, withClient } from "../../../test/releases.ts";
import { type S3Server, startS3 } from "../../../test/s3.ts";
import { testConfig, testKeys } from "../../../test/world.ts";
import { checkKeys } from "../../platform/database/start/key-check.ts";
import { migrate, shipped } from "../../platform/database/start/migrations.ts";
import { openStorage } from "../../platform/outside/storage.ts";
import { createLog } from "../../platform/wire/log.ts";
import { serve } from "../../server.ts";
import { makeBackup } from "./backup.ts";
import { allTables, namedObjects } from "./catalog.ts";
import { mark } from "./place.ts";
import { checkBackup, restoreBackup } from "./restore.ts";

const guide = readFileSync(resolve("docs/operate.md"), "utf8");
const RIGHTS = /<!-- tried: rights -->\n```sql\n([\s\S]*?)```/.exec(guide)?.[1] ?? "";
const EXTENSIONS = /<!-- tried: extensions -->\n```sql\n([\s\S]*?)```/.exec(guide)?.[1] ?? "";
/** As a managed server does that lets only its own people create extensions. */
const FORBID = `
create schema theirs;
create function theirs.forbid() returns event_trigger language plpgsql as $$ begin
  if (select count(*) from pg_extension where extname in ('pg_trgm', 'btree_gin')) = 2 then return; end if;
  raise insufficient_privilege using message = 'permission denied to create extension';
end $$;
create event trigger forbidden on ddl_command_start when tag in ('CREATE EXTENSION') execute function theirs.forbid()`;

const directory = mkdtempSync(join(tmpdir(), "svc-owner-"));
const keys = { keyFile: null, secretKeys: testKeys };
const quiet = () => {};
const path = join(directory, "source.backup");
let buckets: S3Server[] = [];
let named: string[] = [];
const s3 = (at: number) => openStorage({ ...testConfig, storageUrl: (buckets[at] as S3Server).url }, () => "");
const sourceOf = (url: string, at: number) => ({ url, storage: s3(at), secretKeys: testKeys, keysFrom: "SECRET_KEYS" });

// Rows in every table, as the last release left them, and an object for each that is named.
beforeAll(async () => {
  buckets = await Promise.all([startS3(), startS3(), startS3()]);
  const program = await shipped();
  const release = releases().at(-1) as string;
  await emptyDatabase(async (url) => {
    await atRelease(url, programAt(program, release), dumpOf(release));
    await run(url, "truncate secret_keys");
    await migrate(url);
    await checkKeys(url, testKeys, "SECRET_KEYS");
    named = await withClient(url, async (client) => {
      await client.query("begin");
      const keys: string[] = [];
      for await (const key of namedObjects(client)) keys.push(key);
      return keys;
    });
    for (const key of named) await s3(0).put(key, randomBytes(1000), "image/webp");
    await makeBackup(path, sourceOf(url, 0), { keyFile: null, rest: 0 });
  });
});
afterAll(async () => {
  await Promise.all(buckets.map((bucket) => bucket.close()));
  rmSync(directory, { recursive: true, force: true });
});

/** A role and a database as the guide makes them, under a name of their own. */
async function modest(work: (url: string, superuser: string) => Promise<void>): Promise<void> {
  const { url } = inject("postgres");
  const name = `modest_${randomBytes(6).toString("hex")}`;
  const statements = RIGHTS.replaceAll(/--.*$/gm, "")
    .split(";")
    .map((text) => text.trim().replaceAll(/\bsvc\b/g, name))
    .filter((text) => text !== "");
  expect(statements).toHaveLength(4);
  const [own, superuser] = [new URL(url), new URL(url)];
  own.pathname = superuser.pathname = `/${name}`;
  own.username = name;
  try {
    // The other databases of this cluster have made that role.
    for (const text of statements.filter((text) => !text.startsWith("create role svc_app"))) await run(url, text);
    await work(own.href, superuser.href);
  } finally {
    await run(url, `drop database if exists ${name} with (force)`);
    await run(url, `drop role if exists ${name}`);
  }
}

test("the rights of the guide are enough to restore into database and bucket, to serve, and to back up again; where extensions are made by others, too", () =>
  modest(async (url, superuser) => {
    const rights = `select rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls as more from pg_roles
        where rolname = current_user`;
    expect(await withClient(url, async (client) => (await client.query(rights)).rows)).toEqual([{ more: false }]);
    await run(superuser, EXTENSIONS);
    await run(superuser, FORBID);
    const checked = await checkBackup(path, keys);
    // A restore was cut off here after its schema was made.
    await withClient(url, (client) => mark(client, "empty"));
    await migrate(url, checked.program);
    const target = { url, storage: s3(1) };
    await restoreBackup(path, keys, checked, target, quiet);
    for (const key of named)
      expect((buckets[1] as S3Server).objects.get(key)).toEqual((buckets[0] as S3Server).objects.get(key));
    const again = join(directory, "again.backup");
    await makeBackup(again, sourceOf(url, 1), { keyFile: null, rest: 0 });
    const [before, after] = [checked.tables, (await checkBackup(again, keys)).tables];
    for (const tables of [before, after]) tables.delete("public.journal");
    expect(after).toEqual(before);
    const config = { ...testConfig, dataDir: join(directory, "data"), storageUrl: (buckets[1] as S3Server).url };
    const running = await serve({ ...config, roles: ["api", "worker", "realtime"] }, url, { log: createLog("silent") });
    try {
      expect(await (await fetch(`${running.url}/readyz`)).text()).toBe("ready");
      const body = JSON.stringify({
        email: "new@example.com",
        password: "correct horse battery staple",
        display_name: "New",
      });
      const headers = { "content-type": "application/json" };
      const answer = await fetch(`${running.url}/api/v1/auth/register`, { method: "POST", headers, body });
      expect(answer.status, await answer.text()).toBe(201);
    } finally {
      await running.close();
    }
  }));

test("a user with the rights of the guide upgrades the last release by itself, and row-level security then holds it", () =>
  modest(async (url, superuser) => {
    const release = releases().at(-1) as string;
    await run(superuser, EXTENSIONS);
    await migrate(url, programAt(await shipped(), release));
    const { username } = new URL(url);
    await withClient(superuser, async (client) => {
      const { rows } = await client.query(
        `select string_agg(oid::regclass::text, ', ') as names from pg_class
          where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'migrations'`,
      );
      await client.query(`set session_replication_role = replica; truncate ${rows[0].names}; ${dumpOf(release)}`);
    });
    await migrate(url);
    await withClient(url, async (client) => {
      expect((await client.query("select unforced_tenants()")).rows).toEqual([]);
      const seen = async () => (await client.query("select count(*)::int as n from tasks")).rows[0].n;
      expect(await seen()).toBe(0);
      await client.query("set svc.owner = 'on'; discard plans");
      expect(await seen()).toBeGreaterThan(0);
      const owners = `select distinct pg_get_userbyid(relowner)::text as owner from pg_class
          where relnamespace = 'public'::regnamespace and relkind = 'r'`;
      expect((await client.query(owners)).rows).toEqual([{ owner: username }]);
    });
  }));

test("a user who may not create anything is told what lets it, in one line, and neither database nor bucket is touched", () =>
  modest(async (url, superuser) => {
    await run(superuser, `alter database ${new URL(url).pathname.slice(1)} owner to current_user`);
    const restoring = restoreBackup(path, keys, await checkBackup(path, keys), { url, storage: s3(2) }, quiet);
    await expect(restoring).rejects.toThrow(
      /^DATABASE_URL: permission denied for schema public; run as a superuser: alter database \w+ owner to \w+; [^\n]+;$/,
    );
    await withClient(superuser, async (client) => expect(await allTables(client)).toEqual([]));
    expect((buckets[2] as S3Server).objects.size).toBe(0);
  }));
