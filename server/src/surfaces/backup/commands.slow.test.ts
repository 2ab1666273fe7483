// The commands as an operator runs them, on their own processes: killed in the middle, wrongly asked, and from one kind
// of database to the other.
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { emptyDatabase, run, type TestDatabase, testDatabase } from "../../../test/database.ts";
import { withClient } from "../../../test/releases.ts";
import { testKeys } from "../../../test/world.ts";
import { checkKeys } from "../../platform/database/start/key-check.ts";
import { migrate } from "../../platform/database/start/migrations.ts";
import { allTables } from "./catalog.ts";
import { checkBackup } from "./restore.ts";

const { PATH, NODE_COMPILE_CACHE } = process.env;
const directory = mkdtempSync(join(tmpdir(), "svc-commands-"));
const SECRET_KEYS = testKeys.map(({ id, key }) => `${id}:${key.toString("base64url")}`).join();
const ROWS = 150_000;
let database: TestDatabase;
const started = new Set<ChildProcess>();

beforeAll(async () => {
  database = await testDatabase();
  await checkKeys(database.url, testKeys, "SECRET_KEYS");
  // One of the last tables, so that there is time in the middle.
  await run(
    database.url,
    `insert into told_events (workspace_id, id, occurred_at) select gen_random_uuid(), gen_random_uuid(), now()
      from generate_series(1, ${ROWS})`,
  );
});
afterAll(async () => {
  for (const child of started) child.kill("SIGKILL");
  await database.drop();
  rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
});

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}
/** `killAt`: kills it when it says this. */
function command(name: "backup" | "restore", args: string[], env: NodeJS.ProcessEnv, killAt?: string): Promise<Ended> {
  const child = spawn(process.execPath, [resolve(`scripts/${name}.ts`), ...args], {
    env: { PATH, NODE_COMPILE_CACHE, SECRET_KEYS, DATA_DIR: join(directory, "data"), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  started.add(child);
  const said = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const)
    child[stream].on("data", (chunk) => {
      said[stream] += chunk;
      if (killAt && said.stdout.includes(killAt)) child.kill("SIGKILL");
    });
  return new Promise((done) => {
    child.once("close", (code) => {
      started.delete(child);
      done({ code, ...said });
    });
  });
}
async function refused(name: "backup" | "restore", args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  const { code, stderr } = await command(name, args, env);
  expect(code, stderr).toBe(1);
  expect(stderr).toMatch(/^[^\n]+\n$/);
  return stderr;
}
const told = (url: string) =>
  withClient(url, async (client) => (await client.query("select count(*)::int as n from told_events")).rows[0].n);
const file = join(directory, "a.backup");

describe("one backup through its life", () => {
  test("kill -9 in the middle of a backup leaves nothing under its name, and the next one clears up", async () => {
    const { code } = await command("backup", [file], { DATABASE_URL: database.url }, "public.migrations: ");
    expect(code).toBeNull();
    expect(readdirSync(directory)).toEqual([expect.stringMatching(/^a\.backup\.part\.\d+$/)]);
    const { code: ended, stdout, stderr } = await command("backup", [file], { DATABASE_URL: database.url });
    expect(ended, stderr).toBe(0);
    expect(stdout).toMatch(new RegExp(`told_events: ${ROWS} rows`));
    expect(stdout).toMatch(/\d+ tables with \d+ rows, 0 objects, \d+ bytes of \d+, in [\d.]+ s\.\n$/);
    expect(readdirSync(directory)).toEqual(["a.backup"]);
  });

  test("kill -9 in the middle of a restore leaves a database that no service starts on, until it is restored again", async () => {
    await emptyDatabase(async (url) => {
      const { code } = await command(
        "restore",
        [file],
        { DATABASE_URL: url, DATA_DIR: newPlace() },
        "public.migrations: ",
      );
      expect(code).toBeNull();
      await expect(migrate(url)).rejects.toThrow(/half restored: run npm run restore with the backup again/);
      const again = await command("restore", [file], { DATABASE_URL: url, DATA_DIR: newPlace() });
      expect(again.code, again.stderr).toBe(0);
      expect(again.stdout).toMatch(/Restored what version \S+ had at \S+\. Start the service\.\n$/);
      expect(await told(url)).toBe(ROWS);
      expect(await migrate(url)).toEqual([]);
    });
  });

  test("goes from a database of one's own into the embedded one and back, row for row, and verifies there", async () => {
    const dataDir = newPlace();
    writeFileSync(join(dataDir, "keys"), SECRET_KEYS);
    const embedded = { DATA_DIR: dataDir, SECRET_KEYS: "" };
    const restored = await command("restore", [file], embedded);
    expect(restored.code, restored.stderr).toBe(0);
    const back = join(directory, "b.backup");
    const key = join(directory, "key");
    writeFileSync(key, `${randomBytes(32).toString("base64url")}\n`);
    const made = await command("backup", [back, "--key-file", key, "--verify"], embedded);
    expect(made.code, made.stderr).toBe(0);
    expect(made.stdout).toMatch(/, encrypted\.\n[\s\S]*tables and 0 objects were restored aside and are as they were/);
    const keys = { keyFile: null, secretKeys: testKeys };
    const [first, second] = [
      await checkBackup(file, keys),
      await checkBackup(back, { ...keys, keyFile: Buffer.from(await text(key), "base64url") }),
    ];
    first.tables.delete("public.journal");
    second.tables.delete("public.journal");
    expect(second.tables).toEqual(first.tables);
    expect(await refused("restore", [back], embedded)).toMatch(/is encrypted; give the key/);
    expect(await refused("restore", [file], embedded)).toMatch(/The database is not empty/);
    expect(await refused("restore", [back, "--key-file", file], embedded)).toMatch(/does not hold a key of 32 bytes/);
  });
});

let places = 0;
function newPlace(): string {
  const path = join(directory, `place-${++places}`);
  mkdirSync(path, { mode: 0o711 });
  return path;
}
const text = async (path: string) => (await import("node:fs")).readFileSync(path, "utf8").trim();

describe("what is asked wrongly is one line, and nothing is touched", () => {
  test("no file, a file of nobody, and no keys", async () => {
    const env = { DATABASE_URL: database.url };
    expect(await refused("backup", [], env)).toMatch(/npm run backup -- FILE/);
    expect(await refused("restore", [], env)).toMatch(/npm run restore -- FILE/);
    expect(await refused("restore", [join(directory, "none")], env)).toMatch(/none does not exist; name the file/);
    const place = newPlace();
    const line = await refused("restore", [file], { DATA_DIR: place, SECRET_KEYS: "" });
    expect(line).toMatch(/keys does not exist; put the keys there that belong to the backup/);
    expect(readdirSync(place)).toEqual([]);
    expect(await refused("backup", [join(directory, "c")], { DATA_DIR: place })).toMatch(/has no database/);
    expect(existsSync(join(directory, "c"))).toBe(false);
    expect(await refused("backup", [join(directory, "no", "such")], env)).toMatch(/cannot be written \(ENOENT\)/);
  });

  test("a database that cannot be reached, without the password that its address holds", async () => {
    const env = { DATABASE_URL: "postgresql://svc:very-secret@127.0.0.1:1/svc" };
    for (const line of [await refused("backup", [join(directory, "d")], env), await refused("restore", [file], env)]) {
      expect(line).toMatch(/^DATABASE_URL: cannot connect: .*; check the address and that PostgreSQL runs$/m);
      expect(line).not.toContain("very-secret");
    }
    expect(existsSync(join(directory, "d"))).toBe(false);
  });

  test("a storage that cannot be reached, without its secret, before anything is made", async () => {
    const STORAGE_URL = "s3://KEY:very-secret@127.0.0.1:1/objects?region=eu-test-1&insecure=1";
    await emptyDatabase(async (DATABASE_URL) => {
      const env = { DATABASE_URL, STORAGE_URL, DATA_DIR: newPlace() };
      const line = await refused("restore", [file], env);
      expect(line).toMatch(/^The object storage cannot be read: .*; check STORAGE_URL, or the rights in DATA_DIR\n$/);
      expect(line).not.toContain("very-secret");
      await withClient(DATABASE_URL, async (client) => expect(await allTables(client)).toEqual([]));
    });
  });

  test("a disk that takes no more, in the middle of a backup: nothing of it is left", async () => {
    const path = join(directory, "full.backup");
    // A bound for each file does what a full disk does, and needs no disk. Blocks of 512 bytes.
    const bounded = `trap "" XFSZ; ulimit -f 600; exec "$0" "$@"`;
    const child = spawn("sh", ["-c", bounded, process.execPath, resolve("scripts/backup.ts"), path], {
      env: { PATH, SECRET_KEYS, DATA_DIR: join(directory, "data"), DATABASE_URL: database.url },
      stdio: ["ignore", "ignore", "pipe"],
    });
    started.add(child);
    let stderr = "";
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    expect(await new Promise((done) => child.once("close", done))).toBe(1);
    expect(stderr).toMatch(
      /^\S+full\.backup has no room: \d+ bytes were written and removed again; make room, or name a file on another disk\n$/,
    );
    expect(readdirSync(directory).filter((name) => name.startsWith("full"))).toEqual([]);
  });
});
