// Scheduled backups of the worker: into BACKUP_DIR, whenever the last good one is older than BACKUP_EVERY. A
// low-priority process creates each one, restores it into a scratch database and compares it; only then the file gets
// its name, so that every file with such a name is good. The last BACKUP_KEEP are retained. The directory is the only
// state.
import { spawn } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Background, JobParts } from "../../platform/background/jobs.ts";
import type { Config } from "../../platform/settings/config.ts";
import { makeDirectory, renameDurably } from "../../platform/settings/directory.ts";
import { sweepBeside } from "./command.ts";

const NAME = /^svc-(\d{4})-(\d\d)-(\d\d)T(\d\d)(\d\d)(\d\d)Z\.backup$/;
const nameAt = (time: Date) => `svc-${time.toISOString().slice(0, 19).replaceAll(":", "")}Z.backup`;
const timeOf = (name: string): number | null => {
  const [, year, month, day, hour, minute, second] = NAME.exec(name) ?? [];
  return year === undefined ? null : Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
};

/** Names of the good backups, newest first. */
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

/** Age in seconds. Without a backup it is the time since 1970, which nobody takes for a good one. */
export function ageOfLast(directory: string, now = Date.now()): number {
  const [newest] = goodIn(directory);
  return (now - ((newest && timeOf(newest)) || 0)) / 1000;
}

/** After a failure the next attempt comes after a tenth of the interval. */
const AGAIN = 10;

export function backups(
  { config, databaseUrl, log }: Pick<JobParts, "config" | "databaseUrl" | "log">,
  now = Date.now,
) {
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
/** Runs `npm run backup -- FILE --verify` with these settings. The child process ends with this one. */
function run(config: Config, databaseUrl: string, path: string): Promise<void> {
  const keys = config.secretKeys.map(({ id, key }) => `${id}:${key.toString("base64url")}`).join();
  const env = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    DATA_DIR: config.dataDir,
    SECRET_KEYS: keys,
    STORAGE_URL: config.storageUrl ?? "",
  };
  const encrypting = config.backupKeyFile === null ? [] : ["--key-file", config.backupKeyFile];
  const child = spawn(process.execPath, [script, path, "--verify", ...encrypting], {
    env,
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  // The lowest priority would starve on a machine whose processors are never idle.
  if (child.pid) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
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
