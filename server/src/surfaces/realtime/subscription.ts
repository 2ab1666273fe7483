// A scope that a socket follows: turns batches of the feed into frames, each with the cursor after it, and tracks the
// cursor that the client has applied.
import type { RealtimeChange, ServerFrame } from "@svc/contract/surfaces/realtime/frames.ts";
import type { ResetReason } from "@svc/contract/surfaces/realtime/limits.ts";
import { type Bound, openPlace, type Place, sealPlace } from "../../platform/database/journal.ts";
import type { CursorSigner } from "../../platform/wire/cursor.ts";
import type { Guest } from "./door.ts";
import type { Follower } from "./feed.ts";

/** JSON of the last batch, serialised once for all followers that receive the same array. */
let same: { changes: readonly RealtimeChange[]; json: string } = { changes: [], json: "[]" };
function jsonOf(changes: readonly RealtimeChange[]): string {
  if (same.changes !== changes) same = { changes, json: JSON.stringify(changes) };
  return same.json;
}

export const isAhead = (one: Place, other: Place) => BigInt(one.position) > BigInt(other.position);

/** The socket of a subscription. */
interface Owner {
  readonly guest: Guest;
  send(text: string): void;
  say(frame: ServerFrame): void;
  drop(subscription: Subscription): void;
}

export class Subscription implements Follower {
  readonly id: string;
  readonly bound: Bound;
  readonly actorId: string | null;
  /** Place up to which changes were sent. */
  place: Place;
  applied: Place | null = null;
  stop = () => {};
  private readonly socket: Owner;
  private readonly cursors: CursorSigner;

  constructor(socket: Owner, cursors: CursorSigner, id: string, bound: Bound, place: Place) {
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

  /** Place of a cursor that this subscription has issued; null for any other. */
  opened(cursor: string): Place | null {
    const place = openPlace(this.cursors, this.bound, cursor);
    return place && place.epoch === this.place.epoch && !isAhead(place, this.place) ? place : null;
  }
  hasApplied = (place: Place) => this.applied !== null && !isAhead(place, this.applied);
}
