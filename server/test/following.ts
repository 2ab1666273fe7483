// Followers for tests: the real feed on the database of a test's service, and what it tells, gathered until everything
// that was committed has been told.
import { afterAll, beforeAll } from "vitest";
import type { Scope } from "../src/history/feed/rules.ts";
import { placeOf } from "../src/platform/database/journal.ts";
import { NIL, newId } from "../src/platform/wire/ids.ts";
import { createLog } from "../src/platform/wire/log.ts";
import { type Feed, openFeed, type RealtimeChange } from "../src/surfaces/realtime/feed.ts";
import { asTenant, type Person, type TestService } from "./world.ts";

export interface Following {
  changes: RealtimeChange[];
  resets: string[];
  /** Everything that was committed before has been told; what came since the last time. */
  settled(): Promise<RealtimeChange[]>;
  place: Awaited<ReturnType<typeof placeOf>>;
  leave(): void;
}
export interface FollowOptions {
  resourceId?: string;
  place?: Following["place"];
}
/** A fact that every member hears of, and that changes nothing. */
const MARK = `
insert into domain_events (workspace_id, id, command_id, type, resource_kind, resource_id)
values ($1, $2, $2, 'workspace.updated', 'mark', $2)`;

export function following(running: TestService) {
  let feed: Feed;
  beforeAll(() => {
    feed = openFeed(running.database, running.databaseUrl, createLog("error"));
  });
  afterAll(() => feed.close());

  const placeNow = (workspaceId: string) => asTenant(running, workspaceId, (tx) => placeOf(tx));

  async function follow(
    workspaceId: string,
    person: Person,
    scope: Scope,
    asked: FollowOptions = {},
  ): Promise<Following> {
    const { resourceId = null } = asked;
    const place = asked.place ?? (await placeNow(workspaceId));
    const heard: RealtimeChange[] = [];
    const resets: string[] = [];
    const marks = new Set<string>();
    let waiting = () => {};
    const by = (scope: Scope, resourceId: string | null, told: (changes: readonly RealtimeChange[]) => void) =>
      feed.follow({
        bound: { workspaceId, userId: person.userId, holderId: newId(), scope, resourceId },
        actorId: person.actorId,
        place,
        told({ changes, place }) {
          told(changes);
          found.place = place;
        },
        reset(reason) {
          if (resets.at(-1) !== reason) resets.push(reason);
          waiting();
        },
      });
    const own = by(scope, resourceId, (changes) => heard.push(...changes.filter(({ kind }) => kind !== "mark")));
    // Beside it, of the same person from the same place: whatever it is told, the other one has been told before.
    const mark = by("workspace", null, (changes) => {
      for (const { id } of changes) marks.delete(id);
      waiting();
    });
    async function settled() {
      const id = newId();
      marks.add(id);
      const told = new Promise<void>((resolve) => {
        waiting = () => (!marks.has(id) || resets.length > 0) && resolve();
      });
      waiting();
      await running.sql(MARK, [workspaceId, id], workspaceId);
      feed.wake(workspaceId);
      await told;
      return heard.splice(0);
    }
    const leave = () => {
      own();
      mark();
    };
    const found: Following = { changes: heard, resets, settled, place, leave };
    // A place may be behind what came before it, where somebody else is still writing.
    if (!asked.place) await settled();
    return found;
  }
  /** What is told of somebody's account, from now on. */
  async function followAccount(person: Person, scope: "account" | "account_security"): Promise<RealtimeChange[]> {
    const heard: RealtimeChange[] = [];
    const since = (await running.sql<{ at: string }>("select pg_snapshot_xmax(pg_current_snapshot())::text as at"))[0];
    feed.follow({
      bound: { workspaceId: null, userId: person.userId, holderId: newId(), scope, resourceId: null },
      actorId: null,
      place: { ...(await placeNow(NIL)), position: since?.at ?? "" },
      told: ({ changes }) => void heard.push(...changes),
      reset: () => {},
    });
    return heard;
  }
  return { follow, followAccount, placeNow, feed: () => feed };
}
