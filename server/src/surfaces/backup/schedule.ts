// Backups that the worker makes by itself: into BACKUP_DIR, whenever the last good one is older than BACKUP_EVERY. Each is made, restored aside and
// compared by a process of its own that stands back behind the service, and has its name only after that: what lies there under such a name is
// good. The last BACKUP_KEEP stay. The directory is all that is remembered.
import { spawn } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Background, Parts } from "../../platform/background/jobs.ts";
import type { Config } from "../../platform/settings/config.ts";
import { makeDirectory, renameDurably } from "../../platform/settings/directory.ts";
import { sweepBeside } from "./command.ts";

const NAME = /^svc-(\d{4})-(\d\d)-(\d\d)T(\d\d)(\d\d)(\d\d)Z\.backup$/;
const nameAt = (time: Date) => `svc-${time.toISOString().slice(0, 19).replaceAll(":", "")}Z.backup`;
const timeOf = (name: string): number | null => {
  const [, year, month, day, hour, minute, second] = NAME.exec(name) ?? [];
  return year === undefined ? null : Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
};

/** Names of the good ones, the newest first. */
function goodIn(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => timeOf(name) !== null)
      .sort()
      .reverse();
  } catch {
    return [];
  }
}

/** In seconds. Where there is none it is as old as the clock: nobody takes that for a good one. */
export function ageOfLast(directory: string, now = Date.now()): number {
  const [newest] = goodIn(directory);
  return (now - ((newest && timeOf(newest)) || 0)) / 1000;
}

/** After one that failed the next is tried in a tenth of the time. */
const AGAIN = 10;

export function backups({ config, databaseUrl, log }: Pick<Parts, "config" | "databaseUrl" | "log">, now = Date.now) {
  const { backupDir, backupEvery, backupKeep } = config;
  let failedAt = Number.NEGATIVE_INFINITY;
  return async (): Promise<void> => {
    if (backupDir === null || ageOfLast(backupDir, now()) < backupEvery) return;
    if ((now() - failedAt) / 1000 < backupEvery / AGAIN) return;
    const draft = join(backupDir, "making.backup");
    try {
      makeDirectory(backupDir, 0o700);
      const path = join(backupDir, nameAt(new Date(now())));
      sweepBeside(draft);
      rmSync(draft, { force: true });
      await run(config, databaseUrl, draft);
      await renameDurably(draft, path);
      for (const name of goodIn(backupDir).slice(backupKeep)) rmSync(join(backupDir, name));
      log.info(`made and verified the backup ${path}`);
    } catch (error) {
      failedAt = now();
      rmSync(draft, { force: true });
      log.error({ err: error }, "the backup failed; the next attempt follows by itself");
    }
  };
}

const script = fileURLToPath(new URL("../../../../scripts/backup.ts", import.meta.url));
/** As `npm run backup -- FILE --verify` with these settings. It ends when this process ends. */
function run(config: Config, databaseUrl: string, path: string): Promise<void> {
  const keys = config.secretKeys.map(({ id, key }) => `${id}:${key.toString("base64url")}`).join();
  const env = {
    ...process.env,
    ...{ DATABASE_URL: databaseUrl, DATA_DIR: config.dataDir, SECRET_KEYS: keys, STORAGE_URL: config.storageUrl ?? "" },
  };
  const encrypting = config.backupKeyFile === null ? [] : ["--key-file", config.backupKeyFile];
  const child = spawn(process.execPath, [script, path, "--verify", ...encrypting], {
    env,
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  if (child.pid) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  let said = "";
  child.stderr?.on("data", (chunk) => {
    said = (said + chunk).slice(-4096);
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => (code === 0 ? resolve() : reject(new Error(said.trim() || `it ended with ${code}`))));
  });
}

export const background: Background = {
  schedule: "* * * * * make_backup ?jobKey=make_backup&queue=make_backup",
  jobs: (parts) => ({ make_backup: backups(parts) }),
};
