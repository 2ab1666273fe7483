// Verifies that the configured keys belong to the database, which stores a check value of each key that it was ever
// started with. A start with keys that cannot decrypt the stored secrets ends at once with an explanation; otherwise
// every sealed value would be lost silently. The id of a key is never reused for another key, not even after it was
// retired.
import { createHmac, timingSafeEqual } from "node:crypto";
import type pg from "pg";
import { ConfigError } from "../../settings/config-error.ts";
import type { SecretKey } from "../../settings/secret-keys.ts";
import { CONNECT_MS, connectClient } from "../connections/client.ts";
import { ownerSession } from "../connections/session.ts";

interface Known {
  id: string;
  check_value: Buffer;
  retired_at: Date | null;
}
const KNOWN = "select id, check_value, retired_at from secret_keys order by created_at, id";
const KEEP = "insert into secret_keys (id, check_value) values ($1, $2)";
const checkValue = ({ id, key }: SecretKey) => createHmac("sha256", key).update(`svc key check ${id}`).digest();

/** `from`: origin of the keys for the message to an operator, SECRET_KEYS or the path of the file. */
export async function checkKeys(url: string, keys: readonly SecretKey[], from: string): Promise<void> {
  const options = { connectionTimeoutMillis: CONNECT_MS, query_timeout: 10_000 };
  const client = await connectClient(url, ownerSession("svc-keys"), options);
  try {
    // Locks the table: if two processes start at once, the second sees the first one's keys.
    await client.query("begin");
    await client.query("lock table secret_keys in share row exclusive mode");
    const known = (await client.query<Known>(KNOWN)).rows;
    const fault = keysFault(keys, known);
    if (fault) throw new ConfigError([`${from}: ${fault}`]);
    for (const key of keys.filter(({ id }) => !known.some((one) => one.id === id)))
      await client.query(KEEP, [key.id, checkValue(key)]);
    await client.query("commit");
  } finally {
    await client.end();
  }
}

const RESTORE = "restore the keys of this database from your backup";
/** Explains why these keys do not match the database; null if they do. */
export function keysFault(keys: readonly SecretKey[], known: readonly Known[]): string | null {
  for (const key of keys) {
    const kept = known.find(({ id }) => id === key.id);
    if (kept && !timingSafeEqual(kept.check_value, checkValue(key)))
      return (
        `the key ${key.id} is not the one that this database was written with; ` +
        `${RESTORE}, and give a new key an ` +
        "id that was never used"
      );
    if (kept?.retired_at)
      return (
        `the key ${key.id} was retired on ${kept.retired_at.toISOString().slice(0, 10)}; ` +
        "give a new key an id that was never used"
      );
  }
  const missing = known.filter(({ id, retired_at }) => retired_at === null && !keys.some((key) => key.id === id));
  if (missing.length === 0) return null;
  const names = missing.map(({ id }) => id).join(", ");
  if (missing.length === known.filter(({ retired_at }) => retired_at === null).length)
    return `none of these keys opens what this database holds, which needs ${names}; ${RESTORE}`;
  return (
    `the key ${names} is missing, with which a part of this database is sealed; put it behind the first key, ` +
    `or give up what it seals: npm run keys -- retire ${missing[0]?.id}`
  );
}

/** Lists the known keys, oldest first. */
export const listKeys = async (client: pg.Client) => (await client.query<Known>(KNOWN)).rows;

/** Retires a key: from now on a start must not name it. Resolves to whether there was such a key to retire. */
export async function retireKey(client: pg.Client, id: string): Promise<boolean> {
  const retire = "update secret_keys set retired_at = now() where id = $1 and retired_at is null";
  return ((await client.query(retire, [id])).rowCount ?? 0) > 0;
}
