// Reads the journal of one Workspace for all its followers in this process: once, in pages, up to the position of the
// snapshot, and evaluates in the same snapshot what each of them may see. Followers that resume from further back catch
// up beside the live ones. The nil Workspace contains the accounts.
import { setTimeout as sleep } from "node:timers/promises";
import {
  type FeedEvent,
  gathered,
  heardIn,
  type Own,
  projectsOf,
  type RealtimeChange,
  type Scope,
  type Sight,
  scopeOfOwn,
  sightsIn,
  turnsSight,
} from "../../history/feed/rules.ts";
import {
  type FeedPage,
  inSnapshot,
  type Point,
  readOwn,
  readPage,
  readProjects,
  readStanding,
  readTasks,
} from "../../history/feed/store.ts";
import type { Pool, Queries } from "../../platform/database/db.ts";
import {
  type CursorBinding,
  type JournalPosition,
  proofOf,
  timelineOf,
  unprovedOf,
} from "../../platform/database/journal.ts";
import { NIL } from "../../platform/wire/ids.ts";

export interface FeedFollower {
  bound: CursorBinding;
  /** Actor of the member; null if only an account is followed. */
  actorId: string | null;
  /** Events after this place are delivered. */
  place: JournalPosition;
  /**
   * Delivers changes in order; `place` is that after the changes. An empty batch moves only the place. Followers that
   * see the same receive the same array, so that it can be serialised once for all of them.
   */
  told(batch: { changes: readonly RealtimeChange[]; place: JournalPosition }): void;
  /** The follower cannot continue from its place and has to start over. It receives nothing more. */
  reset(reason: string): void;
}

interface Entry {
  follower: FeedFollower;
  scope: Scope;
  /** Last event that was delivered to it. */
  at: Point;
  /** Timeline on which its place was last proved. */
  timeline: string;
  toldAt: number;
}

/** Rest as a multiple of the working time: it takes a third of a core at most, however much there is to read. */
const REST = 2;
const LONGEST_REST_MS = 100;
/** Delay before events that are held back are read again; it doubles each time. */
const HELD_MS = 2;
const LONGEST_HELD_MS = 250;
const AGAIN_MS = 250;
/** Interval at which a place without events is sent, so that a client that resumes has little to catch up with. */
const REFRESH_MS = 600_000;

/** Compares decimal numbers of any length, and ids. */
const order = (one: string, other: string) => one.length - other.length || (one < other ? -1 : one > other ? 1 : 0);
const orderOf = (one: Point, other: Point) => order(one.tx, other.tx) || order(one.id, other.id);

/** Visibility of a page's events for followers. */
interface Seen {
  own: Own[];
  sightOf(entry: Entry): Sight | null;
  /** Users who receive events that others with the same sight do not. */
  named: ReadonlySet<string>;
  hidden: readonly { id: string; seen_by: readonly string[] | null }[];
}
/** Result of one read. */
interface Found extends FeedPage, Seen {
  /** Position after the last event of the page. */
  end: Point;
  /** Followers whose places this database has not proved yet. */
  unproved?: Unproved;
}
interface Unproved {
  entries: readonly Entry[];
  /** Proofs that failed. */
  lost: ReadonlySet<string>;
}

export class Reader {
  private readonly pool: Pool;
  private readonly workspaceId: string;
  private readonly failed: (error: unknown) => void;
  private readonly live = new Set<Entry>();
  private readonly behind = new Set<Entry>();
  private dirty = false;
  private running: Promise<void> | null = null;
  private closed = false;
  private turn = 0;
  /** Position of the last snapshot. */
  private position = "";

  constructor(pool: Pool, workspaceId: string, failed: (error: unknown) => void) {
    this.pool = pool;
    this.workspaceId = workspaceId;
    this.failed = failed;
  }

  isEmpty = () => this.live.size + this.behind.size === 0;

  add(follower: FeedFollower): () => void {
    const at = { tx: follower.place.position, id: NIL };
    const timeline = timelineOf(follower.place);
    const entry = { follower, scope: follower.bound.scope as Scope, at, timeline, toldAt: Date.now() };
    this.behind.add(entry);
    this.wake();
    return () => this.drop(entry);
  }
  private drop(entry: Entry) {
    this.live.delete(entry);
    this.behind.delete(entry);
  }

  wake() {
    this.dirty = true;
    this.running ??= this.run().finally(() => {
      this.running = null;
      // A wake-up came while it ended.
      if (this.dirty && !this.closed) this.wake();
    });
  }
  /** The database failed, and another one may answer next: every place is proved again. */
  doubt() {
    for (const entry of [...this.live, ...this.behind]) entry.timeline = "";
  }
  async close() {
    this.closed = true;
    await this.running;
  }

  private async run() {
    // Followers that arrive in one tick share the first read.
    await null;
    let held = HELD_MS;
    while (!this.closed && (this.dirty || this.behind.size > 0)) {
      this.dirty = false;
      const began = performance.now();
      try {
        const before = this.position;
        const pending = await this.round();
        this.dirty ||= pending;
        // While others write, something is always held back; the delay grows only if the position does not move.
        const stuck = pending && before === this.position;
        held = stuck ? Math.min(2 * held, LONGEST_HELD_MS) : HELD_MS;
      } catch (error) {
        this.failed(error);
        this.dirty = true;
        await sleep(AGAIN_MS, null, { ref: false });
      }
      const rest = Math.min(REST * (performance.now() - began), LONGEST_REST_MS);
      await sleep(Math.max(rest, this.dirty ? held : 0), null, { ref: false });
    }
  }

  /**
   * Reads one page for lagging followers (alternating oldest and newest) and one for live ones. Returns whether
   * something is held back.
   */
  private async round(): Promise<boolean> {
    let pending = false;
    if (this.behind.size > 0) {
      const sorted = [...this.behind].sort((one, other) => orderOf(one.at, other.at));
      const from = (this.turn++ % 2 === 0 ? sorted[0] : sorted.at(-1)) as Entry;
      pending = await this.read(from.at, this.behind);
    }
    const [first, ...others] = this.live;
    if (!first) return pending;
    const least = others.reduce((least, { at }) => (orderOf(at, least) < 0 ? at : least), first.at);
    return (await this.read(least, this.live)) || pending;
  }

  private async read(from: Point, among: ReadonlySet<Entry>): Promise<boolean> {
    const entries = [...among].filter(({ at }) => orderOf(at, from) >= 0);
    const found = await this.find(from, entries);
    const { here, more, end, unproved } = found;
    if (unproved) {
      this.restart(unproved, here);
      return true;
    }
    const place = { epoch: here.epoch, position: end.tx, at: here.at, proof: here.proof };
    const alike = new Map<string, RealtimeChange[]>();
    for (const entry of entries) {
      // It left during the read, or its place is beyond this page.
      if (!among.has(entry) || orderOf(entry.at, end) > 0) continue;
      this.tell(entry, found, place, alike);
      entry.at = { tx: end.tx, id: end.id };
      if (!more && this.behind.delete(entry)) this.live.add(entry);
    }
    this.dirty ||= more;
    this.position = here.position;
    return here.pending;
  }

  /**
   * Continues each follower on another timeline, from the place that it last received; resets those that have seen lost
   * events.
   */
  private restart({ entries, lost }: Unproved, here: JournalPosition) {
    for (const entry of entries) {
      const { position, proof, epoch } = entry.follower.place;
      if (epoch !== here.epoch || lost.has(proof)) {
        this.drop(entry);
        entry.follower.reset("epoch_changed");
        continue;
      }
      // Transaction numbers that no surviving transaction has used are reused.
      entry.at = { tx: order(position, here.position) > 0 ? here.position : position, id: NIL };
      entry.timeline = timelineOf(here);
      if (this.live.delete(entry)) this.behind.add(entry);
    }
  }

  private tell(entry: Entry, found: Found, place: JournalPosition, alike: Map<string, RealtimeChange[]>) {
    const { follower, scope, at } = entry;
    const reset = (reason: string) => {
      this.drop(entry);
      follower.reset(reason);
    };
    if (follower.place.epoch !== place.epoch) return reset("epoch_changed");
    const sight = found.sightOf(entry);
    if (!sight) return reset("access_ended");
    const { bound } = follower;
    const isNamed = found.named.has(bound.userId) || found.named.has(follower.actorId ?? "");
    const fresh = found.events.filter((event) => orderOf(event, at) > 0);
    if (isNamed && fresh.some((event) => turnsSight(event, sight))) return reset("access_changed");
    const seen = found.hidden.map(({ id }) => (sight.saw(id) ? 1 : 0)).join("");
    const key = [scope, bound.resourceId, sight.manages, seen, isNamed && follower.actorId, at.tx, at.id].join(" ");
    let changes = alike.get(key);
    if (!changes) {
      changes = gathered(fresh.flatMap((event) => heardIn(scope, event, sight, bound.resourceId)));
      alike.set(key, changes);
    }
    const owner = scope === "inbox" ? follower.actorId : bound.userId;
    const own = found.own.filter(
      (change) => change.owner_id === owner && scopeOfOwn(change.kind) === scope && order(change.tx, at.tx) >= 0,
    );
    if (own.length > 0)
      changes = gathered([
        ...changes,
        ...own.map(({ kind, id, revision, action }) => ({ kind, id, revision, action })),
      ]);
    if (changes.length === 0 && Date.now() - entry.toldAt < REFRESH_MS) return;
    entry.toldAt = Date.now();
    follower.told({ changes, place });
  }

  private find(from: Point, entries: readonly Entry[]): Promise<Found> {
    return inSnapshot(this.pool, this.workspaceId, async (tx) => {
      const page = await readPage(tx, from);
      const { events, more, here } = page;
      const end = more ? (events.at(-1) as FeedEvent) : { tx: here.position, id: NIL };
      const unproved = entries.filter(
        ({ at, timeline }) => timeline !== timelineOf(here) || order(at.tx, here.position) > 0,
      );
      if (unproved.length > 0) {
        const proofs = new Set(unproved.map(({ follower }) => follower.place.proof));
        const lost = await unprovedOf(tx, [...proofs]);
        return { ...page, ...NOTHING, end, unproved: { entries: unproved, lost } };
      }
      const [proof, seen] = await Promise.all([
        more ? proofOf(tx, this.workspaceId, end.tx) : here.proof,
        this.workspaceId === NIL ? this.seeOwn(tx, from, entries) : this.seeEvents(tx, from, entries, page),
      ]);
      return { ...page, here: { ...here, proof }, end, ...seen };
    });
  }

  private async seeOwn(tx: Queries, from: Point, entries: readonly Entry[]): Promise<Seen> {
    const people = [...new Set(entries.map(({ follower }) => follower.bound.userId))];
    const own = await readOwn(tx, from.tx, null, people);
    return { ...NOTHING, own, sightOf: ({ follower }) => ({ ...BLIND, userId: follower.bound.userId }) };
  }

  private async seeEvents(tx: Queries, from: Point, entries: readonly Entry[], page: FeedPage): Promise<Seen> {
    const actors = [...new Set(entries.map(({ follower }) => follower.actorId ?? NIL))];
    const followedTasks = [...new Set(entries.flatMap(({ follower }) => follower.bound.resourceId ?? []))];
    const owners = entries.filter(({ scope }) => scope === "inbox").map(({ follower }) => follower.actorId ?? NIL);
    const { events, more, here } = page;
    const end = more ? (events.at(-1) as FeedEvent).tx : here.position;
    const ids = projectsOf(events);
    const any = events.length > 0;
    const [own, projects, standing, tasks] = await Promise.all([
      owners.length > 0 ? readOwn(tx, from.tx, end, owners) : [],
      any ? readProjects(tx, ids, actors) : [],
      any || owners.length > 0 ? readStanding(tx, actors) : [],
      any && followedTasks.length > 0 ? readTasks(tx, followedTasks) : [],
    ]);
    const sightIn = sightsIn({ projects, standing, tasks });
    const sightOf = ({ follower: { actorId, bound } }: Entry) => sightIn(actorId ?? NIL, bound.userId);
    const named = new Set(events.flatMap(({ owner_id, user_id }) => [owner_id ?? "", user_id ?? ""]).filter(Boolean));
    return { own, sightOf, named, hidden: projects.filter(({ open }) => !open) };
  }
}

/** Sight of a follower of an account alone, which sees no Workspace. */
const BLIND: Omit<Sight, "userId"> = {
  actorId: null,
  manages: false,
  sees: () => false,
  saw: () => false,
  projectOf: () => null,
};
const NOTHING: Seen = { own: [], sightOf: () => null, named: new Set(), hidden: [] };
