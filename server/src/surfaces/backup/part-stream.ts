// Format of a backup's content, a sequence of parts: facts about the database, each table, each object. A part is a
// header line, its bytes in pieces of known length, and a digest of them all. The last part counts the others.
import { createHash } from "node:crypto";
import { Bytes } from "./seal.ts";

export interface Applied {
  name: string;
  hash: string;
  release: string;
}
export type BackupPart =
  | { kind: "database"; migrations: Applied[]; jobs: number; sequences: { name: string; value: string }[] }
  | { kind: "table"; name: string; columns: string[] }
  | { kind: "object"; key: string; type: string; size: number; sha256: string | null }
  /** A row names it, but the storage does not have it. */
  | { kind: "missing"; key: string }
  | { kind: "end"; parts: number };

const number = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const DIGEST = 32;

/** Length and digest of the bytes of a part. */
export interface Sum {
  bytes: number;
  digest: string;
}
export async function* write(
  part: BackupPart,
  data: AsyncIterable<Uint8Array> | Iterable<Uint8Array> = [],
): AsyncGenerator<Uint8Array, Sum> {
  const text = Buffer.from(JSON.stringify(part));
  yield Buffer.concat([number(text.length), text]);
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const piece of data) {
    if (piece.length === 0) continue;
    hash.update(piece);
    bytes += piece.length;
    yield number(piece.length);
    yield piece;
  }
  const digest = hash.digest();
  yield Buffer.concat([number(0), digest]);
  return { bytes, digest: digest.toString("hex") };
}

export interface BackupPartData {
  part: BackupPart;
  /** Must be consumed before the next part. */
  data: AsyncIterable<Buffer>;
  /** Available once `data` is consumed. */
  sum(): Sum;
}
/** The seal has already proved that nothing is missing or changed: a format error here is a fault of the writer. */
export async function* read(source: AsyncIterable<Uint8Array>): AsyncGenerator<BackupPartData> {
  const bytes = new Bytes(source);
  const exactly = async (count: number) => {
    const found = await bytes.take(count);
    if (!found) throw new Error("the backup ends within a part");
    return found;
  };
  for (let parts = 0; ; parts++) {
    const part: BackupPart = JSON.parse((await exactly((await exactly(4)).readUInt32BE())).toString());
    let sum: Sum | null = null;
    async function* data() {
      const hash = createHash("sha256");
      let size = 0;
      for (let next = await length(); next > 0; next = await length()) {
        const piece = await exactly(next);
        hash.update(piece);
        size += next;
        yield piece;
      }
      const digest = hash.digest();
      if (!digest.equals(await exactly(DIGEST)))
        throw new Error("a part of the backup has another digest than it says");
      sum = { bytes: size, digest: digest.toString("hex") };
    }
    const length = async () => (await exactly(4)).readUInt32BE();
    yield { part, data: data(), sum: () => sum as unknown as Sum };
    if (sum === null) throw new Error("a part of the backup was not read");
    if (part.kind !== "end") continue;
    if (part.parts !== parts) throw new Error(`the backup has ${parts} parts and says ${part.parts}`);
    return;
  }
}

/** Digests bytes and discards them. */
export async function sumOf(data: AsyncIterable<Uint8Array>): Promise<Sum> {
  const summed = summing(data);
  for await (const _ of summed.data);
  return summed.sum();
}
/** Passes the bytes through, and digests them once they are consumed. */
export function summing(source: AsyncIterable<Uint8Array>): { data: AsyncIterable<Uint8Array>; sum(): Sum } {
  const hash = createHash("sha256");
  let bytes = 0;
  async function* data() {
    for await (const piece of source) {
      hash.update(piece);
      bytes += piece.length;
      yield piece;
    }
  }
  return { data: data(), sum: () => ({ bytes, digest: hash.digest("hex") }) };
}
