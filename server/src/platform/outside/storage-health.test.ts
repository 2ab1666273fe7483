// The health of the storage: what sets it, and what clears it.
import { expect, test } from "vitest";
import type { Storage } from "./external-systems.ts";
import { StorageFault, storageHealth } from "./storage-health.ts";

const quiet = { warn() {}, info() {} };

test("a check that began before an operation failed does not clear the failure; the next check writes, and does", async () => {
  const checks: { thorough: boolean; pass(): void }[] = [];
  const storage = {
    put: () => Promise.reject(new StorageFault("the S3 service answered 403")),
    check: (thorough: boolean) => new Promise<void>((pass) => checks.push({ thorough, pass })),
  } as unknown as Storage;
  const health = storageHealth(storage, quiet);
  const early = health.check();
  await expect(health.storage.put("key", Buffer.from("x"), "text/plain")).rejects.toThrow("403");
  checks[0]?.pass();
  await early;
  expect(health.failure()).toBe("the S3 service answered 403");
  const later = health.check();
  checks[1]?.pass();
  await later;
  expect(health.failure()).toBeNull();
  expect(checks.map(({ thorough }) => thorough)).toEqual([false, true]);
});
