// Cursors carry the sort key of the last row and a signature that binds them to operation, tenant, caller and filters. A cursor
// that was changed, or is used anywhere else, is refused; page 1,000 costs what page 1 costs.
import { hmac, sameText } from "./ids.ts";
import { Refusal } from "./problem.ts";

export type Key = readonly (string | number | null)[];

/** Where a page starts, and for whom the cursor was made: that is compared when the caller is known. */
export interface Position {
  caller: string;
  after: Key;
}

export function cursorSigner(secretKeys: readonly { key: Buffer }[]) {
  const sign = (key: Buffer, payload: string, binding: string) =>
    hmac(key, `cursor\n${binding}\n${payload}`).subarray(0, 18).toString("base64url");
  const [current] = secretKeys;
  if (!current) throw new Error("no secret key");
  return {
    /** key is a JSON array, as the database built it. */
    seal(key: string, caller: string, binding: string): string {
      const payload = Buffer.from(`["${caller}",${key}]`).toString("base64url");
      return `${payload}.${sign(current.key, payload, binding)}`;
    },
    open(cursor: string, binding: string): Position {
      const [payload = "", signature = "", ...rest] = cursor.split(".");
      const genuine = secretKeys.some(({ key }) => sameText(signature, sign(key, payload, binding)));
      if (!genuine || rest.length > 0) throw new Refusal("invalid_cursor");
      const [caller, after] = JSON.parse(Buffer.from(payload, "base64url").toString()) as [string, Key];
      return { caller, after };
    },
  };
}
export type CursorSigner = ReturnType<typeof cursorSigner>;
