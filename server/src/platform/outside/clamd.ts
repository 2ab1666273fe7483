// The virus scanner: a client of clamd's INSTREAM protocol. A file is sent in chunks over a connection of its own.
// Fails closed: only the one reply that means clean counts as clean; a truncated, late or unknown reply throws.
import { connect, type Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import type { Scan } from "./external-systems.ts";

/** Chunk size: its length takes four bytes, and clamd limits the size of each chunk. */
const PIECE = 64 * 1024;
/**
 * Longest time without a byte in either direction; exceeds clamd's own limit for one file (MaxScanTime, two minutes).
 */
const PATIENCE_MS = 150_000;

const portOf = (text: string) => Number(text.slice(text.lastIndexOf(":") + 1));

const placeOf = (text: string) =>
  text.startsWith("unix:")
    ? { path: text.slice("unix:".length) }
    : { host: text.slice("tcp://".length, text.lastIndexOf(":")).replace(/^\[|\]$/g, ""), port: portOf(text) };

export const clamd =
  (url: string, patienceMs = PATIENCE_MS): Scan =>
  async (bytes) =>
    verdictOf(await ask(url, bytes, patienceMs));

/** Parses "stream: OK", "stream: Eicar-Signature FOUND", or a sentence that ends with ERROR. */
function verdictOf(answer: string) {
  if (answer === "stream: OK") return "clean";
  // AlertExceedsMax reports a file that was not scanned to its end.
  if (/^stream: Heuristics\.Limits\.Exceeded\S* FOUND$/.test(answer)) return "unscannable";
  if (/^stream: \S.* FOUND$/.test(answer)) return "infected";
  // The file exceeds StreamMaxLength, and will again at the next attempt.
  if (/^INSTREAM size limit exceeded\b/.test(answer)) return "unscannable";
  throw new Error(`clamd answered ${JSON.stringify(answer.slice(0, 200))}`);
}

/** Resolves to the reply, which may come before everything was sent. */
function ask(url: string, bytes: AsyncIterable<Uint8Array>, patienceMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(placeOf(url));
    let answer = "";
    socket.setTimeout(patienceMs, () => socket.destroy(new Error(`clamd has not moved for ${patienceMs} ms`)));
    socket.on("data", (chunk) => {
      answer += chunk.toString("latin1");
      const end = answer.indexOf("\0");
      if (end === -1 && answer.length < 4096) return;
      resolve(answer.slice(0, end === -1 ? 4096 : end));
      socket.destroy();
    });
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("clamd has closed the connection without an answer")));
    socket.on("connect", () => pour(socket, bytes).catch((error) => socket.destroy(error)));
  });
}

/**
 * Sends the file with back-pressure. clamd closes the connection as soon as it has replied, and a chunk that meets a
 * closed connection discards the unread reply: so each chunk waits for a turn of the event loop to read first. A reply
 * that is lost all the same is left to another attempt.
 */
async function pour(socket: Socket, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const send = (...parts: Uint8Array[]) =>
    new Promise<void>((resolve) => {
      for (const part of parts.slice(0, -1)) socket.write(part);
      socket.write(parts.at(-1) as Uint8Array, () => resolve());
    });
  await send(Buffer.from("zINSTREAM\0"));
  for await (const chunk of bytes)
    for (let from = 0; from < chunk.length; from += PIECE) {
      await turn();
      if (socket.destroyed) return;
      const piece = chunk.subarray(from, from + PIECE);
      await send(lengthOf(piece.length), piece);
    }
  await send(lengthOf(0));
}

function lengthOf(length: number): Buffer {
  const four = Buffer.alloc(4);
  four.writeUInt32BE(length);
  return four;
}
