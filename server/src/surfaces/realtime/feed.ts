// Publishes changes to followers, in the journal's order and at least once: one reader for each Workspace that is
// followed, woken by commits, and a poll every second for lost notifications. A follower receives only what it may see
// at that moment. Decision 0125.
import { setTimeout as sleep } from "node:timers/promises";
import { lookAround } from "../../history/feed/store.ts";
import type { Database } from "../../platform/database/db.ts";
import { journalOf, markJournal } from "../../platform/database/journal.ts";
import type { Log } from "../../platform/wire/log.ts";
import { DiscussFeed } from "./discuss-feed.ts";
import { type FeedFollower, Reader } from "./reader.ts";
import { openWake, type Wake } from "./wake.ts";

export type { RealtimeChange } from "../../history/feed/rules.ts";
export type { FeedFollower } from "./reader.ts";

export interface FeedHealth {
  /** delayed: an open transaction holds the journal back; unavailable: the database does not answer. */
  state: "live" | "delayed" | "unavailable";
  since: string;
}

export interface Feed {
  /** Follows until the returned function is called. */
  follow(follower: FeedFollower): () => void;
  health(): FeedHealth;
  onHealth(listener: (health: FeedHealth) => void): void;
  /** Subscribes to commits, here or by a process without a worker, that background jobs have to read. */
  onCommit(listener: (workspaceId: string | null) => void): void;
  /** Notifies of a commit in a Workspace; without one, in any. Costs the caller nothing. */
  wake: Wake;
  close(): Promise<void>;
}

const LOOK_MS = 1000;
/**
 * Longer than any statement's limit. A poll that hangs for another reason must not silence the feed: it counts as
 * failed, and the next one begins.
 */
const LONGEST_LOOK_MS = 20_000;
/** A younger open transaction causes no noticeable delay. */
const DELAYED_MS = 2000;

const lateness = () =>
  sleep(LONGEST_LOOK_MS, null, { ref: false }).then(() => {
    throw new Error(`a look at the journal took longer than ${LONGEST_LOOK_MS / 1000} s`);
  });

export function openFeed(
  database: Pick<Database, "reader" | "writer">,
  databaseUrl: string,
  log: Log,
  { hasWorker = false } = {},
): Feed {
  const { reader: pool } = database;
  const readers = new Map<string, Reader>();
  const listeners: ((health: FeedHealth) => void)[] = [];
  let health: FeedHealth = { state: "live", since: new Date().toISOString() };
  let closed = false;
  /** Whether a proof or a Discuss cursor is younger than the last mark that this process made. */
  let unmarked = false;
  /** Whether another database may have answered since the last poll: then every place is proved again. */
  let unsure = false;
  let timeline = "";

  const become = (state: FeedHealth["state"]) => {
    if (state === health.state) return;
    health = { state, since: new Date().toISOString() };
    for (const listener of listeners) listener(health);
  };
  const failed = (error: unknown) => {
    if (closed) return;
    if (health.state !== "unavailable") log.warn({ err: error }, "what has changed cannot be read, and is told later");
    become("unavailable");
    // Another database may answer the next query.
    unsure = true;
    for (const reader of readers.values()) reader.doubt();
  };

  const discuss = new DiscussFeed(pool, failed, () => {
    unmarked = true;
  });

  /** Position at the last poll, and the time since when a running transaction has held it there. */
  let last: { position: string; since: number } | null = null;
  let looking: Promise<void> | null = null;
  const look = () => {
    looking ??= Promise.race([lookOnce(), lateness()])
      .catch(failed)
      .finally(() => {
        looking = null;
      });
    return looking;
  };
  /**
   * Writes a mark: a proof grows with the commits since the last mark, and an old Discuss cursor survives a promotion
   * only with a younger mark.
   */
  async function mark() {
    if (!unmarked || closed) return;
    unmarked = false;
    const isMarked = await markJournal(database.writer).catch(() => false);
    unmarked ||= !isMarked;
  }
  async function lookOnce() {
    await mark();
    if (readers.size === 0 && discuss.isEmpty()) {
      last = null;
      return;
    }
    const { position, running, moved, ...here } = await lookAround(pool, [...readers.keys()], last?.position ?? null);
    const now = performance.now();
    if (unsure || (timeline !== "" && timeline !== here.timeline)) {
      discuss.doubt();
      for (const reader of readers.values()) reader.wake();
    }
    unsure = false;
    timeline = here.timeline;
    unmarked ||= moved.length > 0;
    // Wakes readers that were added before the first poll.
    if (last === null) for (const reader of readers.values()) reader.wake();
    if (last?.position !== position || !running) last = { position, since: now };
    become(now - last.since > DELAYED_MS ? "delayed" : "live");
    for (const id of moved) readers.get(id)?.wake();
  }

  const committed: ((workspaceId: string | null) => void)[] = [];
  const wake = openWake(databaseUrl, hasWorker, (workspaceId, followed) => {
    unmarked = true;
    if (!followed) for (const listener of committed) listener(workspaceId);
    discuss.wake(workspaceId);
    if (workspaceId === null) void look();
    else readers.get(workspaceId)?.wake();
  });
  const timer = setInterval(() => {
    discuss.wake(null);
    void look();
  }, LOOK_MS);
  timer.unref();

  function follow(follower: FeedFollower): () => void {
    if (follower.bound.scope === "discuss") return discuss.follow(follower);
    const key = journalOf(follower.bound);
    let reader = readers.get(key);
    if (!reader) {
      reader = new Reader(pool, key, failed);
      readers.set(key, reader);
    }
    const followed = reader;
    const leave = followed.add(follower);
    return () => {
      leave();
      if (followed.isEmpty() && readers.get(key) === followed) readers.delete(key);
    };
  }

  return {
    follow,
    health: () => health,
    onHealth: (listener) => void listeners.push(listener),
    onCommit: (listener) => void committed.push(listener),
    wake: wake.wake,
    async close() {
      closed = true;
      clearInterval(timer);
      await Promise.all([
        wake.close(),
        discuss.close(),
        looking,
        ...[...readers.values()].map((reader) => reader.close()),
      ]);
    },
  };
}
