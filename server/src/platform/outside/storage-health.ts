// Tracks whether stored objects can be read and written. Failed operations set the state at once; a periodic check sets it on an idle
// service, and clears it when the storage works again.
import type { Log } from "../wire/log.ts";
import { Refusal } from "../wire/problem.ts";
import type { Storage } from "./outside.ts";

/** The storage failed, not the request. `isConfiguration` tells a wrong setting from an outage. */
export class StorageFault extends Error {
  readonly isConfiguration: boolean;
  constructor(message: string, isConfiguration = false, cause?: unknown) {
    super(message, { cause });
    this.isConfiguration = isConfiguration;
  }
}
const RETRY_SECONDS = 5;
/** Callers get 503 with Retry-After. */
export const storageFailure = (fault: StorageFault) =>
  new Refusal("overloaded", { retry_after: RETRY_SECONDS }, false, fault);

/** Between two checks, and between two while the storage fails. */
export interface CheckIntervals {
  normalMs: number;
  failingMs: number;
}
const USUAL: CheckIntervals = { normalMs: 10_000, failingMs: 2000 };
const OPERATIONS = ["put", "get", "open", "move", "delete", "write", "isEmpty"] as const;

/** The storage's own failure in an error, or null: a missing object or a wrong checksum is none. */
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
      // What is refused may be writes alone.
      await storage.check(thorough || fault !== null);
      // An operation that failed since the check began may have needed more than the check tried.
      if (fault === known) note(null);
    } catch (error) {
      note(faultIn(error) ?? new StorageFault("the storage failed its check", false, error));
    }
    return fault;
  };
  return {
    storage: observed,
    /** The reason why objects cannot be read or written, or null. */
    failure: () => fault?.message ?? null,
    check,
    /** Checks until the returned function is called. */
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
