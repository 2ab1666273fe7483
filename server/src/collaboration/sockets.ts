// One socket, from its opening to its end: who is there is asked first, and until that is known nothing else is looked at. Whatever is no frame, or comes too
// fast, or is more than a text can hold ends this socket and no other.
import type { WebSocket } from "ws";
import type { Database } from "../database/db.ts";
import { full, spend } from "../wire/allowance.ts";
import { sha256 } from "../wire/ids.ts";
import type { Log } from "../wire/log.ts";
import type { Tally } from "../wire/tally.ts";
import { sendTo } from "../wire/upgrade.ts";
import { letIn, placeOf } from "./access.ts";
import * as frames from "./frames.ts";
import { reading } from "./store.ts";
import { CLOSED, Misfit, type Peer, type Text } from "./text.ts";
import type { Texts } from "./texts.ts";

/** The largest frame: a text of the most characters, each of four bytes, and what Yjs says of it. */
export const MOST_FRAME = 4 * 1024 * 1024;
/** Sockets of one person, tabs of all their browsers. */
export const MOST_OF_PERSON = 32;
const ENTER_MS = 10_000;
/** Frames and bytes of one socket: so many a second, and as many at once. Typing is 30 frames a second at most. */
const ALLOWANCE = {
  frames: { second: 150, most: 600 },
  bytes: { second: 1024 * 1024, most: 3 * MOST_FRAME },
};
/** While it is asked who is there. */
const MOST_EARLY = 64;
/** Whoever does not read is let go of, and reads it all again when it comes back. */
const MOST_UNREAD = 4 * MOST_FRAME;

export interface Rooms {
  database: Database;
  texts: Texts;
  log: Log;
  /** Sockets by person. */
  people: Tally;
  /** Sockets of which nobody knows yet whose they are. */
  strangers: Set<WebSocket>;
}
/** More strangers than these are not let through the door. */
export const MOST_STRANGERS = 1000;

export function attend(rooms: Rooms, socket: WebSocket): void {
  const allowed = full(ALLOWANCE);
  let early: Uint8Array[] | null = [];
  let entering = false;
  let inside: { text: Text; peer: Peer; name: string } | null = null;
  const late = setTimeout(() => close("timeout"), ENTER_MS);
  rooms.strangers.add(socket);

  function close(reason: keyof typeof CLOSED) {
    clearTimeout(late);
    if (inside) rooms.texts.leave(inside.text, inside.peer);
    inside = null;
    early = [];
    socket.removeListener("message", hear);
    socket.close(CLOSED[reason], reason);
  }
  function send(frame: Uint8Array) {
    if (!sendTo(socket, frame, MOST_UNREAD)) socket.terminate();
  }

  function hear(data: Buffer, isBinary: boolean) {
    if (!isBinary) return close("invalid");
    if (!spend(allowed, ALLOWANCE, data.length)) return close("rate_limited");
    if (early && entering) {
      if (early.push(data) > MOST_EARLY) close("rate_limited");
      return;
    }
    try {
      handle(data);
    } catch (error) {
      rooms.log.info({ reason: (error as Error).message }, "a socket was closed for what it sent");
      close(error instanceof Misfit ? error.reason : "invalid");
    }
  }

  function handle(data: Uint8Array) {
    const { name, message } = frames.read(data);
    if (message.kind === "nothing") return;
    if (!inside) {
      if (message.kind !== "token") throw new Error("nobody was let in yet");
      entering = true;
      void enter(name, message.token).catch((error) => {
        rooms.log.warn({ err: error }, "a socket was not let in");
        close("unavailable");
      });
      return;
    }
    if (name !== inside.name) throw new Error("it is about another text");
    heed(message, inside);
  }

  function heed(message: frames.Message, { text, peer, name }: NonNullable<typeof inside>) {
    switch (message.kind) {
      case "state":
        send(frames.answerFrame(name, text.since(message.vector)));
        send(frames.askFrame(name, text.vector));
        break;
      case "update":
        if (!peer.writes) return send(frames.takenFrame(name, text.has(message.update)));
        text.take(peer, message.update, message.answers, () => send(frames.takenFrame(name, true)));
        rooms.texts.changed(text);
        break;
      case "presence":
        rooms.texts.relay(text, text.say(peer, message.presences));
        break;
      case "who":
        send(frames.presenceFrame(name, text.present()));
        break;
      case "leave":
        socket.close(1000);
        break;
      // Somebody who is inside shows the token again, because the provider was told to.
      default:
        break;
    }
  }

  async function enter(name: string, token: string): Promise<void> {
    const place = placeOf(name);
    const standing = place && (await reading(rooms.database, place, (tx) => letIn(tx, place, sha256(token))));
    if (!standing || socket.readyState !== socket.OPEN) return deny(name);
    if (rooms.people.of(standing.actorId) >= MOST_OF_PERSON) return close("rate_limited");
    rooms.people.add(standing.actorId, 1);
    socket.once("close", () => rooms.people.add(standing.actorId, -1));
    const peer: Peer = {
      sessionId: standing.id,
      actorId: standing.actorId,
      name: standing.displayName,
      writes: standing.writes,
      clients: new Set(),
      settled: false,
      send,
      close,
    };
    const text = await rooms.texts.join(place, name, peer, standing);
    if (!text) return deny(name);
    if (socket.readyState !== socket.OPEN) return rooms.texts.leave(text, peer);
    clearTimeout(late);
    rooms.strangers.delete(socket);
    inside = { text, peer, name };
    send(frames.letInFrame(name, peer.writes));
    send(frames.presenceFrame(name, text.present()));
    const waiting = early ?? [];
    early = null;
    for (const data of waiting) {
      if (!inside) return;
      try {
        handle(data);
      } catch (error) {
        return close(error instanceof Misfit ? error.reason : "invalid");
      }
    }
  }
  function deny(name: string) {
    send(frames.deniedFrame(name, "the token opens nothing any more; ask for another session"));
    close("unauthorized");
  }

  socket.on("message", hear);
  socket.once("close", () => {
    clearTimeout(late);
    rooms.strangers.delete(socket);
    if (inside) rooms.texts.leave(inside.text, inside.peer);
    inside = null;
  });
}
