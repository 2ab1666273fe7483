// Packs as Git sends them, for tests of their bounds: objects may state sizes that they do not have.
import { deflateSync } from "node:zlib";

const [BLOB, REFERENCE_DELTA] = [3, 7];

/** The type and the size of an object, as a pack encodes them. */
function header(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size & 15)];
  for (let left = Math.floor(size / 16); left > 0; left = Math.floor(left / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) as number) | 128;
    bytes.push(left & 127);
  }
  return Buffer.from(bytes);
}
/** An object whose header states this size, and whose content is `content`. */
export const packObject = (content: Buffer, size = content.length, type = BLOB) =>
  Buffer.concat([header(type, size), ...(type === BLOB ? [] : [Buffer.alloc(20)]), deflateSync(content)]);
export function packOf(objects: Buffer[], count = objects.length): Buffer {
  const start = Buffer.from("PACK\0\0\0\x02\0\0\0\0", "latin1");
  start.writeUInt32BE(count, 8);
  return Buffer.concat([start, ...objects, Buffer.alloc(20)]);
}
/** A number in the first bytes of a delta. */
function number(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...number(Math.floor(value / 128))];
}
/** A delta whose result has `made` bytes. */
export const packDelta = (made: number) =>
  packObject(Buffer.from([...number(1), ...number(made), 0]), undefined, REFERENCE_DELTA);
