// Cursors carry the sort key of the last row and a signature that binds them to operation, tenant, caller and filters. A cursor
// that was changed, or is used anywhere else, is refused; page 1,000 costs what page 1 costs.
import { hmac, sameText } from "./ids.ts";
import { Refusal } from "./problem.ts";

export type Key = readonly (string | number | null)[];

export function cursorSigner(secretKeys: readonly { key: Buffer }[]) {
  const sign = (key: Buffer, payload: string, binding: string) =>
    hmac(key, `cursor\n${binding}\n${payload}`).subarray(0, 18).toString("base64url");
  const [current] = secretKeys;
  if (!current) throw new Error("no secret key");
  return {
    seal(key: string, binding: string): string {
      const payload = Buffer.from(key).toString("base64url");
      return `${payload}.${sign(current.key, payload, binding)}`;
    },
    open(cursor: string, binding: string): Key {
      const [payload = "", signature = "", ...rest] = cursor.split(".");
      const genuine = secretKeys.some(({ key }) => sameText(signature, sign(key, payload, binding)));
      if (!genuine || rest.length > 0) throw new Refusal("invalid_cursor");
      return JSON.parse(Buffer.from(payload, "base64url").toString()) as Key;
    },
  };
}
export type CursorSigner = ReturnType<typeof cursorSigner>;
