// Pagination cursors: encrypted and signed sort keys of the last row, bound to operation, tenant, caller and filters. A
// cursor that was changed, or is used anywhere else, is refused; page 1,000 costs what page 1 costs. Encrypted, because
// a list that scans a bounded number of rows continues behind the last of them, which its caller may not see.
import { createCipheriv } from "node:crypto";
import { hmac, sameText } from "./ids.ts";
import { Refusal } from "./problem.ts";

export type Key = readonly (string | number | null)[];

/** Start of a page and the caller that the cursor was issued for, which is compared once the caller is known. */
export interface PageStart {
  caller: string;
  after: Key;
}

/**
 * Binding of a list's cursor: the list, its path parameters and its filters; the page size may change from one page to
 * the next. Codes and ids are case-insensitive.
 */
export function bindingOf(list: string, params: Record<string, string>, query: Record<string, unknown>): string {
  const { cursor: _, limit: __, include: ___, ...filters } = query;
  return JSON.stringify([list, params, Object.entries(filters).sort()]).toLowerCase();
}

export function cursorSigner(secretKeys: readonly { key: Buffer }[]) {
  const keys = secretKeys.map(({ key }) => ({ key, cipher: hmac(key, "cursor cipher") }));
  const sign = (key: Buffer, text: string, binding: string) =>
    hmac(key, `cursor\n${binding}\n${text}`).subarray(0, 18).toString("base64url");
  // The signature is the initial counter of the key stream, so that no two texts share one. Encryption and decryption
  // are the same.
  const turn = (cipher: Buffer, signature: string, bytes: Buffer) =>
    createCipheriv("aes-256-ctr", cipher, Buffer.from(signature, "base64url").subarray(0, 16)).update(bytes);
  const [current] = keys;
  if (!current) throw new Error("no secret key");
  return {
    /** `key` is a JSON array, as the database built it. */
    seal(key: string, caller: string, binding: string): string {
      const text = `["${caller}",${key}]`;
      const signature = sign(current.key, text, binding);
      return `${turn(current.cipher, signature, Buffer.from(text)).toString("base64url")}.${signature}`;
    },
    open(cursor: string, binding: string): PageStart {
      const [payload = "", signature = "", ...rest] = cursor.split(".");
      const bytes = Buffer.from(payload, "base64url");
      // Some characters can be changed without a change of the bytes, so the spelling is compared too.
      const spelled = /^[\w-]{24}$/.test(signature) && bytes.toString("base64url") === payload && rest.length === 0;
      for (const { key, cipher } of spelled ? keys : []) {
        const text = turn(cipher, signature, bytes).toString();
        if (!sameText(signature, sign(key, text, binding))) continue;
        const [caller, after] = JSON.parse(text) as [string, Key];
        return { caller, after };
      }
      throw new Refusal("invalid_cursor");
    },
  };
}
export type CursorSigner = ReturnType<typeof cursorSigner>;
