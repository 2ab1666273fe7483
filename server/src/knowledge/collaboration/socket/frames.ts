// Encodes and decodes socket frames. Each frame begins with the name of the text and the message type. Messages follow
// y-protocols in the envelope of Hocuspocus, so that its provider works with this service. Pure.
import * as decoding from "lib0/decoding";
import * as encoding from "lib0/encoding";
import { requireShallow } from "../../../platform/wire/input/validation.ts";

const SYNC = 0;
const AWARENESS = 1;
const AUTH = 2;
const QUERY_AWARENESS = 3;
const STATELESS = 5;
const CLOSE = 7;
const SYNC_STATUS = 8;
const PONG = 10;
const [STEP1, STEP2, UPDATE] = [0, 1, 2];
const [TOKEN, DENIED, AUTHENTICATED] = [0, 1, 2];

/** Presence of a Yjs client in the text; the state is null once it has left. */
export interface EditorPresence {
  client: number;
  clock: number;
  state: Record<string, unknown> | null;
}

export type EditorMessage =
  | { kind: "token"; token: string }
  /** Requests the updates missing in a state. */
  | { kind: "state"; vector: Uint8Array }
  /** A change, or everything that the server lacks, in answer to the server's request. */
  | { kind: "update"; update: Uint8Array; answers: boolean }
  | { kind: "presence"; presences: EditorPresence[] }
  | { kind: "who" }
  | { kind: "leave" }
  | { kind: "nothing" };

/** Decodes a frame. Throws if it is invalid. */
export function read(frame: Uint8Array): { name: string; message: EditorMessage } {
  // Answers a ping of the provider's own protocol, which names no text.
  if (frame.length === 1 && frame[0] === PONG) return { name: "", message: { kind: "nothing" } };
  const decoder = decoding.createDecoder(frame);
  const name = decoding.readVarString(decoder);
  return { name, message: messageIn(decoder) };
}

function messageIn(decoder: decoding.Decoder): EditorMessage {
  const kind = decoding.readVarUint(decoder);
  switch (kind) {
    case SYNC: {
      const step = decoding.readVarUint(decoder);
      const bytes = decoding.readVarUint8Array(decoder);
      if (step === STEP1) return { kind: "state", vector: bytes };
      if (step === STEP2 || step === UPDATE) return { kind: "update", update: bytes, answers: step === STEP2 };
      throw new Error(`no step ${step} of the synchronisation is known`);
    }
    case AWARENESS:
      return { kind: "presence", presences: readPresences(decoding.readVarUint8Array(decoder)) };
    case AUTH:
      if (decoding.readVarUint(decoder) !== TOKEN) throw new Error("only a token is taken");
      return { kind: "token", token: decoding.readVarString(decoder) };
    case QUERY_AWARENESS:
      return { kind: "who" };
    case CLOSE:
      return { kind: "leave" };
    default:
      throw new Error(`no message ${kind} is known`);
  }
}

const MOST_PRESENCES = 1000;
function readPresences(bytes: Uint8Array): EditorPresence[] {
  const decoder = decoding.createDecoder(bytes);
  const count = decoding.readVarUint(decoder);
  if (count > MOST_PRESENCES) throw new Error("too many presences");
  return Array.from({ length: count }, () => {
    const client = decoding.readVarUint(decoder);
    const clock = decoding.readVarUint(decoder);
    const text = decoding.readVarString(decoder);
    requireShallow(text);
    const state = JSON.parse(text);
    if (state !== null && (typeof state !== "object" || Array.isArray(state))) throw new Error("no presence");
    return { client, clock, state };
  });
}

function frame(name: string, kind: number, write: (encoder: encoding.Encoder) => void): Uint8Array {
  const encoder = encoding.createEncoder();
  encoding.writeVarString(encoder, name);
  encoding.writeVarUint(encoder, kind);
  write(encoder);
  return encoding.toUint8Array(encoder);
}
const sync = (name: string, step: number, bytes: Uint8Array) =>
  frame(name, SYNC, (encoder) => {
    encoding.writeVarUint(encoder, step);
    encoding.writeVarUint8Array(encoder, bytes);
  });
const auth = (name: string, kind: number, text: string) =>
  frame(name, AUTH, (encoder) => {
    encoding.writeVarUint(encoder, kind);
    encoding.writeVarString(encoder, text);
  });

/** Requests the updates missing in this state. */
export const askFrame = (name: string, vector: Uint8Array) => sync(name, STEP1, vector);
export const answerFrame = (name: string, update: Uint8Array) => sync(name, STEP2, update);
export const updateFrame = (name: string, update: Uint8Array) => sync(name, UPDATE, update);
export const deniedFrame = (name: string, reason: string) => auth(name, DENIED, reason);
export const letInFrame = (name: string, writes: boolean) =>
  auth(name, AUTHENTICATED, writes ? "read-write" : "readonly");
/** Reports a refused change to its author: for each client in it, the clock from which on the server has nothing. */
export const refusedFrame = (name: string, code: string, clocks: Record<number, number>) =>
  frame(name, STATELESS, (encoder) =>
    encoding.writeVarString(encoder, JSON.stringify({ type: "refused", code, clocks })),
  );
/** Acknowledges an update as stored in the database, or rejects it. */
export const takenFrame = (name: string, taken: boolean) =>
  frame(name, SYNC_STATUS, (encoder) => encoding.writeVarInt(encoder, taken ? 1 : 0));
export const presenceFrame = (name: string, presences: readonly EditorPresence[]) =>
  frame(name, AWARENESS, (encoder) => {
    const inner = encoding.createEncoder();
    encoding.writeVarUint(inner, presences.length);
    for (const { client, clock, state } of presences) {
      encoding.writeVarUint(inner, client);
      encoding.writeVarUint(inner, clock);
      encoding.writeVarString(inner, JSON.stringify(state));
    }
    encoding.writeVarUint8Array(encoder, encoding.toUint8Array(inner));
  });
