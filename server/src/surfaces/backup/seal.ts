// File format of a backup: a plain head, then chunks under AES-256-GCM whose nonce is their number; the last one is
// marked. Truncation, changes and recombination are detected at the first wrong chunk. With a key file the chunks are
// encrypted, else they are only authenticated, under a key of the service; every key depends on the head.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";
import { createReadStream } from "node:fs";
import { keysFault } from "../../platform/database/start/key-check.ts";
import { ConfigError } from "../../platform/settings/config-error.ts";
import type { SecretKey } from "../../platform/settings/secret-keys.ts";

const MAGIC = Buffer.from("svc backup\n");
const FORMAT = 1;
const CHUNK = 256 * 1024;
const LAST = 0x8000_0000;
const TAG = 16;
const MOST_HEAD = 1024 * 1024;

/** A secret key in the database: its check value, and whether it was retired. */
export interface KnownKey {
  id: string;
  check: string;
  retired: string | null;
}
export interface BackupHead {
  format: number;
  /** Version of the program that wrote the file. */
  version: string;
  created_at: string;
  /** True: by the key of a key file; false: authenticated under the secret key of this id. */
  encrypted: boolean;
  key_id: string | null;
  keys: KnownKey[];
  salt: string;
  check: string;
}
export type SealFacts = Pick<BackupHead, "version" | "keys">;
/** Keys that seal or open a file: that of a key file, and those of the service. */
export interface SealKeys {
  keyFile: Buffer | null;
  secretKeys: readonly SecretKey[];
}

const derive = (key: Buffer, salt: string, info: string) =>
  Buffer.from(hkdfSync("sha256", key, Buffer.from(salt, "base64url"), info, 32));
const checkOf = (key: Buffer, salt: string) =>
  createHmac("sha256", derive(key, salt, "svc backup check")).digest("base64url");
const chunkKey = (key: Buffer, head: Buffer, salt: string) =>
  derive(key, salt, `svc backup ${createHash("sha256").update(head).digest("hex")}`);

function nonceOf(number: number): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(number, 6, 6);
  return nonce;
}
const prefixed = (size: number, isLast: boolean) => {
  const prefix = Buffer.alloc(4);
  prefix.writeUInt32BE((size | (isLast ? LAST : 0)) >>> 0);
  return prefix;
};

/** Bytes of the file that contains the source. */
export async function* seal(
  source: AsyncIterable<Uint8Array>,
  facts: SealFacts,
  { keyFile, secretKeys }: SealKeys,
): AsyncGenerator<Buffer> {
  const own = secretKeys[0] as SecretKey;
  const salt = randomBytes(16).toString("base64url");
  const encrypted = keyFile !== null;
  const key = keyFile ?? own.key;
  const head: BackupHead = {
    format: FORMAT,
    ...facts,
    created_at: new Date().toISOString(),
    encrypted,
    key_id: encrypted ? null : own.id,
    salt,
    check: checkOf(key, salt),
  };
  const text = Buffer.from(JSON.stringify(head));
  yield Buffer.concat([MAGIC, prefixed(text.length, false), text]);
  const secret = chunkKey(key, text, salt);
  let number = 0;
  const chunk = (plain: Buffer, isLast: boolean) => {
    const prefix = prefixed(plain.length, isLast);
    const cipher = createCipheriv("aes-256-gcm", secret, nonceOf(number++));
    cipher.setAAD(encrypted ? prefix : Buffer.concat([prefix, plain]));
    const body = encrypted ? cipher.update(plain) : plain;
    cipher.final();
    return Buffer.concat([prefix, body, cipher.getAuthTag()]);
  };
  let held: Uint8Array[] = [];
  let size = 0;
  for await (const piece of source) {
    held.push(piece);
    size += piece.length;
    if (size < CHUNK) continue;
    let rest = Buffer.concat(held);
    for (; rest.length >= CHUNK; rest = rest.subarray(CHUNK)) yield chunk(rest.subarray(0, CHUNK), false);
    held = [rest];
    size = rest.length;
  }
  yield chunk(Buffer.concat(held), true);
}

/** Reads exact numbers of bytes from pieces of any size. */
export class Bytes {
  at = 0;
  private held: Buffer[] = [];
  private size = 0;
  private readonly pieces: AsyncIterator<Uint8Array>;
  constructor(source: AsyncIterable<Uint8Array>) {
    this.pieces = source[Symbol.asyncIterator]();
  }
  /** Null if fewer bytes are left. */
  async take(count: number): Promise<Buffer | null> {
    while (this.size < count) {
      const { value, done } = await this.pieces.next();
      if (done) return null;
      this.held.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
      this.size += value.length;
    }
    const all = this.held.length === 1 ? (this.held[0] as Buffer) : Buffer.concat(this.held);
    this.held = [all.subarray(count)];
    this.size -= count;
    this.at += count;
    return all.subarray(0, count);
  }
}

export const refused = (path: string, why: string) => new ConfigError([`${path} ${why}`]);
const cut = (path: string, { at }: Bytes) => refused(path, `is cut off after ${at} bytes; copy the whole file again`);
const altered = (path: string, { at }: Bytes) =>
  refused(path, `was altered or damaged before byte ${at}; use another copy or an older backup`);

async function readHead(path: string, bytes: Bytes): Promise<{ head: BackupHead; text: Buffer }> {
  const magic = await bytes.take(MAGIC.length);
  if (!magic?.equals(MAGIC)) throw refused(path, "is not a backup of svc; name the file that npm run backup wrote");
  const size = (await bytes.take(4))?.readUInt32BE() ?? 0;
  if (size > MOST_HEAD) throw altered(path, bytes);
  const text = size > 0 ? await bytes.take(size) : null;
  if (!text) throw cut(path, bytes);
  try {
    return { head: JSON.parse(text.toString()), text };
  } catch {
    throw altered(path, bytes);
  }
}

function keyOf(
  path: string,
  { encrypted, key_id, salt, check, version }: BackupHead,
  { keyFile, secretKeys }: SealKeys,
) {
  const matches = (key: Buffer) => {
    const [own, told] = [Buffer.from(checkOf(key, salt)), Buffer.from(String(check))];
    return own.length === told.length && timingSafeEqual(own, told);
  };
  if (encrypted) {
    if (!keyFile) throw refused(path, "is encrypted; give the key that it was made with: --key-file FILE");
    if (!matches(keyFile)) throw refused(path, "was encrypted with another key than that of --key-file; give that one");
    return keyFile;
  }
  const own = secretKeys.find(({ id }) => id === key_id)?.key;
  if (!own || !matches(own))
    throw refused(
      path,
      `was made by version ${version} under the secret key ${key_id}, which is not among these; ` +
        "put back the keys that belong to it (SECRET_KEYS or DATA_DIR/keys)",
    );
  return own;
}

/** Contents of the file, each chunk once it is verified. The head is read first, and must match these keys. */
export async function open(path: string, keys: SealKeys): Promise<{ head: BackupHead; data: AsyncIterable<Buffer> }> {
  const stream = createReadStream(path, { highWaterMark: CHUNK });
  try {
    const bytes = new Bytes(stream);
    const { head, text } = await readHead(path, bytes);
    if (head.format > FORMAT)
      throw refused(path, `was written by version ${head.version} in a newer format; restore it with that version`);
    const secret = chunkKey(keyOf(path, head, keys), text, head.salt);
    const fault = keysFault(keys.secretKeys, head.keys.map(knownAs));
    if (fault) throw refused(path, `is for other keys: ${fault}`);
    return { head, data: chunks(path, bytes, head.encrypted, secret) };
  } catch (error) {
    stream.destroy();
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw refused(path, "does not exist; name the file that npm run backup wrote");
  }
}

const knownAs = ({ id, check, retired }: KnownKey) => ({
  id,
  check_value: Buffer.from(check, "base64url"),
  retired_at: retired === null ? null : new Date(retired),
});

async function* chunks(path: string, bytes: Bytes, encrypted: boolean, secret: Buffer): AsyncGenerator<Buffer> {
  for (let number = 0, isLast = false; !isLast; number++) {
    const prefix = await bytes.take(4);
    if (!prefix) throw cut(path, bytes);
    const told = prefix.readUInt32BE();
    isLast = told >= LAST;
    const size = told % LAST;
    if (size > CHUNK) throw altered(path, bytes);
    const body = await bytes.take(size + TAG);
    if (!body) throw cut(path, bytes);
    const plain = body.subarray(0, size);
    const decipher = createDecipheriv("aes-256-gcm", secret, nonceOf(number));
    decipher.setAAD(encrypted ? prefix : Buffer.concat([prefix, plain]));
    decipher.setAuthTag(body.subarray(size));
    const opened = encrypted ? decipher.update(plain) : plain;
    try {
      decipher.final();
    } catch {
      throw altered(path, bytes);
    }
    yield opened;
  }
  if (await bytes.take(1)) throw altered(path, bytes);
}
