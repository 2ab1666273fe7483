// The file of a backup: what was written comes back, and nothing else ever does. Every way in which a file can be wrong
// is one line.
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { ConfigError } from "../../platform/settings/config-error.ts";
import { open, type SealKeys, seal } from "./seal.ts";

const directory = mkdtempSync(join(tmpdir(), "svc-seal-"));
const path = join(directory, "a.backup");
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const secretKeys = [{ id: "k1", key: randomBytes(32) }];
const plain: SealKeys = { keyFile: null, secretKeys };
const encrypted: SealKeys = { keyFile: randomBytes(32), secretKeys };
// Three chunks and a bit, in pieces that fit nowhere.
const content = randomBytes(3 * 256 * 1024 + 77);

async function* pieces(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 100_003) yield bytes.subarray(at, at + 100_003);
}
async function sealed(keys: SealKeys, bytes = content): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of seal(pieces(bytes), { version: "0.2.0", keys: [] }, keys)) parts.push(part);
  return Buffer.concat(parts);
}
async function opened(file: Buffer, keys: SealKeys): Promise<Buffer> {
  writeFileSync(path, file);
  const parts: Buffer[] = [];
  for await (const part of (await open(path, keys)).data) parts.push(part);
  return Buffer.concat(parts);
}
async function refusal(file: Buffer, keys: SealKeys): Promise<string> {
  const error = await opened(file, keys).then(
    () => null,
    (fault) => fault,
  );
  expect(error).toBeInstanceOf(ConfigError);
  expect(error.lines).toHaveLength(1);
  return error.lines[0];
}
const flipped = (file: Buffer, at: number) => {
  const copy = Buffer.from(file);
  copy[at] = (copy[at] as number) ^ 1;
  return copy;
};

describe.each([
  ["sealed", plain],
  ["encrypted", encrypted],
])("a file that is %s", (kind, keys) => {
  test("gives back what it was given, of any length", async () => {
    expect((await opened(await sealed(keys), keys)).equals(content)).toBe(true);
    for (const size of [0, 1, 256 * 1024, 512 * 1024]) {
      const bytes = content.subarray(0, size);
      expect((await opened(await sealed(keys, bytes), keys)).equals(bytes), String(size)).toBe(true);
    }
  });

  test("shows its content to nobody without the key, where one was given", async () => {
    const words = Buffer.alloc(4096, "what people wrote ");
    expect((await sealed(keys, words)).includes("what people wrote")).toBe(kind === "sealed");
  });

  test("that is cut anywhere is refused, also where a chunk ends", async () => {
    const file = await sealed(keys);
    const head = file.indexOf("}") + 1;
    const afterHead = file.indexOf(Buffer.from([0, 4, 0, 0]), head);
    const boundaries = [0, 1, 2].map((count) => afterHead + count * (4 + 256 * 1024 + 16));
    for (const at of [12, 20, head, ...boundaries, file.length - 1, file.length - 17])
      expect(await refusal(file.subarray(0, at), keys), String(at)).toMatch(/ is cut off after \d+ bytes; copy /);
  });

  test("that was altered anywhere behind its head is refused, and so is one with more behind its end", async () => {
    const file = await sealed(keys);
    const head = file.indexOf(Buffer.from([0, 4, 0, 0]), 15);
    for (const at of [head + 3, head + 4, head + 300_000, file.length - 20, file.length - 1])
      expect(await refusal(flipped(file, at), keys), String(at)).toMatch(/altered or damaged|is cut off/);
    expect(await refusal(Buffer.concat([file, Buffer.from("x")]), keys)).toMatch(/altered/);
  });

  test("whose head was altered is refused, whatever it then says", async () => {
    const file = await sealed(keys);
    const later = Buffer.from(file.toString("latin1").replace('"0.2.0"', '"0.1.0"'), "latin1");
    expect(await refusal(later, keys)).toMatch(/altered/);
    const claim =
      kind === "sealed" ? ['"encrypted":false', '"encrypted":true '] : ['"encrypted":true', '"encrypted":fals'];
    const other = Buffer.from(file.toString("latin1").replace(...(claim as [string, string])), "latin1");
    expect(await refusal(other, { ...encrypted, ...keys })).toMatch(/altered|encrypted/);
  });

  test("whose chunks change places, or come from another file, is refused", async () => {
    const [file, other] = [await sealed(keys), await sealed(keys)];
    const [first, chunk] = [file.indexOf(Buffer.from([0, 4, 0, 0]), 15), 4 + 256 * 1024 + 16];
    const [one, two] = [file.subarray(first, first + chunk), file.subarray(first + chunk, first + 2 * chunk)];
    const rest = file.subarray(first + 2 * chunk);
    expect(await refusal(Buffer.concat([file.subarray(0, first), two, one, rest]), keys)).toMatch(/altered/);
    const foreign = other.subarray(first, first + chunk);
    expect(await refusal(Buffer.concat([file.subarray(0, first), foreign, two, rest]), keys)).toMatch(/altered/);
    expect(await refusal(Buffer.concat([file.subarray(0, first), one, rest]), keys)).toMatch(/altered/);
  });

  test("of a newer format says which version wrote it", async () => {
    const file = await sealed(keys);
    const newer = Buffer.from(file.toString("latin1").replace('"format":1', '"format":2'), "latin1");
    expect(await refusal(newer, keys)).toMatch(/written by version 0\.2\.0 in a newer format; restore it with that/);
  });
});

describe("keys", () => {
  test("an encrypted file needs its own key, and says which is missing", async () => {
    const file = await sealed(encrypted);
    expect(await refusal(file, plain)).toMatch(/is encrypted; give the key .* --key-file/);
    expect(await refusal(file, { keyFile: randomBytes(32), secretKeys })).toMatch(/encrypted with another key/);
  });

  test("a sealed file needs the secret key that it was made under", async () => {
    const others = [{ id: "k1", key: randomBytes(32) }];
    const rule = /under the secret key k1, which is not among these; put back the keys/;
    expect(await refusal(await sealed(plain), { keyFile: null, secretKeys: others })).toMatch(rule);
    const rotated = [{ id: "k2", key: randomBytes(32) }, ...secretKeys];
    const file = await sealed(plain);
    expect((await opened(file, { keyFile: null, secretKeys: rotated })).equals(content)).toBe(true);
  });

  test("what is no backup, and what is not there, is said", async () => {
    expect(await refusal(Buffer.from("PK\x03\x04 something else"), plain)).toMatch(/is not a backup of svc/);
    expect(await refusal(Buffer.alloc(0), plain)).toMatch(/is not a backup of svc/);
    await expect(open(join(directory, "nothing"), plain)).rejects.toThrow(/does not exist; name the file/);
  });
});
