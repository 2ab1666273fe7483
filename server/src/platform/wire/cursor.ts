// Cursors carry the sort key of the last row and a signature that binds them to operation, tenant, caller and filters. A cursor
// that was changed, or is used anywhere else, is refused; page 1,000 costs what page 1 costs. It cannot be read either: a list that looks
// at a bounded number of rows goes on behind the last of them, which its caller may not see.
import { createCipheriv } from "node:crypto";
import { hmac, sameText } from "./ids.ts";
import { Refusal } from "./problem.ts";

export type Key = readonly (string | number | null)[];

/** Where a page starts, and for whom the cursor was made: that is compared when the caller is known. */
export interface Position {
  caller: string;
  after: Key;
}

/**
 * What a cursor of a list is bound to: the list, what its path names, and its filters; how much a page shows may change from one to the next.
 * Codes and ids are the same in any case.
 */
export function bindingOf(list: string, params: Record<string, string>, query: Record<string, unknown>): string {
  const { cursor: _, limit: __, include: ___, ...filters } = query;
  return JSON.stringify([list, params, Object.entries(filters).sort()]).toLowerCase();
}

export function cursorSigner(secretKeys: readonly { key: Buffer }[]) {
  const keys = secretKeys.map(({ key }) => ({ key, cipher: hmac(key, "cursor cipher") }));
  const sign = (key: Buffer, text: string, binding: string) =>
    hmac(key, `cursor\n${binding}\n${text}`).subarray(0, 18).toString("base64url");
  // The signature of a text is where its key stream starts, so that no two texts share one. There and back are the same.
  const turn = (cipher: Buffer, signature: string, bytes: Buffer) =>
    createCipheriv("aes-256-ctr", cipher, Buffer.from(signature, "base64url").subarray(0, 16)).update(bytes);
  const [current] = keys;
  if (!current) throw new Error("no secret key");
  return {
    /** key is a JSON array, as the database built it. */
    seal(key: string, caller: string, binding: string): string {
      const text = `["${caller}",${key}]`;
      const signature = sign(current.key, text, binding);
      return `${turn(current.cipher, signature, Buffer.from(text)).toString("base64url")}.${signature}`;
    },
    open(cursor: string, binding: string): Position {
      const [payload = "", signature = "", ...rest] = cursor.split(".");
      const bytes = Buffer.from(payload, "base64url");
      // Some characters can be changed without a change of the bytes.
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
