// One text as the people who are in it here write it: takes their changes, checks them, passes them on, and says what is to be kept. It is in memory only;
// what is acknowledged was kept before, which is its owner's work (see texts.ts). A change that does not fit leaves no trace: the text is made anew
// from those that did.
import * as Y from "yjs";
import { MOST_CHARACTERS, MOST_ELEMENTS, misfit, sizeOf } from "./fitting.ts";
import { type Presence, presenceFrame, updateFrame } from "./frames.ts";
import { docOf, mergedUpdate, partOf } from "./rich-text.ts";
import type { Place } from "./store.ts";

/** Somebody at a socket who was let in. */
export interface Peer {
  sessionId: string;
  actorId: string;
  name: string;
  writes: boolean;
  /** The clients of Yjs that it speaks for. */
  clients: Set<number>;
  /** It has told all that it has: from then on nobody else tells anything of its clients. */
  settled: boolean;
  send(frame: Uint8Array): void;
  close(reason: keyof typeof CLOSED): void;
}

/** Why a socket is closed: the code that it is told. */
export const CLOSED = {
  invalid: 4400,
  unauthorized: 4401,
  forbidden: 4403,
  gone: 4404,
  timeout: 4408,
  too_large: 4413,
  rate_limited: 4429,
  unavailable: 1013,
  restarting: 1012,
} as const;

/** What was taken and is not kept yet, and whom to tell once it is. */
export interface Taken {
  update: Uint8Array | null;
  actorId: string;
  kept(): void;
}

export class Misfit extends Error {
  readonly reason: "invalid" | "too_large";
  constructor(reason: "invalid" | "too_large", message: string) {
    super(message);
    this.reason = reason;
  }
}

/** So many changes are remembered one by one, to make the text anew; then they are one. */
const MOST_REMEMBERED = 500;
/**
 * What comes in the meantime is told together, a frame to each: in one turn of the event loop where few are in the text, and in so many ms for each of them where
 * many are. A hundred who type twice a second would otherwise be 20,000 frames a second, and a process that has no time for them would fall behind for good.
 */
const TELL = { eachMs: 0.2, fewMs: 2, mostMs: 50 };
/** Of one presence, as JSON. */
const MOST_PRESENCE = 4096;
/** Tabs of one browser that share a socket. */
const MOST_CLIENTS = 8;

export class Text {
  readonly place: Place;
  readonly name: string;
  readonly peers = new Set<Peer>();
  pending: Taken[] = [];
  /** Number of the last update that is in it, of all that are kept. */
  known: number;
  /** As the database had them when it was last looked at. */
  mark = "";
  private doc!: Y.Doc;
  private good: Uint8Array[];
  private emitted: Uint8Array | null = null;
  private fault: string | null = null;
  private grown = 0;
  private characters = 0;
  private readonly presences = new Map<number, Presence & { from: Peer | string }>();
  /** What is not told yet: what was changed and by whom, and who is where. */
  private changes: { update: Uint8Array; from: Peer | null }[] = [];
  private readonly moves = new Map<number, Presence>();

  constructor(place: Place, name: string, updates: Uint8Array[], known: number) {
    this.place = place;
    this.name = name;
    this.known = known;
    this.good = updates;
    this.rebuild();
  }

  private rebuild() {
    this.doc?.destroy();
    this.doc = docOf(...this.good);
    this.characters = sizeOf(partOf(this.doc)).characters;
    this.doc.on("afterTransaction", (transaction) => {
      this.fault ??= misfit(transaction);
    });
    this.doc.on("update", (update) => {
      this.emitted = update;
    });
  }

  get vector() {
    return Y.encodeStateVector(this.doc);
  }
  /** What is missing in a state. */
  since = (vector: Uint8Array) => Y.encodeStateAsUpdate(this.doc, vector);

  /** Takes a change of a peer and passes it on. */
  take(peer: Peer, update: Uint8Array, answers: boolean, kept: () => void): void {
    this.requireOwn(peer, update, answers);
    const change = this.apply(update);
    this.pending.push({ update: change, actorId: peer.actorId, kept });
    if (change) this.pass(change, peer);
  }
  /** What was kept elsewhere. */
  learn(updates: readonly Uint8Array[]): boolean {
    const change = updates.length === 0 ? null : this.apply(mergedUpdate(updates), true);
    if (change) this.pass(change, null);
    return change !== null;
  }
  /** Whether there is nothing new in it. */
  has(update: Uint8Array): boolean {
    return Y.snapshotContainsUpdate(Y.snapshot(this.doc), update);
  }

  /** What of it was new, or null. Throws where it does not fit, and then nothing has happened; what is kept was looked at before it was. */
  private apply(update: Uint8Array, kept = false): Uint8Array | null {
    this.emitted = null;
    this.fault = null;
    try {
      Y.applyUpdate(this.doc, update);
      const { pendingStructs, pendingDs } = this.doc.store;
      if (pendingStructs || pendingDs) this.fault ??= "it builds on what was never sent";
    } catch (error) {
      this.fault = (error as Error).message;
    }
    const tooLarge = this.fault === null && this.isTooLarge(update.length);
    if (!kept && (this.fault !== null || tooLarge)) {
      const fault: string | null = this.fault;
      this.rebuild();
      throw new Misfit(tooLarge ? "too_large" : "invalid", fault ?? "the text is too long");
    }
    const change: Uint8Array | null = this.emitted;
    if (change) this.remember(change);
    return change;
  }
  private remember(change: Uint8Array) {
    this.good.push(change);
    if (this.good.length > MOST_REMEMBERED) this.good = [Y.encodeStateAsUpdate(this.doc)];
  }
  /** Counted anew only once as much has come as was still allowed. What makes a long text shorter is taken. */
  private isTooLarge(bytes: number): boolean {
    this.grown += bytes;
    if (this.characters + this.grown <= MOST_CHARACTERS) return false;
    const before = this.characters;
    const { characters, elements } = sizeOf(partOf(this.doc));
    this.characters = characters;
    this.grown = 0;
    return (characters > MOST_CHARACTERS || elements > MOST_ELEMENTS) && characters >= before;
  }
  /**
   * A client of Yjs is one person's: of two changes under one number one is lost. Somebody may have seen what we have not kept before we were killed, and
   * brings it back, but not once its author is here and has told all of it.
   */
  private requireOwn(peer: Peer, update: Uint8Array, answers: boolean): void {
    let structs: { id: Y.ID }[];
    try {
      ({ structs } = Y.decodeUpdate(update));
    } catch {
      throw new Misfit("invalid", "it is no update");
    }
    for (const { id } of structs) {
      if (id.clock < Y.getState(this.doc.store, id.client)) continue;
      for (const other of this.peers)
        if (other.settled && other.actorId !== peer.actorId && other.clients.has(id.client))
          throw new Misfit("invalid", "it is written under another's name");
      if (!answers && peer.clients.size < MOST_CLIENTS) peer.clients.add(id.client);
    }
    peer.settled ||= answers;
  }

  // ---- telling the others --------------------------------------------------------------------------------------------------------

  private pass(update: Uint8Array, from: Peer | null) {
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
      // Nobody is told what they alone have written; of what several have, one's own is nothing new.
      const author = changes.every(({ from }) => from === first.from) ? first.from : null;
      this.broadcast(updateFrame(this.name, update), author);
    }
    if (this.moves.size > 0) this.broadcast(presenceFrame(this.name, [...this.moves.values()]), null);
    this.moves.clear();
  };
  private broadcast(frame: Uint8Array, but: Peer | null) {
    for (const peer of this.peers) if (peer !== but) peer.send(frame);
  }

  // ---- who is where ------------------------------------------------------------------------------------------------------------

  /** What a peer says of itself, as it is told to the others: who it is comes from us. What it says of others is not told. */
  say(peer: Peer, said: readonly Presence[]): Presence[] {
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
  /** Of the same person it may be the socket before this one, which nobody has noticed to be dead. */
  private isAnothers(peer: Peer, client: number) {
    for (const other of this.peers) if (other.actorId !== peer.actorId && other.clients.has(client)) return true;
    const from = this.presences.get(client)?.from;
    return typeof from === "object" && from.actorId !== peer.actorId;
  }
  /** To all who are here, the one who said it too. */
  tell(presences: readonly Presence[], from: Peer | string) {
    if (presences.length === 0) return;
    this.soon();
    for (const presence of presences) {
      this.moves.set(presence.client, presence);
      if (presence.state === null) this.presences.delete(presence.client);
      else this.presences.set(presence.client, { ...presence, from });
    }
  }
  /** What was told by somebody who has left, taken back under its own number: when they come back, they go on counting from there. */
  takeBack(from: Peer | string): Presence[] {
    const gone = [...this.presences.values()]
      .filter((presence) => presence.from === from)
      .map(({ client, clock }) => ({ client, clock, state: null }));
    this.tell(gone, from);
    return gone;
  }
  /** Everybody who is in the text. */
  present = (): Presence[] =>
    [...this.presences.values()].map(({ client, clock, state }) => ({ client, clock, state }));
  /** Of those who are in it here. */
  presentHere = (): Presence[] =>
    [...this.presences.values()]
      .filter(({ from }) => typeof from !== "string")
      .map(({ client, clock, state }) => ({ client, clock, state }));
  hasOthersElsewhere = () => [...this.presences.values()].some(({ from }) => typeof from === "string");
}

const COLORS = ["#c2410c", "#b45309", "#4d7c0f", "#047857", "#0e7490", "#1d4ed8", "#6d28d9", "#a21caf", "#be123c"];
/** The same person has the same colour everywhere. */
const userOf = ({ actorId, name }: Peer) => ({
  actor_id: actorId,
  name,
  color: COLORS[Number.parseInt(actorId.slice(-6), 16) % COLORS.length],
});
