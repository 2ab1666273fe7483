// A database and the keys of what it holds: whoever starts with others is told so, in one line, and nothing is replaced
// without a sound.
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { testDatabase } from "../../../../test/database.ts";
import { readConfig } from "../../settings/config.ts";
import { loadSecretKeys, type SecretKey } from "../../settings/secret-keys.ts";
import { checkKeys, listKeys, retireKey } from "./key-check.ts";

const directory = mkdtempSync(join(tmpdir(), "svc-keys-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const newKey = (id: string): SecretKey => ({ id, key: randomBytes(32) });
const text = (keys: SecretKey[]) => keys.map(({ id, key }) => `${id}:${key.toString("base64url")}`).join(",");

async function database() {
  const { url, drop } = await testDatabase();
  const client = new pg.Client(url);
  await client.connect();
  onTestFinished(async () => {
    await client.end();
    await drop();
  });
  const start = (...keys: SecretKey[]) =>
    checkKeys(url, keys, "SECRET_KEYS").then(
      () => "started",
      (error) => error.message as string,
    );
  return { url, client, start };
}

describe("a start", () => {
  test("with the same keys, and with a new one in front of them, is right", async () => {
    const { start, client } = await database();
    const [one, two] = [newKey("k1"), newKey("k2")];
    expect([await start(one), await start(one), await start(two, one), await start(two, one)]).toEqual(
      Array(4).fill("started"),
    );
    expect((await listKeys(client)).map(({ id }) => id)).toEqual(["k1", "k2"]);
  });

  test("with another key under a known id is refused, and says that ids are not used again", async () => {
    const { start } = await database();
    await start(newKey("k1"));
    expect(await start(newKey("k1"))).toMatch(/^SECRET_KEYS: the key k1 is not the one .* restore .* never used$/);
  });

  test("with none of the keys that were lost is refused, and keeps nothing of the new ones", async () => {
    const { start, client } = await database();
    const one = newKey("k1");
    await start(one);
    expect(await start(newKey("k7"))).toMatch(/none of these keys opens .* needs k1; restore/);
    expect((await listKeys(client)).map(({ id }) => id)).toEqual(["k1"]);
    expect(await start(one)).toBe("started");
  });

  test("without an old key is refused until what it seals is given up, and its id is then gone for ever", async () => {
    const { start, client } = await database();
    const [one, two] = [newKey("k1"), newKey("k2")];
    await start(two, one);
    expect(await start(two)).toMatch(/the key k1 is missing, .* npm run keys -- retire k1$/);
    expect([await retireKey(client, "k1"), await retireKey(client, "k1"), await retireKey(client, "k9")]).toEqual([
      true,
      false,
      false,
    ]);
    expect(await start(two)).toBe("started");
    expect(await start(two, one)).toMatch(/k1 was retired on \d{4}-\d\d-\d\d; give a new key an id/);
    expect(await start(two, newKey("k1"))).toMatch(/k1 is not the one/);
  });

  test("of many at once with different keys lets one of them in", async () => {
    const { start } = await database();
    const ends = await Promise.all(Array.from({ length: 5 }, (_, at) => start(newKey(`k${at}`))));
    expect(ends.filter((end) => end === "started")).toHaveLength(1);
  });
});

test("the application's role neither reads nor writes what the keys are checked with", async () => {
  const { client } = await database();
  await client.query("set role svc_app");
  for (const sql of ["select from secret_keys", "insert into secret_keys (id, check_value) values ('x', '')"])
    await expect(client.query(sql)).rejects.toThrow(/permission denied/);
});

describe("a key file", () => {
  test("is made once, under an id of its own", () => {
    const [one, two] = [join(directory, "one"), join(directory, "two")];
    expect(loadSecretKeys(one)).toEqual(loadSecretKeys(one));
    expect(loadSecretKeys(one)[0]?.id).not.toBe(loadSecretKeys(two)[0]?.id);
  });

  test("that was lost beside its embedded database is not made again", () => {
    const dataDir = join(directory, "lost");
    mkdirSync(join(dataDir, "postgres"), { recursive: true });
    expect(() => readConfig({ DATA_DIR: dataDir })).toThrow(/has a database and no key file .*keys, .* restore it/);
    expect(existsSync(join(dataDir, "keys"))).toBe(false);
  });
});

test("a process with wrong keys ends with one line that names the variable, or the file", async () => {
  const { url, start } = await database();
  await start(newKey("k1"));
  const run = (env: NodeJS.ProcessEnv) =>
    spawnSync(process.execPath, ["server/src/main.ts"], {
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        PORT: "0",
        DATABASE_URL: url,
        ...env,
      },
      encoding: "utf8",
    });
  const dataDir = join(directory, "elsewhere");
  const named = run({ DATA_DIR: dataDir, SECRET_KEYS: text([newKey("k1")]) });
  expect([named.status, named.stderr.trim().split("\n").length]).toEqual([1, 1]);
  expect(named.stderr).toMatch(/^SECRET_KEYS: the key k1 is not the one/);
  // The directory was lost, and the database was not.
  const filed = run({ DATA_DIR: dataDir });
  expect([filed.status, filed.stderr]).toEqual([
    1,
    expect.stringMatching(
      /elsewhere[/\\]keys: none of these keys opens what this database holds, which needs k1; .*\n$/,
    ),
  ]);
});
