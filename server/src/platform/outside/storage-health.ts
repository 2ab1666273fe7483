// Tracks whether stored objects can be read and written. A failed operation sets the state at once; a periodic check
// sets it on an idle service, and clears it when the storage works again.
import type { Log } from "../wire/log.ts";
import { Refusal } from "../wire/problem.ts";
import type { Storage } from "./external-systems.ts";

/** A failure of the storage, not of the request. `isConfiguration` distinguishes a wrong setting from an outage. */
export class StorageFault extends Error {
  readonly isConfiguration: boolean;
  constructor(message: string, isConfiguration = false, cause?: unknown) {
    super(message, { cause });
    this.isConfiguration = isConfiguration;
  }
}
const RETRY_SECONDS = 5;
/** Callers receive 503 with Retry-After. */
export const storageFailure = (fault: StorageFault) =>
  new Refusal("overloaded", { retry_after: RETRY_SECONDS }, false, fault);

/** Intervals between two checks, normally and while the storage fails. */
export interface CheckIntervals {
  normalMs: number;
  failingMs: number;
}
const USUAL: CheckIntervals = { normalMs: 10_000, failingMs: 2000 };
const OPERATIONS = ["put", "get", "open", "move", "delete", "write", "isEmpty"] as const;

/** Extracts the storage's own failure from an error; null for a missing object or a wrong checksum. */
function faultIn(error: unknown): StorageFault | null {
  if (error instanceof StorageFault) return error;
  if (!(error instanceof Refusal)) return null;
  if (error.cause instanceof StorageFault) return error.cause;
  return error.code === "storage_full" ? new StorageFault("the disk is full") : null;
}

export function storageHealth(storage: Storage, log: Pick<Log, "warn" | "info">) {
  let fault: StorageFault | null = null;
  function note(found: StorageFault | null) {
    if (found && !fault) log.warn({ err: found }, "stored objects cannot be read or written");
    if (!found && fault) log.info("stored objects can be read and written again");
    fault = found;
  }
  const observed = { ...storage };
  for (const name of OPERATIONS) {
    const operate = storage[name] as (...args: unknown[]) => Promise<never>;
    observed[name] = (...args: unknown[]) =>
      operate(...args).catch((error: unknown) => {
        const found = faultIn(error);
        if (found) note(found);
        throw error;
      });
  }
  const check = async (thorough = false) => {
    const known = fault;
    try {
      // After a failure the check also writes, because only writes may be failing.
      await storage.check(thorough || fault !== null);
      // Clears the state only if no operation failed since the check began: it may have needed more than the check
      // tried.
      if (fault === known) note(null);
    } catch (error) {
      note(faultIn(error) ?? new StorageFault("the storage failed its check", false, error));
    }
    return fault;
  };
  return {
    storage: observed,
    /** Reason why objects cannot be read or written, or null. */
    failure: () => fault?.message ?? null,
    check,
    /** Checks periodically until the returned function is called. */
    watch(intervals = USUAL): () => void {
      let stopped = false;
      let timer: NodeJS.Timeout;
      const schedule = () => {
        timer = setTimeout(
          () => void check().then(() => stopped || schedule()),
          intervals[fault ? "failingMs" : "normalMs"],
        );
        timer.unref();
      };
      schedule();
      return () => {
        stopped = true;
        clearTimeout(timer);
      };
    },
  };
}
