// Restarts the embedded PostgreSQL if it ends by itself: at once, up to five times a minute, and without limit if the
// disk is full, because then it works again as soon as space was freed. Logs the cause and the next step each time.
import { setTimeout as sleep } from "node:timers/promises";
import { causeIn, isFull, type RunningProcess } from "./process.ts";

const MOST_STARTS = 5;
const WITHIN_MS = 60_000;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 15_000;
const LOOK_MS = 200;
/** Size of a WAL segment in bytes: PostgreSQL creates one at a time. */
const SEGMENT = 16 * 2 ** 20;

export interface RestartLoop {
  /** Resolves to the reason why restarts were given up; null after `stop`. */
  lost: Promise<string | null>;
  stop(): Promise<void>;
}

/** `room`: number of free bytes on the file system of the data directory. */
export interface Keeping {
  start: () => Promise<RunningProcess>;
  room: () => number;
  say: (line: string) => void;
}

export function keepRunning(first: RunningProcess, { start, room, say }: Keeping): RestartLoop {
  const stopping = new AbortController();
  let server: RunningProcess | null = first;

  async function watch(): Promise<string | null> {
    let starts: number[] = [];
    let pauseMs = FIRST_PAUSE_MS;
    let log = await endOf(first);
    while (!stopping.signal.aborted) {
      const cause = causeIn(log);
      const now = Date.now();
      starts = starts.filter((at) => now - at < WITHIN_MS);
      if (isFull(log)) {
        const wanted = room() + SEGMENT;
        say(
          `PostgreSQL ended because the disk is full (${cause}); make room, it is started again then, ` +
            `or in ${pauseMs / 1000} s`,
        );
        await roomOr(wanted, pauseMs);
        pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      } else if (starts.length === MOST_STARTS) {
        return cause ?? "it was killed";
      } else {
        starts.push(now);
        say(`PostgreSQL ended unexpectedly${cause ? ` (${cause})` : ""} and is started again`);
      }
      if (!stopping.signal.aborted) log = await attempt();
    }
    return null;

    /** Starts the server once; resolves to its log when it ends. */
    async function attempt(): Promise<string> {
      server = null;
      try {
        const started = await start();
        server = started;
        if (stopping.signal.aborted) started.stop();
        else say("PostgreSQL runs again");
        pauseMs = FIRST_PAUSE_MS;
        return await endOf(started);
      } catch (error) {
        return `FATAL: ${(error as Error).message}`;
      }
    }
  }
  /** Waits until that many bytes are free, as far as the file system reports it, or until the pause is over. */
  async function roomOr(wanted: number, pauseMs: number): Promise<void> {
    const until = Date.now() + pauseMs;
    while (!stopping.signal.aborted && Date.now() < until && room() < wanted)
      await sleep(LOOK_MS, null, { signal: stopping.signal }).catch(() => {});
  }
  async function endOf(running: RunningProcess): Promise<string> {
    await running.exited;
    return running.log();
  }

  const lost = watch();
  return {
    lost,
    async stop() {
      stopping.abort();
      server?.stop();
      await lost;
    },
  };
}
