// A live text in this process: accepts changes of its editors, validates and broadcasts them, and collects them for
// storage. It is in memory only; its owner acknowledges changes after storing them (see open-texts.ts). An invalid
// change leaves no trace: the text is rebuilt from the valid ones. A change past the size limit is refused, and its
// author stays connected.
import * as Y from "yjs";
import { type DocUpdate, decoded, deletionsOf, isMissing, knownOf, Misfit, newLength, type Struct } from "../change.ts";
import {
  answerFrame,
  askFrame,
  type EditorPresence,
  presenceFrame,
  refusedFrame,
  takenFrame,
  updateFrame,
} from "../socket/frames.ts";
import type { EditorPeer, PendingChange } from "../socket/peer.ts";
import { userOf } from "../socket/presence-user.ts";
import type { TextPlace } from "../store.ts";
import { docOf, mergedUpdate, partOf } from "../yjs/rich-text.ts";
import { misfit } from "../yjs/schema-check.ts";
import { isLarge, outgrows, sizeAfter, sizeOf, sizeWith, type TextSize } from "../yjs/text-size.ts";
import type { Outline } from "./outline.ts";

/** Clients of a refused change, each with the clock from which on the text has nothing of it. */
type Refused = Record<number, number>;

/** Number of changes of a peer that may wait for those that they build on. */
const MOST_EARLY = 600;
/** Number of cached answers to state requests, which are equal until the next change. */
const MOST_ANSWERS = 8;
/** Number of changes stored one by one for rebuilding; beyond it they are merged. */
const MOST_REMEMBERED = 500;
/**
 * Batching of broadcasts, one frame per peer: within one turn of the event loop for few peers, and with this delay per
 * peer for many. Otherwise a hundred people typing twice a second would cause 20,000 frames a second, and a process
 * without time for them would never catch up.
 */
const TELL = { eachMs: 0.2, fewMs: 2, mostMs: 50 };
/** Length of one presence as JSON. */
const MOST_PRESENCE = 4096;
const NOTHING: TextSize = { characters: 0, elements: 0, marks: 0 };
/** Number of Yjs clients per socket: tabs of one browser that share it. */
const MOST_CLIENTS = 8;

export class Text {
  readonly place: TextPlace;
  readonly name: string;
  readonly peers = new Set<EditorPeer>();
  pending: PendingChange[] = [];
  /** Whether stored updates of others and the pending ones may exceed a limit: `restore` must run before a store. */
  isOverfull = false;
  /** Sequence number of the last persisted update applied here. */
  known: number;
  /** The last revision mark read from the database. */
  mark = "";
  /** Decoded lazily if the outline was known. */
  private decoded: Y.Doc | null = null;
  /** Key of the outline's deletions. */
  private deletions = "";
  private good: Uint8Array[];
  /** Updates of one change: Yjs emits another one if it removes formatting that the change made redundant. */
  private emitted: Uint8Array[] = [];
  private fault: string | null = null;
  private size!: TextSize;
  private grown!: TextSize;
  /** Number of times that the state was encoded. */
  encodings = 0;
  /** Cached answers to state requests, valid until the next change. */
  private readonly answers = new Map<string, Uint8Array>();
  private vectorNow: Uint8Array | null = null;
  private snapshot: Y.Snapshot | null = null;
  private readonly presences = new Map<number, EditorPresence & { from: EditorPeer | string }>();
  /** Not broadcast yet: changes with their authors, and presences. */
  private changes: { update: Uint8Array; from: EditorPeer | null }[] = [];
  private readonly moves = new Map<number, EditorPresence>();

  constructor(place: TextPlace, name: string, updates: Uint8Array[], known: number, outline: Outline | null = null) {
    this.place = place;
    this.name = name;
    this.known = known;
    this.good = outline ? [outline.update] : updates;
    if (outline) {
      [this.size, this.vectorNow] = [outline.size, outline.vector];
      this.deletions = outline.deletions;
    } else this.rebuild();
  }

  private get doc(): Y.Doc {
    return this.decoded ?? this.rebuild();
  }
  private rebuild(): Y.Doc {
    this.decoded?.destroy();
    const doc = docOf(...this.good);
    this.decoded = doc;
    // Declares the type of the part, which items then refer to as their parent.
    partOf(doc);
    this.forget();
    this.size = sizeOf(doc);
    doc.on("afterTransaction", (transaction) => {
      this.fault ??= misfit(transaction);
      this.grown = sizeAfter(this.grown, transaction);
    });
    doc.on("update", (update) => {
      this.emitted.push(update);
      this.forget();
    });
    return doc;
  }
  private forget() {
    this.answers.clear();
    this.vectorNow = null;
    this.snapshot = null;
  }

  get vector() {
    this.vectorNow ??= Y.encodeStateVector(this.doc);
    return this.vectorNow;
  }
  /** Returns the frame with everything missing in a state. Encoding takes up to 40 ms, so equal answers are cached. */
  answerTo(vector: Uint8Array): Uint8Array {
    const known = knownOf(vector, this.vector);
    const key = JSON.stringify([...known].sort(([one], [other]) => one - other));
    let frame = this.answers.get(key);
    if (!frame) {
      frame = answerFrame(this.name, this.missingIn(known));
      if (this.answers.size >= MOST_ANSWERS) this.answers.clear();
      this.answers.set(key, frame);
    }
    return frame;
  }

  private missingIn(known: Map<number, number>): Uint8Array {
    const [stored] = this.good;
    if (!this.decoded && stored && known.size === 0) return stored;
    this.encodings++;
    return Y.encodeStateAsUpdate(this.doc, Y.encodeStateVector(known));
  }

  /**
   * Accepts a change of a peer and broadcasts it; refuses one that exceeds the limit or builds on a refused one.
   * Returns whether it was accepted. If the text may lack stored updates of another process, a change past the limit
   * may already be stored, so it is not refused: "unsure" tells the caller to read on first.
   */
  take(peer: EditorPeer, update: Uint8Array, answers: boolean, kept: () => void, isCurrent = true): boolean | "unsure" {
    const change = decoded(update);
    this.requireOwn(peer, change.structs, answers);
    const isEmpty = this.isKnown(change);
    if (!isEmpty && isMissing(change, this.doc)) {
      if (peer.refused) return this.refuse(peer, change, answers);
      if (answers || peer.settled || peer.early.length >= MOST_EARLY)
        throw new Misfit("it builds on what was never sent");
      // Typed while the socket was opening: the missing items come with the answer to the server's request.
      peer.early.push(kept);
      return true;
    }
    const news = isEmpty ? null : this.overflows(change) ? "too large" : this.apply(update);
    if (news === "too large") return isCurrent ? this.refuse(peer, change, answers, true) : "unsure";
    if (answers) {
      peer.settled = true;
      peer.refused = false;
    }
    const early = answers ? peer.early.splice(0) : [];
    const all = () => {
      for (const each of [kept, ...early]) each();
    };
    this.pending.push({ update: news, sent: update, peer, kept: all });
    if (news) this.pass(news, peer);
    return true;
  }
  /** Whether an undecoded text has all of a change. An editor first answers with the deletions that it was sent. */
  private isKnown(change: DocUpdate): boolean {
    if (this.decoded || change.structs.length > 0) return false;
    return change.ds.clients.size === 0 || deletionsOf(change) === this.deletions;
  }
  /**
   * Sends one refusal to the author; later changes that build on it are refused silently. The refusal names changes of
   * others only if the text is `current`: the editor deletes them, and another process may have stored them since the
   * text was read.
   */
  private refuse(peer: EditorPeer, change: DocUpdate, always: boolean, isCurrent = false): false {
    if (always || !peer.refused) this.tellRefused(peer, change, (client) => isCurrent || peer.clients.has(client));
    peer.refused = true;
    peer.send(takenFrame(this.name, false));
    return false;
  }

  /** Sequence number that the next update of a large text must follow: another process may append too. Else null. */
  get mustFollow() {
    return isLarge(this.size) ? this.known : null;
  }
  /**
   * Rebuilds the text from stored updates, and reapplies pending changes as far as they fit. Refuses the others, and
   * requests from every peer what the text lacks, because all of them have received those changes.
   */
  restore(stored: Uint8Array[], known: number, taken: readonly PendingChange[]): void {
    this.tellAll();
    const { vector } = this;
    this.good = stored;
    this.known = known;
    this.isOverfull = false;
    this.rebuild();
    this.pass(Y.encodeStateAsUpdate(this.doc, vector), null);
    this.pending = taken.flatMap((each) => this.retake(each) ?? []);
    for (const peer of this.peers) {
      peer.settled = false;
      peer.refused = true;
      peer.send(askFrame(this.name, this.vector));
    }
  }
  private fitted(change: DocUpdate, update: Uint8Array): Uint8Array | null | "too large" {
    try {
      return isMissing(change, this.doc) || this.overflows(change) ? "too large" : this.apply(update);
    } catch {
      return "too large";
    }
  }
  /** Reapplies the change as sent: a change without news may repeat one that was not stored. */
  private retake(taken: PendingChange): PendingChange | null {
    const change = decoded(taken.sent);
    const update = this.fitted(change, taken.sent);
    if (update !== "too large") return { ...taken, update };
    this.refuse(taken.peer, change, false);
    return null;
  }
  /**
   * Reports to a reader whether the text has all that the reader has. The reader must delete changes that were refused
   * after their broadcast, because their author may have left.
   */
  compare(peer: EditorPeer, update: Uint8Array): void {
    const isStored = this.has(update);
    if (!isStored && peer.refused) this.tellRefused(peer, decoded(update), (client) => !peer.clients.has(client));
    peer.refused = false;
    peer.send(takenFrame(this.name, isStored));
  }
  /** Whether a change has items that the text lacks and that the peer did not write on this socket. */
  bringsOthers(peer: EditorPeer, update: Uint8Array): boolean {
    return decoded(update).structs.some((struct) => this.isNew(struct) && !peer.clients.has(struct.id.client));
  }
  /** Applies updates that another process stored. */
  learn(updates: readonly Uint8Array[]): boolean {
    const change = updates.length === 0 ? null : this.apply(mergedUpdate(updates), true);
    if (!(change instanceof Uint8Array)) return false;
    this.isOverfull ||= outgrows(this.size, NOTHING);
    this.pass(change, null);
    return true;
  }
  /** Whether the text has all of an update. */
  has(update: Uint8Array): boolean {
    this.snapshot ??= Y.snapshot(this.doc);
    return Y.snapshotContainsUpdate(this.snapshot, update);
  }

  /** Returns the new part of an update, or null. An update that is invalid (throws) or past the limit has no effect. */
  private apply(update: Uint8Array, kept = false): Uint8Array | null | "too large" {
    this.emitted = [];
    this.fault = null;
    this.grown = this.size;
    try {
      Y.applyUpdate(this.doc, update);
      const { pendingStructs, pendingDs } = this.doc.store;
      if (pendingStructs || pendingDs) this.fault ??= "it builds on what was never sent";
    } catch (error) {
      this.fault = (error as Error).message;
    }
    const fault: string | null = this.fault;
    const tooLarge = fault === null && outgrows(this.grown, this.size);
    if (!kept && (fault !== null || tooLarge)) {
      this.rebuild();
      if (fault !== null) throw new Misfit(fault);
      return "too large";
    }
    this.size = this.grown;
    const change = this.emitted.length === 0 ? null : mergedUpdate(this.emitted);
    if (change) this.remember(change);
    return change;
  }
  private remember(change: Uint8Array) {
    this.good.push(change);
    if (this.good.length > MOST_REMEMBERED) this.good = [Y.encodeStateAsUpdate(this.doc)];
  }
  /** Whether a change without deletions exceeds a limit, which is computed without applying it. */
  private overflows(change: DocUpdate): boolean {
    return change.ds.clients.size === 0 && outgrows(sizeWith(this.size, change, this.doc), this.size);
  }
  private isNew = (struct: Struct) => newLength(struct, this.doc) > 0;
  private tellRefused(peer: EditorPeer, { structs }: DocUpdate, isTold: (client: number) => boolean): void {
    const clients = new Set(structs.filter(this.isNew).map(({ id }) => id.client));
    const refused: Refused = {};
    for (const client of clients) if (isTold(client)) refused[client] = Y.getState(this.doc.store, client);
    if (Object.keys(refused).length > 0) peer.send(refusedFrame(this.name, "document_too_large", refused));
  }
  /**
   * A Yjs client belongs to one person: of two changes under the same client and clock, one is lost. A peer may resend
   * what another wrote and this process lost in a crash, but not once its author is here and has sent everything.
   */
  private requireOwn(peer: EditorPeer, structs: readonly Struct[], answers: boolean): void {
    for (const { id } of structs.filter(this.isNew)) {
      for (const other of this.peers)
        if (other.settled && other.actorId !== peer.actorId && other.clients.has(id.client))
          throw new Misfit("it is written under another's name");
      if (!answers && peer.clients.size < MOST_CLIENTS) peer.clients.add(id.client);
    }
  }

  // ---- broadcasting ------------------------------------------------------------------------------------------

  private pass(update: Uint8Array, from: EditorPeer | null) {
    this.soon();
    this.changes.push({ update, from });
  }
  private soon() {
    if (this.changes.length > 0 || this.moves.size > 0) return;
    const ms = Math.min(TELL.mostMs, this.peers.size * TELL.eachMs);
    if (ms < TELL.fewMs) setImmediate(this.tellAll);
    else setTimeout(this.tellAll, ms);
  }
  private readonly tellAll = () => {
    const changes = this.changes.splice(0);
    const [first] = changes;
    if (first) {
      const update = mergedUpdate(changes.map((change) => change.update));
      // A sole author does not receive its own changes; in a batch of several authors, one's own changes are no news.
      const author = changes.every(({ from }) => from === first.from) ? first.from : null;
      this.broadcast(updateFrame(this.name, update), author);
    }
    if (this.moves.size > 0) this.broadcast(presenceFrame(this.name, [...this.moves.values()]), null);
    this.moves.clear();
  };
  private broadcast(frame: Uint8Array, but: EditorPeer | null) {
    for (const peer of this.peers) if (peer !== but) peer.send(frame);
  }

  // ---- presence ----------------------------------------------------------------------------------------------

  /** Filters the presences of a peer: sets the user, and drops presences of other people's clients. */
  say(peer: EditorPeer, said: readonly EditorPresence[]): EditorPresence[] {
    const own = said.flatMap(({ client, clock, state }) => {
      const known = this.presences.get(client);
      if (this.isAnothers(peer, client)) return [];
      if (known && known.clock > clock) return [];
      if (!known && peer.clients.size >= MOST_CLIENTS && !peer.clients.has(client)) return [];
      peer.clients.add(client);
      const told = state === null ? null : { user: userOf(peer), cursor: state.cursor ?? null };
      if (JSON.stringify(told).length > MOST_PRESENCE) return [];
      return [{ client, clock, state: told }];
    });
    this.tell(own, peer);
    return own;
  }
  /** The client of the same person may belong to its previous socket, which is dead but not closed yet. */
  private isAnothers(peer: EditorPeer, client: number) {
    for (const other of this.peers) if (other.actorId !== peer.actorId && other.clients.has(client)) return true;
    const from = this.presences.get(client)?.from;
    return typeof from === "object" && from.actorId !== peer.actorId;
  }
  /** Queues presences for all peers, including their author. */
  tell(presences: readonly EditorPresence[], from: EditorPeer | string) {
    if (presences.length === 0) return;
    this.soon();
    for (const presence of presences) {
      this.moves.set(presence.client, presence);
      if (presence.state === null) this.presences.delete(presence.client);
      else this.presences.set(presence.client, { ...presence, from });
    }
  }
  /** Removes the presences of a peer that left, under their last clock: if it returns, it counts on from there. */
  takeBack(from: EditorPeer | string): EditorPresence[] {
    const gone = [...this.presences.values()]
      .filter((presence) => presence.from === from)
      .map(({ client, clock }) => ({ client, clock, state: null }));
    this.tell(gone, from);
    return gone;
  }
  /** Presences of everybody in the text. */
  present = (): EditorPresence[] =>
    [...this.presences.values()].map(({ client, clock, state }) => ({ client, clock, state }));
  /** Presences of editors connected to this process. */
  presentHere = (): EditorPresence[] =>
    [...this.presences.values()]
      .filter(({ from }) => typeof from !== "string")
      .map(({ client, clock, state }) => ({ client, clock, state }));
  /** Forgets all presences: nobody notifies a text without peers that an editor elsewhere has left. */
  rest() {
    this.presences.clear();
    this.moves.clear();
  }
  /** Number of structs and bytes in memory. */
  get extent() {
    let structs = 0;
    for (const each of this.decoded?.store.clients.values() ?? []) structs += each.length;
    const all = [...this.good, ...this.answers.values()];
    return { structs, bytes: all.reduce((sum, { length }) => sum + length, 0) };
  }
  hasOthersElsewhere = () => [...this.presences.values()].some(({ from }) => typeof from === "string");
}

/** Estimated memory of a Yjs struct with its ids and content. */
const STRUCT_BYTES = 200;
export const weightOf = ({ extent: { structs, bytes } }: Text) => structs * STRUCT_BYTES + bytes;
