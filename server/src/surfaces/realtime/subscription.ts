// One scope that a socket follows: what the feed tells of it becomes frames, each with the cursor behind it, and what the client has applied is remembered.
import type { RealtimeChange } from "@svc/contract/surfaces/realtime/frames.ts";
import type { ResetReason } from "@svc/contract/surfaces/realtime/limits.ts";
import { type Bound, openPlace, type Place, sealPlace } from "../../platform/database/journal.ts";
import type { CursorSigner } from "../../platform/wire/cursor.ts";
import type { Follower } from "./feed.ts";
import type { Socket } from "./socket.ts";

/** As JSON, made once for all who are told the same. */
let same: { changes: readonly RealtimeChange[]; json: string } = { changes: [], json: "[]" };
function jsonOf(changes: readonly RealtimeChange[]): string {
  if (same.changes !== changes) same = { changes, json: JSON.stringify(changes) };
  return same.json;
}

export const isAhead = (one: Place, other: Place) => BigInt(one.position) > BigInt(other.position);

export class Subscription implements Follower {
  readonly id: string;
  readonly bound: Bound;
  readonly actorId: string | null;
  /** Up to which it was told. */
  place: Place;
  applied: Place | null = null;
  stop = () => {};
  private readonly socket: Socket;
  private readonly cursors: CursorSigner;

  constructor(socket: Socket, cursors: CursorSigner, id: string, bound: Bound, place: Place) {
    this.socket = socket;
    this.cursors = cursors;
    this.id = id;
    this.bound = bound;
    this.actorId = socket.guest.actorId;
    this.place = place;
  }

  cursor = () => sealPlace(this.cursors, this.bound, this.place);

  told({ changes, place }: { changes: readonly RealtimeChange[]; place: Place }) {
    this.place = place;
    this.socket.send(
      `{"type":"change","subscription_id":"${this.id}","cursor":"${this.cursor()}","changes":${jsonOf(changes)}}`,
    );
  }

  reset(reason: string) {
    this.socket.drop(this);
    this.socket.say({ type: "reset", subscription_id: this.id, reason: reason as ResetReason });
  }

  /** The place of a cursor that it was given; null of any other. */
  opened(cursor: string): Place | null {
    const place = openPlace(this.cursors, this.bound, cursor);
    return place && place.epoch === this.place.epoch && !isAhead(place, this.place) ? place : null;
  }
  hasApplied = (place: Place) => this.applied !== null && !isAhead(place, this.applied);
}
