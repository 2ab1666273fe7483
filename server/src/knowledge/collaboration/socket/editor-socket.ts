// A collaboration socket, from opening to closing. It authenticates first; until then, no other message is handled. An
// invalid frame, or frames above the rate limit, close this socket only. Frames, and the opening of a text, wait while
// their socket, person or Workspace has overdrawn its processor time.
import { setTimeout as sleep } from "node:timers/promises";
import type { WebSocket } from "ws";
import type { Database } from "../../../platform/database/db.ts";
import { sha256 } from "../../../platform/wire/ids.ts";
import { full, spend } from "../../../platform/wire/limits/allowance.ts";
import type { gate } from "../../../platform/wire/limits/concurrency-limit.ts";
import { type Budget, Meter, type Meters, processorClock } from "../../../platform/wire/limits/processor-time.ts";
import type { Tally } from "../../../platform/wire/limits/tally.ts";
import type { Log } from "../../../platform/wire/log.ts";
import { sendTo } from "../../../platform/wire/sockets/upgrade.ts";
import { letIn, placeOf } from "../access.ts";
import type { Text } from "../live/live-text.ts";
import type { OpenTexts } from "../live/open-texts.ts";
import { reading } from "../store.ts";
import * as frames from "./frames.ts";
import { CLOSED, type EditorPeer } from "./peer.ts";
import type { SocketTurn } from "./socket-turn.ts";

/** The largest frame: a text of the maximum number of characters, each of four bytes, with the overhead of Yjs. */
export const MOST_FRAME = 4 * 1024 * 1024;
/** Number of sockets of one person, over the tabs of all their browsers. */
export const MOST_OF_PERSON = 32;
const ENTER_MS = 10_000;
/** Frames and bytes of one socket: rate per second and burst. Typing makes at most 30 frames a second. */
const ALLOWANCE = {
  frames: { second: 150, most: 600 },
  bytes: { second: 1024 * 1024, most: 3 * MOST_FRAME },
};
/** Number of queued frames during authentication, and while frames wait for processor time. */
const MOST_WAITING = { early: 64, metered: 600 };
/** Milliseconds of the event loop: rate per second and burst. A person typing uses at most 10 a second. */
export const PROCESSOR_TIME = {
  socket: { second: 100, most: 50 },
  person: { second: 150, most: 100 },
  workspace: { second: 300, most: 300 },
} satisfies Record<string, Budget>;
/** Answers are charged too: answers of half a megabyte, as fast as requested, would occupy a core with copying. */
export const BYTES_PER_MS = 100_000;
/**
 * Another process that has broadcast what its authors wrote stores it within this time. Only then is an editor told to
 * delete it.
 */
const OTHERS_MS = 1000;
/** The upgrade, the session and the queries of one opening, which no turn measures. */
const OPENING_MS = 5;
/** Maximum charge for opening a text: nobody should wait for long because somebody else made the text large. */
const MOST_OPENING_MS = 250;
/** Unsent bytes after which a slow reader is disconnected. It reads everything again when it reconnects. */
const MOST_UNREAD = 4 * MOST_FRAME;

export interface Rooms {
  database: Database;
  texts: OpenTexts;
  log: Log;
  /** Number of sockets per person. */
  people: Tally;
  /** Processor time per person and per Workspace. */
  time: { person: Meters; workspace: Meters };
  /** Serializes openings per person, so that the next one sees the cost of the previous one. */
  opening: ReturnType<typeof gate>;
  turn: SocketTurn;
  /** Sockets that have not authenticated yet. */
  strangers: Set<WebSocket>;
}
/** Number of unauthenticated sockets above which new ones are refused. */
export const MOST_STRANGERS = 1000;

export function attend(rooms: Rooms, socket: WebSocket): void {
  const allowed = full(ALLOWANCE);
  const meters = [new Meter(PROCESSOR_TIME.socket)];
  let waiting: Uint8Array[] = [];
  /** Frames are queued while the socket authenticates, and while its text is read again. */
  let held = false;
  let resting = false;
  let inside: { text: Text; peer: EditorPeer; name: string } | null = null;
  const late = setTimeout(() => close("timeout"), ENTER_MS);
  rooms.strangers.add(socket);

  function close(reason: keyof typeof CLOSED) {
    clearTimeout(late);
    leave();
    waiting = [];
    socket.removeListener("message", hear);
    socket.close(CLOSED[reason], reason);
  }
  function leave() {
    if (inside) rooms.texts.leave(inside.text, inside.peer);
    inside = null;
  }
  function charge(ms: number, now?: number) {
    for (const meter of meters) meter.charge(ms, now);
  }
  /** Milliseconds until the socket, its person and its Workspace are within their budgets. */
  const debt = (now?: number) => Math.max(...meters.map((meter) => meter.wait(now)));
  function send(frame: Uint8Array) {
    if (!sendTo(socket, frame, MOST_UNREAD)) socket.terminate();
  }

  /** Sends a requested answer, and charges the time that the kernel will take to copy it. */
  function answer(frame: Uint8Array) {
    send(frame);
    charge(frame.length / BYTES_PER_MS);
  }

  function hear(data: Buffer, isBinary: boolean) {
    if (!isBinary) return close("invalid");
    if (!spend(allowed, ALLOWANCE, data.length)) return close("rate_limited");
    if (waiting.push(data) > (inside ? MOST_WAITING.metered : MOST_WAITING.early)) return close("rate_limited");
    if (!held && !resting) work();
  }
  /** Handles queued frames while there is processor time. */
  function work() {
    resting = false;
    const [began, processorTime] = [performance.now(), processorClock()];
    for (let now = began; waiting.length > 0 && !held; ) {
      const wait = debt(now);
      if (wait > 0 || rooms.turn.isSpent) return rest(wait);
      handleNext();
      const done = performance.now();
      rooms.turn.charge(done - now);
      charge(processorTime(done - now), done);
      now = done;
    }
  }
  function rest(ms: number) {
    resting = true;
    if (ms > 0) setTimeout(work, Math.ceil(ms));
    else rooms.turn.later(work);
  }
  const handleNext = () => guarded(() => handle(waiting.shift() as Uint8Array));
  function guarded(step: () => void) {
    try {
      step();
    } catch (error) {
      rooms.log.info({ reason: (error as Error).message }, "a socket was closed for what it sent");
      close("invalid");
    }
  }

  function handle(data: Uint8Array) {
    const { name, message } = frames.read(data);
    if (message.kind === "nothing") return;
    if (!inside) {
      if (message.kind !== "token") throw new Error("nobody was let in yet");
      held = true;
      void enter(name, message.token).catch((error) => {
        rooms.log.warn({ err: error }, "a socket was not let in");
        close("unavailable");
      });
      return;
    }
    if (name !== inside.name) throw new Error("it is about another text");
    heed(message, inside);
  }

  function heed(message: frames.EditorMessage, { text, peer, name }: NonNullable<typeof inside>) {
    switch (message.kind) {
      case "state":
        answer(text.answerTo(message.vector));
        send(frames.askFrame(name, text.vector));
        break;
      case "update":
        if (!peer.writes) return text.compare(peer, message.update);
        takeChange(message.update, message.answers);
        break;
      case "presence":
        rooms.texts.relay(text, text.say(peer, message.presences));
        break;
      case "who":
        answer(frames.presenceFrame(name, text.present()));
        break;
      case "leave":
        socket.close(1000);
        break;
      // A provider repeats its token after it was admitted. The repetition is ignored.
      default:
        break;
    }
  }
  function takeChange(update: Uint8Array, answers: boolean, isCurrent = false) {
    const { text, peer, name } = inside as NonNullable<typeof inside>;
    const taken = text.take(peer, update, answers, () => send(frames.takenFrame(name, true)), isCurrent);
    if (taken === "unsure") void takeOnceCurrent(text, update, answers);
    if (taken !== true) return;
    // The others receive it later, in one frame with other changes.
    charge((update.length * (text.peers.size - 1)) / BYTES_PER_MS);
    rooms.texts.changed(text);
  }

  async function takeOnceCurrent(text: Text, update: Uint8Array, answers: boolean): Promise<void> {
    held = true;
    if (inside && text.bringsOthers(inside.peer, update)) await sleep(OTHERS_MS);
    await rooms.texts.catchUp(text);
    held = false;
    if (!inside) return;
    const [began, processorTime] = [performance.now(), processorClock()];
    guarded(() => takeChange(update, answers, true));
    charge(processorTime(performance.now() - began));
    if (!resting) work();
  }

  async function enter(name: string, token: string): Promise<void> {
    const place = placeOf(name);
    const standing = place && (await reading(rooms.database, place, (tx) => letIn(tx, place, sha256(token))));
    if (!standing || socket.readyState !== socket.OPEN) return deny(name);
    if (rooms.people.of(standing.actorId) >= MOST_OF_PERSON) return close("rate_limited");
    // Authenticated: opening a large text may take longer than the authentication timeout.
    clearTimeout(late);
    rooms.strangers.delete(socket);
    rooms.people.add(standing.actorId, 1);
    meters.push(rooms.time.person.use(standing.actorId), rooms.time.workspace.use(place.workspaceId));
    charge(OPENING_MS);
    socket.once("close", () => {
      rooms.people.add(standing.actorId, -1);
      rooms.time.person.release(standing.actorId);
      rooms.time.workspace.release(place.workspaceId);
    });
    const peer: EditorPeer = {
      sessionId: standing.id,
      actorId: standing.actorId,
      name: standing.displayName,
      writes: standing.writes,
      clients: new Set(),
      settled: false,
      refused: false,
      early: [],
      send,
      close,
    };
    const text = await rooms.opening(standing.actorId, async () => {
      for (let wait = debt(); wait > 0; wait = debt()) await sleep(Math.ceil(wait));
      if (socket.readyState !== socket.OPEN) return undefined;
      return rooms.texts.join(place, name, peer, standing, (ms) => charge(Math.min(ms, MOST_OPENING_MS)));
    });
    if (!text) return deny(name);
    if (socket.readyState !== socket.OPEN) return rooms.texts.leave(text, peer);
    inside = { text, peer, name };
    send(frames.letInFrame(name, peer.writes));
    send(frames.presenceFrame(name, text.present()));
    held = false;
    work();
  }
  function deny(name: string) {
    send(frames.deniedFrame(name, "the token opens nothing any more; ask for another session"));
    close("unauthorized");
  }

  socket.on("message", hear);
  socket.once("close", () => {
    clearTimeout(late);
    rooms.strangers.delete(socket);
    waiting = [];
    leave();
  });
}
