// One at a time, across processes: numbered files beside the one that is guarded. Whoever makes the next number holds the lock; the file of whoever is done says so,
// and that of whoever has died is old or names a process that is gone. The newest number is removed only together with what it guards, so nobody can take a lock away
// from its holder.
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
    // Gone: there is a newer one, which is seen at the next look.
    return false;
  }
}

/** With `goes`: what is guarded goes with the work, and so does the lock. */
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
      // Somebody who was faster by two has removed the one of this number.
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
