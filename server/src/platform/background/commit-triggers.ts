// Runs followers of the journal when a commit wakes them, in the process that has the worker. Commits that arrive
// together are read together. A follower rests after each run for four times its duration, so that it uses a fifth of a
// core. The schedule runs the same work every ten seconds, in case a wake-up was lost.
import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../wire/log.ts";
import { type JournalFollower, rest } from "./jobs.ts";

export interface Triggers {
  /** Wakes the followers because something was committed in this Workspace; null: in any. */
  wake(workspaceId: string | null): void;
  /** Resolves once nothing runs. */
  close(): Promise<void>;
}

const LONGEST_REST_MS = 1000;
/** Back-off while an open transaction holds the journal back: the pause doubles from the first value to the second. */
const [HELD_MS, LONGEST_HELD_MS] = [20, 500];
/** Above this number of Workspaces, a follower reads all of them. */
const MOST_NAMED = 100;

interface State {
  name: string;
  follower: JournalFollower;
  /** Workspaces that were woken since the last run; null: all of them. */
  woken: Set<string> | null;
  running: Promise<void> | null;
}

/** `notify`: called after a run whose results open subscriptions show. */
export function openTriggers(followers: Record<string, JournalFollower>, log: Log, notify: () => void): Triggers {
  const stop = new AbortController();
  const states = Object.entries(followers).map(
    ([name, follower]): State => ({ name, follower, woken: new Set(), running: null }),
  );
  const pause = (ms: number) => sleep(ms, undefined, { signal: stop.signal }).catch(() => {});
  const isWoken = ({ woken }: State) => woken === null || woken.size > 0;
  const add = (state: State, workspaceId: string | null) => {
    if (state.woken === null) return;
    if (workspaceId === null || state.woken.size >= MOST_NAMED) state.woken = null;
    else state.woken.add(workspaceId);
  };

  async function follow(state: State): Promise<void> {
    const { name, follower } = state;
    let held = HELD_MS;
    await pause(follower.gatherMs);
    while (isWoken(state) && !stop.signal.aborted) {
      const named = state.woken && [...state.woken];
      state.woken = new Set();
      const began = performance.now();
      try {
        if ((await follower.run(named)) === true) {
          if (named === null) state.woken = null;
          else for (const id of named) add(state, id);
          await pause(held);
          held = Math.min(2 * held, LONGEST_HELD_MS);
        } else held = HELD_MS;
        if (follower.notifies) notify();
      } catch (error) {
        if (!stop.signal.aborted)
          log.warn({ err: error, job: name }, "a follower of the journal failed and runs again on schedule");
      }
      const spent = performance.now() - began;
      await pause(Math.max(follower.gatherMs, Math.min(rest.times * spent, LONGEST_REST_MS)));
    }
  }
  function start(state: State): void {
    state.running ??= follow(state).finally(() => {
      state.running = null;
      // A commit woke the follower while its loop ended.
      if (isWoken(state) && !stop.signal.aborted) start(state);
    });
  }
  return {
    wake(workspaceId) {
      if (stop.signal.aborted) return;
      for (const state of states) {
        add(state, workspaceId);
        start(state);
      }
    },
    async close() {
      stop.abort();
      await Promise.all(states.map(({ running }) => running));
    },
  };
}
