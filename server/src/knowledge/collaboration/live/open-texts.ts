// The texts open in this process: stored as they change, synchronized with the database and with other processes, and
// released when nobody edits them. A change is acknowledged once it is committed. Editors' access is checked
// repeatedly: whatever ends it also closes the socket.
import { setTimeout as sleep } from "node:timers/promises";
import { type Channel, openChannel } from "../../../platform/database/channel.ts";
import type { Database } from "../../../platform/database/db.ts";
import { processorClock } from "../../../platform/wire/limits/processor-time.ts";
import type { Log } from "../../../platform/wire/log.ts";
import { type EditingSession, standings } from "../access.ts";
import { isTooLarge, type Sealer } from "../checkpoint.ts";
import { type EditorPresence, letInFrame } from "../socket/frames.ts";
import type { EditorPeer, PendingChange } from "../socket/peer.ts";
import { type PresenceMessage, PresenceRelay } from "../socket/presence-relay.ts";
import { append, keeping, reading, readOn, readText, TENANT_HERE, type TextPlace } from "../store.ts";
import { compactStored, MANY, mergedOf, storeMerged } from "../yjs/compaction.ts";
import { mergedUpdate } from "../yjs/rich-text.ts";
import { IDLE, type IdleLimits, IdleTexts } from "./idle-texts.ts";
import { Text } from "./live-text.ts";
import { outlineOfStored } from "./outline.ts";

export interface EditingPace {
  /** Milliseconds without changes until a checkpoint, and the most between two checkpoints of a busy text. */
  calmMs: number;
  longestMs: number;
  /** Interval between access checks. */
  watchMs: number;
  /** Limits of the cache of idle texts. */
  idle: IdleLimits;
}
export const PACE: EditingPace = { calmMs: 30_000, longestMs: 600_000, watchMs: 400, idle: IDLE };
const AGAIN_MS = 100;
/** Changes that are stored together. For `last` see `mustFollow`. */
type Batch = { entry: Open; taken: PendingChange[]; last: number | null }[];

interface Open {
  text: Text;
  /** Timers of the next checkpoint; null if nothing awaits one. */
  calm: NodeJS.Timeout | null;
  longest: NodeJS.Timeout | null;
  /** Number of updates stored since the last compaction. */
  kept: number;
  learning: Promise<void> | null;
}

export class OpenTexts {
  readonly database: Database;
  readonly log: Log;
  private readonly sealer: Sealer;
  private readonly pace: EditingPace;
  private readonly channel: Channel;
  private readonly open = new Map<string, Promise<Open | undefined>>();
  private readonly ready = new Map<string, Open>();
  private readonly idle: IdleTexts<Open>;
  private readonly flushing = new Map<string, Promise<void>>();
  private readonly presences: PresenceRelay;
  private watching: Promise<void>;
  private closed = false;

  constructor(database: Database, url: string, sealer: Sealer, log: Log, pace: EditingPace) {
    this.database = database;
    this.sealer = sealer;
    this.log = log;
    this.pace = pace;
    this.idle = new IdleTexts(pace.idle);
    this.channel = openChannel(url, "collaboration", {
      heard: (message, process) => this.hear(message as unknown as PresenceMessage, process),
      left: (process) => {
        for (const { text } of this.ready.values()) text.takeBack(process);
      },
    });
    this.presences = new PresenceRelay(this.channel);
    this.watching = this.watch();
  }

  count = () => this.ready.size;

  // ---- opening and closing -----------------------------------------------------------------------------------

  /** Adds the peer to the text; undefined if the text does not exist. */
  async join(
    place: TextPlace,
    name: string,
    peer: EditorPeer,
    standing: EditingSession,
    charge: (ms: number) => void,
  ): Promise<Text | undefined> {
    for (;;) {
      const opening = this.open.get(place.targetId) ?? this.load(place, name, standing, charge);
      const entry = await opening;
      if (!entry) return undefined;
      // The text was released meanwhile.
      if (this.open.get(place.targetId) !== opening) continue;
      entry.text.mark ||= standing.mark;
      entry.text.peers.add(peer);
      this.channel.say({ text: place.targetId, asks: true });
      return entry.text;
    }
  }
  private load(place: TextPlace, name: string, standing: EditingSession, charge: (ms: number) => void) {
    const opening = this.woken(place, standing).then((entry) => entry ?? this.loaded(place, name, charge));
    this.open.set(place.targetId, opening);
    opening.then(
      (entry) => entry || this.open.delete(place.targetId),
      () => this.open.delete(place.targetId),
    );
    return opening;
  }
  /** Synchronizes the idle text with the database; undefined if there is none, or it cannot be reused. */
  private async woken(place: TextPlace, { mark, lastSeq }: EditingSession): Promise<Open | undefined> {
    const entry = this.idle.take(place.targetId);
    // After a restore, the database may be behind the text.
    if (!entry || lastSeq < entry.text.known) return undefined;
    const { text } = entry;
    if (mark !== text.mark) await this.sealer.takeIn(place);
    if (mark !== text.mark || lastSeq > text.known) {
      text.mark = mark;
      if (!(await this.readOnIn(entry))) return undefined;
    }
    this.ready.set(place.targetId, entry);
    return entry;
  }
  private async loaded(place: TextPlace, name: string, charge: (ms: number) => void): Promise<Open | undefined> {
    // A request may have written since the last editor left.
    await this.sealer.takeIn(place);
    const stored = await reading(this.database, place, (tx) => readText(tx, place));
    if (!stored) return undefined;
    const updates = stored.updates.map(({ data }) => data as Uint8Array);
    const merged = updates.length > MANY ? mergedUpdate(updates) : null;
    if (merged) await storeMerged(this, place, stored, merged);
    const all = [stored.state, ...(merged ? [merged] : updates)];
    const outline = await outlineOfStored(place.workspaceId, all);
    const [began, processorTime] = [performance.now(), processorClock()];
    const text = new Text(place, name, all, stored.lastSeq, outline);
    charge(outline?.processorMs ?? processorTime(performance.now() - began));
    const entry: Open = { text, calm: null, longest: null, kept: all.length - 1, learning: null };
    if (updates.length > 0) this.unsealed(entry);
    this.ready.set(place.targetId, entry);
    return entry;
  }
  leave(text: Text, peer: EditorPeer) {
    if (!text.peers.delete(peer)) return;
    this.relay(text, text.takeBack(peer));
    if (text.peers.size === 0) void this.letGo(text);
  }
  private async letGo(text: Text) {
    const { targetId } = text.place;
    await this.flush(text);
    const entry = this.ready.get(targetId);
    if (!entry || entry.text !== text) return;
    if (entry.longest !== null && !text.hasOthersElsewhere()) await this.seal(entry);
    // Meanwhile another call may have released the text, and the next editor loaded it again.
    if (this.ready.get(targetId) !== entry || text.peers.size > 0 || text.pending.length > 0) return;
    this.calmed(entry);
    this.ready.delete(targetId);
    this.open.delete(targetId);
    this.idle.add(entry);
  }

  // ---- storing -----------------------------------------------------------------------------------------------

  /** Must be called after a change was accepted. */
  changed(text: Text) {
    void this.flush(text);
  }
  /**
   * Schedules a checkpoint of stored updates. Must be called after they are stored and not before: a concurrent
   * checkpoint includes only what was stored until it read.
   */
  private unsealed(entry: Open) {
    clearTimeout(entry.calm ?? undefined);
    entry.calm = setTimeout(() => this.seal(entry), this.pace.calmMs);
    entry.longest ??= setTimeout(() => this.seal(entry), this.pace.longestMs);
  }
  private calmed(entry: Open) {
    clearTimeout(entry.calm ?? undefined);
    clearTimeout(entry.longest ?? undefined);
    entry.calm = null;
    entry.longest = null;
  }
  private async seal(entry: Open) {
    this.calmed(entry);
    if (this.closed) return;
    entry.kept = 0;
    await this.sealer.seal(entry.text.place).catch((error) => {
      const { targetId } = entry.text.place;
      if (isTooLarge(error)) this.log.info({ target_id: targetId }, "a text is too large to be written down");
      else this.log.error({ err: error, target_id: targetId }, "a text was not written down");
    });
    await this.learn(entry);
  }

  /** Stores all pending changes of a Workspace together, in rounds. Ends when nothing is pending. */
  private flush({ place: { workspaceId } }: Text): Promise<void> {
    const running = this.flushing.get(workspaceId);
    if (running) return running;
    const flushing = this.flushAll(workspaceId).finally(() => this.flushing.delete(workspaceId));
    this.flushing.set(workspaceId, flushing);
    return flushing;
  }
  private async flushAll(workspaceId: string): Promise<void> {
    for (;;) {
      // Changes of the same turn of the event loop share one commit.
      await new Promise((resolve) => setImmediate(resolve));
      const waiting = [...this.ready.values()]
        .filter(({ text }) => text.place.workspaceId === workspaceId && text.pending.length > 0)
        .sort((one, other) => (one.text.place.targetId < other.text.place.targetId ? -1 : 1));
      if (waiting.length === 0) return;
      let batch: Batch = [];
      try {
        await Promise.all(waiting.filter(({ text }) => text.isOverfull).map(this.restore));
        // Stores only what fits with all that the text knows; nothing if another process has stored more since.
        batch = waiting
          .filter(({ text }) => !text.isOverfull)
          .map((entry) => ({ entry, taken: entry.text.pending.splice(0), last: entry.text.mustFollow }));
        await this.keep(workspaceId, batch);
      } catch (error) {
        // Nothing of the batch was acknowledged. Storing an update twice is harmless.
        for (const { entry, taken } of batch) entry.text.pending.unshift(...taken);
        this.log.warn(
          { err: error, workspace_id: workspaceId },
          "updates of texts were not kept; they are tried again",
        );
        if (this.closed) return;
        await sleep(AGAIN_MS);
      }
    }
  }
  private async keep(workspaceId: string, batch: Batch): Promise<void> {
    const changing = batch.filter(({ taken }) => taken.some(({ update }) => update !== null));
    const added =
      changing.length === 0
        ? []
        : await keeping(this.database, { workspaceId }, (tx) =>
            Promise.all(
              changing.map(({ entry: { text }, taken, last }) => append(tx, text.place, ...mergedOf(taken), last)),
            ),
          );
    const numbers = new Map(changing.map(({ entry }, at) => [entry, added[at] as (typeof added)[number]]));
    for (const { entry, taken } of batch) {
      const number = numbers.get(entry);
      if (number === null) for (const peer of entry.text.peers) peer.close("gone");
      else if (number === "overtaken") {
        // Another process has appended to a large text: the next round stores what still fits.
        entry.text.pending.unshift(...taken);
        await this.catchUp(entry.text);
      } else {
        if (number !== undefined) this.numbered(entry, number);
        for (const each of taken) each.kept();
      }
    }
  }
  private restore = async ({ text }: Open): Promise<void> => {
    const { known } = text;
    const stored = await reading(this.database, text.place, (tx) => readText(tx, text.place));
    // If the text is gone, the next attempt to store finds that.
    if (!stored) text.isOverfull = false;
    // The text received more updates meanwhile: the next round reads again.
    else if (text.known === known || stored.lastSeq >= text.known)
      text.restore([stored.state, ...stored.updates.map(({ data }) => data)], stored.lastSeq, text.pending.splice(0));
  };
  private numbered(entry: Open, number: number) {
    const { text } = entry;
    this.channel.say({ text: text.place.targetId, number });
    this.unsealed(entry);
    if (number === text.known + 1) text.known = number;
    else void this.learn(entry);
    if (++entry.kept <= MANY) return;
    entry.kept = 0;
    void compactStored(this, text.place);
  }

  // ---- changes of others -------------------------------------------------------------------------------------

  /** Reads new updates from the database. */
  private learn(entry: Open): Promise<void> {
    entry.learning ??= this.learned(entry)
      .catch((error) => this.log.warn({ err: error }, "what others wrote was not read"))
      .finally(() => {
        entry.learning = null;
      });
    return entry.learning;
  }
  private async learned(entry: Open) {
    if (!(await this.readOnIn(entry))) for (const peer of entry.text.peers) peer.close("gone");
  }
  /** Returns false if the text is gone. */
  private async readOnIn(entry: Open): Promise<boolean> {
    const { text } = entry;
    const news = await reading(this.database, text.place, (tx) => readOn(tx, text.place, text.known));
    if (!news) return false;
    if (text.learn(news.updates)) this.unsealed(entry);
    text.known = Math.max(text.known, news.lastSeq);
    if (news.updates.length > MANY) void compactStored(this, text.place);
    return true;
  }

  /** Reads new updates, retrying until the database answers. */
  async catchUp(text: Text): Promise<void> {
    for (;;) {
      const entry = this.ready.get(text.place.targetId);
      if (entry?.text !== text || this.closed) return;
      try {
        return await this.learned(entry);
      } catch (error) {
        this.log.warn({ err: error }, "a text that another process may have changed was not read; it is read again");
        await sleep(AGAIN_MS);
      }
    }
  }

  private hear({ text: targetId, number, asks, presences }: PresenceMessage, process: string) {
    const entry = this.ready.get(targetId);
    if (!entry) return;
    if (number !== undefined && number > entry.text.known) void this.learn(entry);
    if (presences) entry.text.tell(presences, process);
    if (asks) this.relay(entry.text, entry.text.presentHere());
  }
  /** Sends presences to the other processes. */
  relay = ({ place: { targetId } }: Text, presences: readonly EditorPresence[]) =>
    this.presences.tell(targetId, presences);

  // ---- access ------------------------------------------------------------------------------------------------

  private async watch(): Promise<void> {
    while (!this.closed) {
      await sleep(this.pace.watchMs, undefined, { ref: false });
      await this.look().catch((error) => this.log.warn({ err: error }, "nobody's rights were looked at"));
    }
  }
  private async look(): Promise<void> {
    const byWorkspace = new Map<string, Open[]>();
    for (const entry of this.ready.values()) {
      const { workspaceId } = entry.text.place;
      const entries = byWorkspace.get(workspaceId);
      if (entries) entries.push(entry);
      else byWorkspace.set(workspaceId, [entry]);
    }
    if (byWorkspace.size === 0) return;
    await this.database.reader.use(async (tx) => {
      const asked = [...byWorkspace].map(async ([workspaceId, entries]) => {
        // Peers who join during the query are not in its result.
        const peers = new Set(entries.flatMap(({ text }) => [...text.peers]));
        const ids = [...new Set([...peers].map(({ sessionId }) => sessionId))];
        const [, found] = await Promise.all([tx.rows(TENANT_HERE, [workspaceId]), standings(tx, workspaceId, ids)]);
        this.judge(entries, peers, found);
      });
      await Promise.all(asked);
    });
  }
  private judge(entries: readonly Open[], peers: ReadonlySet<EditorPeer>, found: readonly EditingSession[]) {
    const bySession = new Map(found.map((standing) => [standing.id, standing]));
    const byTarget = new Map(found.map((standing) => [standing.targetId, standing]));
    for (const entry of entries) {
      const { text } = entry;
      const now = byTarget.get(text.place.targetId);
      for (const peer of text.peers) {
        if (!peers.has(peer)) continue;
        const standing = bySession.get(peer.sessionId);
        if (!standing) peer.close("forbidden");
        else if (standing.writes !== peer.writes) {
          peer.writes = standing.writes;
          peer.send(letInFrame(text.name, peer.writes));
        }
      }
      if (!now) continue;
      if (now.mark !== text.mark) void this.takenIn(entry, now.mark);
      else if (now.lastSeq > text.known) void this.learn(entry);
    }
  }

  /** Merges what a request wrote. A failure is retried after the next check, because the mark differs again. */
  private async takenIn(entry: Open, mark: string): Promise<void> {
    const { text } = entry;
    const before = text.mark;
    text.mark = mark;
    try {
      await this.sealer.takeIn(text.place);
    } catch (error) {
      if (text.mark === mark) text.mark = before;
      this.log.warn({ err: error }, "what a request wrote was not taken in; it is tried again");
      return;
    }
    await this.learn(entry);
  }

  /** Stores pending changes, and tells all editors to reconnect. */
  async close(): Promise<void> {
    this.closed = true;
    for (const { text } of this.ready.values()) await this.flush(text);
    for (const entry of this.ready.values()) {
      this.calmed(entry);
      for (const peer of entry.text.peers) peer.close("restarting");
    }
    this.ready.clear();
    this.open.clear();
    this.idle.clear();
    await Promise.all([this.watching, this.channel.close(), ...this.flushing.values()]);
  }
}
