// A lock between processes: numbered files next to the guarded file. The process that creates the next number holds the
// lock. A released lock's file says so; that of a crashed process is old or names a process that no longer exists. The
// newest number is deleted only together with the guarded file, so that no process can take the lock from its holder.
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

const FREE = "free";
const DEAD_MS = 60_000;
const WAIT_MS = 25;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function isOver(file: string): boolean {
  try {
    const said = readFileSync(file, "utf8");
    if (said === FREE) return true;
    if (Date.now() - statSync(file).mtimeMs > DEAD_MS) return true;
    if (!/^\d+$/.test(said)) return false;
    try {
      process.kill(Number(said), 0);
      return false;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === "ESRCH";
    }
  } catch {
    // The file is gone: the next iteration finds a newer one.
    return false;
  }
}

/** `goes`: the work deletes the guarded file, and the lock file is deleted too. */
export async function locked<T>(path: string, work: () => Promise<T>, after: "stays" | "goes" = "stays"): Promise<T> {
  const prefix = `${basename(path)}.lock.`;
  const numbers = () =>
    readdirSync(dirname(path))
      .flatMap((name) => (name.startsWith(prefix) ? [Number(name.slice(prefix.length))] : []))
      .sort((a, b) => b - a);
  const fileOf = (number: number) => join(dirname(path), prefix + number);
  for (;;) {
    const [newest = 0] = numbers();
    if (newest === 0 || isOver(fileOf(newest))) {
      const mine = newest + 1;
      try {
        writeFileSync(fileOf(mine), String(process.pid), { flag: "wx", mode: 0o600 });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "EEXIST") continue;
        throw error;
      }
      // A process two numbers ahead may have deleted the file that this number succeeded.
      const [last = 0, ...older] = numbers();
      if (last !== mine) {
        rmSync(fileOf(mine), { force: true });
        continue;
      }
      try {
        for (const number of older) rmSync(fileOf(number), { force: true });
        return await work();
      } finally {
        if (after === "goes") rmSync(fileOf(mine), { force: true });
        else writeFileSync(fileOf(mine), FREE);
      }
    }
    await pause(WAIT_MS);
  }
}
