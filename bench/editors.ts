// The benchmark's editors in a process of their own, so that their cost does not add to the service's time: plain
// sockets that frame and parse as little as possible. The first editor of each Document reads every frame; the others
// type, and one in ten of them reads acknowledgements.
import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import * as Y from "yjs";
import { answerFrame, askFrame, updateFrame } from "../server/src/knowledge/collaboration/socket/frames.ts";
import { csrfTokenOf } from "../server/src/platform/wire/ids.ts";
import { typeIn } from "../server/test/editing.ts";
import type { Data } from "./data.ts";

export interface Scene {
  port: number;
  people: Data["people"];
  documentIds: string[];
  /** Editors in each Document. */
  each: number;
  /** Keystrokes per second of each editor, and the duration; none: only opened. */
  aSecond: number;
  seconds: number;
}
export type Order = { open: Scene } | "type" | "leave";
export interface Typed {
  /** Sorted milliseconds to the other editor's frame, and to the acknowledgement. */
  seen: number[];
  kept: number[];
  keystrokes: number;
}

interface Session {
  url: string;
  token: string;
  document_name: string;
}
async function newSession({ port, people }: Scene, person: number, documentId: string): Promise<Session> {
  const { session } = people[person % people.length] as Data["people"][number];
  const token = csrfTokenOf(session);
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/documents/${documentId}/collaboration-sessions`, {
    method: "POST",
    headers: { cookie: `__Host-svc_session=${session}; __Host-svc_csrf=${token}`, "x-csrf-token": token },
  });
  if (response.status !== 201) throw new Error(`a session answered ${response.status} ${await response.text()}`);
  return (await response.json()) as Session;
}

const [SYNC, AUTH, SYNC_STATUS] = [0, 2, 8];
const [STEP1, STEP2, UPDATE] = [0, 1, 2];

class Editor {
  readonly doc = new Y.Doc();
  /** Frames to parse: all, acknowledgements only, or none. */
  heeds: "all" | "kept" | "nothing" = "all";
  seen: (update: Uint8Array) => void = () => {};
  kept: () => void = () => {};
  private synced = () => {};
  private readonly name: string;
  private readonly socket: Socket;
  private buffered: Buffer = Buffer.alloc(0);
  private open = false;

  constructor({ url, token, document_name }: Session, port: number) {
    this.name = document_name;
    this.socket = connect({ port, host: "127.0.0.1", noDelay: true });
    const key = randomBytes(16).toString("base64");
    this.socket.write(
      `GET ${new URL(url).pathname} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: ` +
        `websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
    );
    this.socket.on("data", (chunk: Buffer) => {
      if (this.heeds !== "nothing") this.hear(chunk);
    });
    // Name and token are short, so that each length is one byte.
    this.send(
      Buffer.concat([
        Buffer.from([document_name.length]),
        Buffer.from(document_name),
        Buffer.from([AUTH, 0, token.length]),
        Buffer.from(token),
      ]),
    );
    this.send(askFrame(document_name, Y.encodeStateVector(this.doc)));
  }
  /** Resolves once the editor has the text. */
  ready = (): Promise<this> =>
    new Promise((resolve, reject) => {
      this.synced = () => resolve(this);
      this.socket.once("close", () => reject(new Error("a socket was closed before its text came")));
      this.socket.once("error", reject);
    });
  type() {
    this.doc.once("update", (update: Uint8Array) => this.send(updateFrame(this.name, update)));
    typeIn(this.doc.getXmlFragment("default"), "x", 0);
  }
  leave = () => this.socket.destroy();

  private send(payload: Uint8Array) {
    const long = payload.length > 125;
    const head = Buffer.alloc(long ? 8 : 6);
    head[0] = 0x82;
    head[1] = 0x80 | (long ? 126 : payload.length);
    if (long) head.writeUInt16BE(payload.length, 2);
    // The mask is zero, so that the payload needs no masking.
    this.socket.write(Buffer.concat([head, payload]));
  }
  private hear(chunk: Buffer) {
    this.buffered = this.buffered.length === 0 ? chunk : Buffer.concat([this.buffered, chunk]);
    if (!this.open) {
      const end = this.buffered.indexOf("\r\n\r\n");
      if (end < 0) return;
      if (!this.buffered.subarray(0, 12).equals(Buffer.from("HTTP/1.1 101"))) return void this.socket.destroy();
      this.open = true;
      this.buffered = this.buffered.subarray(end + 4);
    }
    while (this.buffered.length >= 2) {
      const short = (this.buffered[1] as number) & 0x7f;
      const from = short === 127 ? 10 : short === 126 ? 4 : 2;
      if (this.buffered.length < from) return;
      const length =
        short === 127
          ? Number(this.buffered.readBigUInt64BE(2))
          : short === 126
            ? this.buffered.readUInt16BE(2)
            : short;
      if (this.buffered.length < from + length) return;
      const frame = this.buffered.subarray(from, from + length);
      const binary = ((this.buffered[0] as number) & 0x0f) === 2;
      this.buffered = this.buffered.subarray(from + length);
      // An acknowledgement is the shortest frame.
      if (binary && (this.heeds === "all" || length === this.name.length + 3)) this.read(frame);
    }
  }
  private read(frame: Buffer) {
    const [kind, step] = frame.subarray(1 + this.name.length);
    if (kind === SYNC_STATUS) this.kept();
    if (kind !== SYNC) return;
    const bytes = bytesIn(frame, 3 + this.name.length);
    if (step === UPDATE) this.seen(bytes);
    if (step === STEP1) this.send(answerFrame(this.name, Y.encodeStateAsUpdate(this.doc, bytes)));
    if (step === STEP2) {
      Y.applyUpdate(this.doc, bytes);
      this.synced();
    }
  }
}
/** Bytes behind their length, a varint of seven bits per byte. */
function bytesIn(frame: Buffer, at: number): Buffer {
  let [length, place] = [0, at];
  for (let shift = 0; ; shift += 7) {
    const byte = frame[place++] as number;
    length += (byte & 0x7f) << shift;
    if (byte < 0x80) return frame.subarray(place, place + length);
  }
}

const rooms: Editor[][] = [];
let scene: Scene;

/** Opens the editors; returns the milliseconds until each had the text. */
async function open(asked: Scene): Promise<number[]> {
  scene = asked;
  const times: number[] = [];
  for (const [place, documentId] of scene.documentIds.entries()) {
    // Editors of one Document connect concurrently.
    rooms.push(
      await Promise.all(
        Array.from({ length: scene.each }, async (_, at) => {
          await sleep(at * 5);
          const session = await newSession(scene, place * scene.each + at, documentId);
          const since = performance.now();
          const editor = await new Editor(session, scene.port).ready();
          times.push(performance.now() - since);
          return editor;
        }),
      ),
    );
  }
  return times;
}

async function type(): Promise<Typed> {
  const typed: Typed = { seen: [], kept: [], keystrokes: 0 };
  const typists = rooms.flatMap((editors) => {
    const [observer, ...others] = editors as [Editor, ...Editor[]];
    // Identifies a keystroke by its client and clock.
    const started = new Map<string, number>();
    observer.seen = (update) => {
      const now = performance.now();
      for (const { id, length } of Y.decodeUpdate(update).structs)
        for (let clock = id.clock; clock < id.clock + length; clock++) {
          const since = started.get(`${id.client} ${clock}`);
          if (since !== undefined) typed.seen.push(now - since);
          started.delete(`${id.client} ${clock}`);
        }
    };
    return others.map((editor) => ({ editor, started }));
  });
  const end = performance.now() + scene.seconds * 1000;
  await Promise.all(
    typists.map(async ({ editor, started }, at) => {
      const waiting: number[] = [];
      editor.heeds = at % 10 === 0 ? "kept" : "nothing";
      editor.kept = () => typed.kept.push(performance.now() - (waiting.shift() as number));
      await sleep((1000 / scene.aSecond) * ((at * 0.618) % 1));
      while (performance.now() < end) {
        const { clientID, store } = editor.doc;
        const since = performance.now();
        started.set(`${clientID} ${Y.getState(store, clientID)}`, since);
        if (editor.heeds === "kept") waiting.push(since);
        editor.type();
        typed.keystrokes++;
        await sleep(1000 / scene.aSecond);
      }
    }),
  );
  await sleep(1500);
  for (const times of [typed.seen, typed.kept]) times.sort((one, other) => one - other);
  return typed;
}

process.on("message", async (order: Order) => {
  if (order === "type") process.send?.(await type());
  else if (order === "leave") {
    for (const editor of rooms.splice(0).flat()) editor.leave();
    process.send?.(null);
  } else process.send?.(await open(order.open));
});
