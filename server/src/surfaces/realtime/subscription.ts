// A scope that a socket follows: turns batches of the feed into frames, each with the cursor after it, and tracks the
// cursor that the client has applied.
import type { RealtimeChange, ServerFrame } from "@svc/contract/surfaces/realtime/frames.ts";
import type { ResetReason } from "@svc/contract/surfaces/realtime/limits.ts";
import { type CursorBinding, type JournalPosition, openPlace, sealPlace } from "../../platform/database/journal.ts";
import type { CursorSigner } from "../../platform/wire/cursor.ts";
import type { Guest } from "./door.ts";
import type { FeedFollower } from "./feed.ts";

/** JSON of the last batch, serialised once for all followers that receive the same array. */
let same: { changes: readonly RealtimeChange[]; json: string } = { changes: [], json: "[]" };
function jsonOf(changes: readonly RealtimeChange[]): string {
  if (same.changes !== changes) same = { changes, json: JSON.stringify(changes) };
  return same.json;
}

export const isAhead = (one: JournalPosition, other: JournalPosition) => BigInt(one.position) > BigInt(other.position);

/** The socket of a subscription. */
interface Owner {
  readonly guest: Guest;
  send(text: string): void;
  say(frame: ServerFrame): void;
  drop(subscription: RealtimeSubscription): void;
}

export class RealtimeSubscription implements FeedFollower {
  readonly id: string;
  readonly bound: CursorBinding;
  readonly actorId: string | null;
  /** Place up to which changes were sent. */
  place: JournalPosition;
  applied: JournalPosition | null = null;
  stop = () => {};
  private readonly socket: Owner;
  private readonly cursors: CursorSigner;

  constructor(socket: Owner, cursors: CursorSigner, id: string, bound: CursorBinding, place: JournalPosition) {
    this.socket = socket;
    this.cursors = cursors;
    this.id = id;
    this.bound = bound;
    this.actorId = socket.guest.actorId;
    this.place = place;
  }

  cursor = () => sealPlace(this.cursors, this.bound, this.place);

  told({ changes, place }: { changes: readonly RealtimeChange[]; place: JournalPosition }) {
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
  opened(cursor: string): JournalPosition | null {
    const place = openPlace(this.cursors, this.bound, cursor);
    return place && place.epoch === this.place.epoch && !isAhead(place, this.place) ? place : null;
  }
  hasApplied = (place: JournalPosition) => this.applied !== null && !isAhead(place, this.applied);
}
