// Limits of a pack, checked before it is unpacked. Sizes in a pack are claims of its sender, so each object is inflated
// once, bounded by its claimed size: a pack cannot grow beyond its limits.
import { inflateSync } from "node:zlib";
import { RepositoryFault } from "./fault.ts";
import { chunkFor } from "./objects.ts";

/** Size of a received pack in bytes: four copies of it, and the data unpacked at a time, stay far below 300 MB. */
export const MOST_PACK = 32 * 1024 * 1024;
const MOST_OBJECTS = 60_000;
/** Unpacked size of one object. */
const MOST_OBJECT = 32 * 1024 * 1024;
/** Unpacked size of all objects. Only one at a time is in memory; this bounds the time. */
const MOST_UNPACKED = 512 * 1024 * 1024;

const [OFFSET_DELTA, REFERENCE_DELTA] = [6, 7];
const tooLarge = () => new RepositoryFault("repository_too_large");
const malformed = (cause?: unknown) => new RepositoryFault("server_unsupported", cause);

export function checkPack(pack: Buffer): void {
  if (pack.length > MOST_PACK) throw tooLarge();
  if (pack.length < 32 || pack.toString("latin1", 0, 4) !== "PACK") throw malformed();
  const count = pack.readUInt32BE(8);
  if (count > MOST_OBJECTS) throw tooLarge();
  const end = pack.length - 20;
  let unpacked = 0;
  for (let object = 0, at = 12; object < count; object++) {
    const header = sizeAt(pack, at, end);
    unpacked += header.size;
    if (header.size > MOST_OBJECT || unpacked > MOST_UNPACKED) throw tooLarge();
    at = header.next;
    if (header.type === OFFSET_DELTA) at = afterOffset(pack, at, end);
    if (header.type === REFERENCE_DELTA) at += 20;
    at += inflated(pack.subarray(at, end), header);
  }
}

function sizeAt(pack: Buffer, start: number, end: number) {
  let at = start;
  let byte = pack[at++] as number;
  const type = (byte >> 4) & 7;
  let size = byte & 15;
  for (let scale = 16; byte & 128; scale *= 128) {
    if (at >= end || scale > 2 ** 45) throw malformed();
    byte = pack[at++] as number;
    size += (byte & 127) * scale;
  }
  return { type, size, next: at };
}

function afterOffset(pack: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && (pack[at] as number) & 128) at++;
  return at + 1;
}

/** Number of bytes of the object in the pack. A delta begins with the size of its result. */
function inflated(bytes: Buffer, { type, size }: { type: number; size: number }): number {
  let result: { buffer: Buffer; engine: { bytesWritten: number } };
  try {
    const bounds = { maxOutputLength: Math.max(size, 1), chunkSize: chunkFor(size) };
    result = inflateSync(bytes, { info: true, ...bounds }) as never;
  } catch (error) {
    throw (error as { code?: string }).code === "ERR_BUFFER_TOO_LARGE" ? tooLarge() : malformed(error);
  }
  if (result.buffer.length !== size) throw malformed();
  if ((type === OFFSET_DELTA || type === REFERENCE_DELTA) && madeBy(result.buffer) > MOST_OBJECT) throw tooLarge();
  return result.engine.bytesWritten;
}

function madeBy(delta: Buffer): number {
  let at = 0;
  const number = () => {
    let value = 0;
    for (let scale = 1; at < delta.length; scale *= 128) {
      const byte = delta[at++] as number;
      value += (byte & 127) * scale;
      if (!(byte & 128)) break;
    }
    return value;
  };
  number(); // size of the delta's base
  return number();
}
