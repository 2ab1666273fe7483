// Tells members what changed in their conversation, their reminders and their preferences: in its own order, by identities and revisions alone. Its places are numbers of the conversation and not of the journal. Woken by
// whoever writes a message, and every second for what nothing has woken.
import type { Pool } from "../database/db.ts";
import { toldAfter } from "../discuss/store.ts";
import { NIL } from "../wire/ids.ts";
import { inSnapshot } from "./feed-store.ts";
import type { Follower } from "./reader.ts";

const PAGE = 100;

export class DiscussFeed {
  private readonly pool: Pool;
  private readonly failed: (error: unknown) => void;
  private readonly followers = new Map<Follower, { dirty: boolean; reading: Promise<void> | null; gone: boolean }>();

  constructor(pool: Pool, failed: (error: unknown) => void) {
    this.pool = pool;
    this.failed = failed;
  }

  follow(follower: Follower): () => void {
    const state = { dirty: true, reading: null, gone: false };
    this.followers.set(follower, state);
    this.read(follower);
    return () => {
      state.gone = true;
      this.followers.delete(follower);
    };
  }
  /** Of this Workspace, or of any. */
  wake(workspaceId: string | null) {
    for (const follower of this.followers.keys())
      if (workspaceId === null || follower.bound.workspaceId === workspaceId) this.read(follower);
  }
  close = () => Promise.all([...this.followers.values()].map(({ reading }) => reading));

  private read(follower: Follower) {
    const state = this.followers.get(follower);
    if (!state) return;
    state.dirty = true;
    state.reading ??= (async () => {
      while (state.dirty && !state.gone) {
        state.dirty = false;
        const { bound, actorId, place } = follower;
        const changes = await inSnapshot(this.pool, bound.workspaceId ?? NIL, (tx) =>
          toldAfter(tx, actorId ?? NIL, place.position, PAGE),
        );
        const last = changes.at(-1);
        if (!last || state.gone) continue;
        state.dirty ||= changes.length === PAGE;
        follower.told({
          changes: changes.map(({ kind, id, revision, created }) => ({
            ...{ kind, id, revision, action: created ? "created" : "changed" },
          })),
          place: { ...place, position: last.sequence, at: new Date().toISOString() },
        });
      }
    })()
      .catch(this.failed)
      .finally(() => {
        state.reading = null;
      });
  }
}
