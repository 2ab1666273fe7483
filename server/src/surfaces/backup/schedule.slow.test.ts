// Backups that the worker makes: when they are due, verified, the last ones kept, and how old the last good one is
// where people and machines look.
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { service, testConfig, testKeys } from "../../../test/world.ts";
import { freePort } from "../../platform/database/embedded/address.ts";
import { createLog } from "../../platform/wire/log.ts";
import { checkBackup } from "./restore.ts";
import { ageOfLast, backups } from "./schedule.ts";

const directory = mkdtempSync(join(tmpdir(), "svc-schedule-"));
const backupDir = join(directory, "backups");
const metricsPort = await freePort();
const running = service({ backupDir, metricsPort });
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const HOUR = 3_600_000;
const NOON = Date.parse("2027-01-01T12:00:00Z");
const config = { ...testConfig, backupDir, backupEvery: 24 * 3600, backupKeep: 2, dataDir: join(directory, "data") };
const log = createLog("silent");
const ask = async (path: string) => (await fetch(running.url + path)).text();

test("one is due when the last good one is too old; each is verified before it has its name, and the last ones stay", async () => {
  expect(await ask("/readyz?verbose")).toMatch(
    /^ready\nreader: answers\n[\s\S]*\nbackup: the last good one is missing$/,
  );
  let now = NOON;
  const due = backups({ config, databaseUrl: running.databaseUrl, log }, () => now);
  const names = () => readdirSync(backupDir).sort();
  // While it is restored aside, a place for that lies beside the draft, and nothing has its name yet.
  const aside: string[][] = [];
  // Wait: looks until the backup is made, which takes some hundred looks.
  const looking = setInterval(() => {
    const found = existsSync(backupDir) ? names() : [];
    if (found.some((name) => /^making\.backup\.verify\.\d+$/.test(name))) aside.push(found);
  }, 20);
  await due();
  clearInterval(looking);
  expect(aside.length).toBeGreaterThan(0);
  expect(aside.flat().filter((name) => name.startsWith("svc-"))).toEqual([]);
  expect(names()).toEqual(["svc-2027-01-01T120000Z.backup"]);
  await checkBackup(join(backupDir, "svc-2027-01-01T120000Z.backup"), { keyFile: null, secretKeys: testKeys });
  now += 23 * HOUR;
  await due();
  expect(names()).toHaveLength(1);
  // What is older and what is not ours.
  writeFileSync(join(backupDir, "svc-2026-12-31T120000Z.backup"), "older");
  writeFileSync(join(backupDir, "notes.txt"), "kept");
  now += HOUR;
  await due();
  expect(names()).toEqual(["notes.txt", "svc-2027-01-01T120000Z.backup", "svc-2027-01-02T120000Z.backup"]);
  expect(ageOfLast(backupDir, now + 90_000)).toBe(90);
});

test("one that fails leaves the good ones, says so, and is tried again after a tenth of the time", async () => {
  const before = readdirSync(backupDir);
  const said: string[] = [];
  const told = { ...log, error: (_fields: unknown, line: string) => said.push(line) } as unknown as typeof log;
  let now = NOON + 72 * HOUR;
  const settings = { ...config, backupKeyFile: join(directory, "no-such-key") };
  const due = backups({ config: settings, databaseUrl: running.databaseUrl, log: told }, () => now);
  await due();
  now += 2 * HOUR;
  await due();
  expect(said).toHaveLength(1);
  now += HOUR;
  await due();
  expect(said).toEqual(Array(2).fill("the backup failed; the next attempt follows by itself"));
  expect(readdirSync(backupDir)).toEqual(before);
});

test("the age of the last good one is a metric, and a line of /readyz?verbose that changes nothing else", async () => {
  const time = new Date(Date.now() - 3 * HOUR).toISOString().slice(0, 19).replaceAll(":", "");
  for (const name of readdirSync(backupDir)) rmSync(join(backupDir, name));
  writeFileSync(join(backupDir, `svc-${time}Z.backup`), "");
  expect(await ask("/readyz")).toBe("ready");
  expect(await ask("/readyz?verbose")).toMatch(/backup: the last good one is 3 hours old$/);
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const age = Number(/^svc_backup_age_seconds (\S+)$/m.exec(metrics)?.[1]);
  expect(Math.round(age / 3600)).toBe(3);
});
