// Binary search for a password in the shipped list of breached passwords, loaded on first use. Passwords are compared
// in lower case, because attackers also try other cases. Makes no network request.
import { readFileSync } from "node:fs";
import { sha256 } from "../../../platform/wire/ids.ts";

const BYTES = 5;
let list: Buffer | undefined;

export function isBreached(password: string): boolean {
  list ??= readFileSync(new URL("./breached-passwords.bin", import.meta.url));
  const wanted = sha256(password.normalize("NFC").toLowerCase()).subarray(0, BYTES);
  let [low, high] = [0, list.length / BYTES];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = list.compare(wanted, 0, BYTES, middle * BYTES, (middle + 1) * BYTES);
    if (order === 0) return true;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return false;
}
