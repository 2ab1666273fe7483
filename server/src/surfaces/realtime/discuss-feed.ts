// Publishes changes of a member's conversation, reminders and preferences, in their own order, as ids and revisions
// only. Places are sequence numbers of the conversation and not journal positions. Woken by writers of messages, and
// polled every second for lost notifications.

import { tokenAt, toldAfter } from "../../assistant/discuss/store.ts";
import { inSnapshot } from "../../history/feed/store.ts";
import type { Pool, Queries } from "../../platform/database/db.ts";
import { type JournalPosition, placeOf, type Reset, resetOf, timelineOf } from "../../platform/database/journal.ts";
import { NIL } from "../../platform/wire/ids.ts";
import type { FeedFollower } from "./reader.ts";

const PAGE = 100;

interface State {
  dirty: boolean;
  /** Whether another database may have answered since: then the place is proved again. */
  doubt: boolean;
  reading: Promise<void> | null;
  gone: boolean;
}

/**
 * Null if the database has everything that a reader of this conversation has seen: the token of the last change, or a
 * later mark, is still there.
 */
export async function resetOfDiscuss(
  tx: Queries,
  place: JournalPosition,
  actorId: string | null,
): Promise<Reset | null> {
  const [proved, marked, last] = await Promise.all([
    resetOf(tx, place),
    resetOf(tx, place, true),
    tokenAt(tx, actorId ?? NIL, place.position),
  ]);
  if (BigInt(place.position) > BigInt(last.sequence)) return proved ?? "epoch_changed";
  const isSame = place.position === "0" || (last.token !== null && last.token === place.token);
  return isSame ? proved : marked;
}

export class DiscussFeed {
  private readonly pool: Pool;
  private readonly failed: (error: unknown) => void;
  private readonly moved: () => void;
  private readonly followers = new Map<FeedFollower, State>();

  /** `moved`: called after a follower has got a new place, which only a later mark of the journal proves. */
  constructor(pool: Pool, failed: (error: unknown) => void, moved: () => void) {
    this.pool = pool;
    this.failed = failed;
    this.moved = moved;
  }

  follow(follower: FeedFollower): () => void {
    this.moved();
    const state: State = { dirty: true, doubt: false, reading: null, gone: false };
    this.followers.set(follower, state);
    this.read(follower);
    return () => {
      state.gone = true;
      this.followers.delete(follower);
    };
  }
  /** Wakes the followers in this Workspace; null: in any. */
  wake(workspaceId: string | null) {
    for (const follower of this.followers.keys())
      if (workspaceId === null || follower.bound.workspaceId === workspaceId) this.read(follower);
  }
  isEmpty = () => this.followers.size === 0;
  /** Proves every place again: the database has failed, or continues on another timeline. */
  doubt() {
    for (const [follower, state] of this.followers) {
      state.doubt = true;
      this.read(follower);
    }
  }
  close = () => Promise.all([...this.followers.values()].map(({ reading }) => reading));

  private read(follower: FeedFollower) {
    const state = this.followers.get(follower);
    if (!state) return;
    state.dirty = true;
    state.reading ??= (async () => {
      while (state.dirty && !state.gone) {
        state.dirty = false;
        const { bound, actorId, place } = follower;
        const { doubt } = state;
        state.doubt = false;
        const { changes, here, reset } = await inSnapshot(this.pool, bound.workspaceId ?? NIL, async (tx) => {
          const changes = await toldAfter(tx, actorId ?? NIL, place.position, PAGE);
          const last = changes.at(-1);
          if (!last && !doubt) return { changes, here: null, reset: null };
          const position = last?.sequence ?? place.position;
          const [now, { token }] = await Promise.all([placeOf(tx), tokenAt(tx, actorId ?? NIL, position)]);
          const isProved = !doubt && timelineOf(now) === timelineOf(place);
          const reset = isProved ? null : await resetOfDiscuss(tx, place, actorId);
          return { changes, here: { ...now, position, token }, reset };
        }).catch((error) => {
          state.doubt ||= doubt;
          throw error;
        });
        if (state.gone) return;
        if (reset) {
          follower.reset(reset);
          return;
        }
        if (changes.length === 0 || !here) continue;
        state.dirty ||= changes.length === PAGE;
        follower.told({
          changes: changes.map(({ kind, id, revision, created }) => ({
            kind,
            id,
            revision,
            action: created ? "created" : "changed",
          })),
          place: here,
        });
        this.moved();
      }
    })()
      .catch(this.failed)
      .finally(() => {
        state.reading = null;
      });
  }
}
