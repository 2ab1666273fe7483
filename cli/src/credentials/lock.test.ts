// One at a time across processes: the lock holds between many, and survives whoever dies with it.
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { locked } from "./lock.ts";

afterEach(() => vi.useRealTimers());

function guarded() {
  const dir = mkdtempSync(join(tmpdir(), "svc-lock-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return { dir, file: join(dir, "count") };
}

test("of ten processes that each read, wait and write, none loses what another wrote", async () => {
  const { file } = guarded();
  writeFileSync(file, "0");
  const work = `
    import { locked } from ${JSON.stringify(join(import.meta.dirname, "lock.ts"))};
    import { readFileSync, writeFileSync } from "node:fs";
    const [file] = process.argv.slice(1);
    for (let at = 0; at < 5; at++)
      await locked(file, async () => {
        const count = Number(readFileSync(file, "utf8"));
        // Wait: gives the others time to write between; the count is the same without it.
        await new Promise((resolve) => setTimeout(resolve, 2));
        writeFileSync(file, String(count + 1));
      });`;
  const ends = Array.from({ length: 10 }, () => {
    const child = spawn(process.execPath, ["--input-type=module", "-e", work, file], { stdio: "inherit" });
    return new Promise((resolve) => child.on("close", resolve));
  });
  expect(await Promise.all(ends)).toEqual(Array(10).fill(0));
  expect(readFileSync(file, "utf8")).toBe("50");
});

test("whoever fails gives the lock back, and what failed comes out", async () => {
  const { file } = guarded();
  await expect(locked(file, () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  expect(await locked(file, async () => "next")).toBe("next");
});

test("with what it guards goes the lock, and the next one begins anew", async () => {
  const { dir, file } = guarded();
  await locked(file, async () => {});
  const waited = locked(file, async () => "after");
  await locked(file, async () => {}, "goes");
  expect(await waited).toBe("after");
  await locked(file, async () => {}, "goes");
  expect(readdirSync(dir)).toEqual([]);
});

test("the lock of a process that is gone, or that has taken a minute, is over; that of one that lives is not", async () => {
  const { dir, file } = guarded();
  writeFileSync(`${file}.lock.3`, "999999999");
  expect(await locked(file, async () => "gone")).toBe("gone");
  writeFileSync(`${file}.lock.9`, String(process.pid));
  utimesSync(`${file}.lock.9`, 0, 0);
  expect(await locked(file, async () => "late")).toBe("late");
  expect(readdirSync(dir)).toEqual(["count.lock.10"]);
  writeFileSync(`${file}.lock.11`, String(process.pid));
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  let entered = false;
  const waiting = locked(file, async () => {
    entered = true;
  });
  await vi.advanceTimersByTimeAsync(1000);
  expect(entered).toBe(false);
  writeFileSync(`${file}.lock.11`, "free");
  await vi.advanceTimersByTimeAsync(1000);
  await waiting;
  expect(entered).toBe(true);
});
