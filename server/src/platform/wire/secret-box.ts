// Encrypts secrets that must be readable again: AES-256-GCM under a configured key, prefixed with the key's id so that
// keys rotate, and bound to the row they belong to, so that a value moved to another row does not decrypt.
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

export interface SecretBox {
  seal(plain: string, row: string): string;
  /**
   * Null if the key was retired, which gives up its values. Throws if the value was altered, or belongs to another row.
   */
  open(sealed: string, row: string): string | null;
}

export function secretBox(secretKeys: readonly { id: string; key: Buffer }[]): SecretBox {
  const [current] = secretKeys;
  if (!current) throw new Error("no secret key");
  return {
    seal(plain, row) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", current.key, nonce).setAAD(Buffer.from(row));
      const sealed = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return [
        current.id,
        nonce.toString("base64url"),
        Buffer.concat([sealed, cipher.getAuthTag()]).toString("base64url"),
      ].join(".");
    },
    open(sealed, row) {
      const [id, nonce = "", data = ""] = sealed.split(".");
      const key = secretKeys.find((candidate) => candidate.id === id);
      if (!key) return null;
      const bytes = Buffer.from(data, "base64url");
      const decipher = createDecipheriv("aes-256-gcm", key.key, Buffer.from(nonce, "base64url")).setAAD(
        Buffer.from(row),
      );
      decipher.setAuthTag(bytes.subarray(-16));
      return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString("utf8");
    },
  };
}
