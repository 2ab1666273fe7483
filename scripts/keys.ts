// npm run keys: lists the secret keys that the database refers to. `-- retire <id>` lets the service start without a
// key whose secrets are abandoned; its id is never used again. Works on DATABASE_URL, or on the embedded database of
// DATA_DIR, whether the service runs or not.
import { listKeys, retireKey } from "../server/src/platform/database/start/key-check.ts";
import { onDatabase } from "./on-database.ts";

await onDatabase(async (client) => {
  const [verb, id] = process.argv.slice(2);
  if (verb === "retire") {
    if (!id || !(await retireKey(client, id))) return `There is no key ${id ?? ""} to retire; npm run keys lists them`;
    console.log(`${id} is retired. Take it out of SECRET_KEYS or DATA_DIR/keys and start the service again.`);
    return null;
  }
  for (const key of await listKeys(client))
    console.log(`${key.id}${key.retired_at ? `  retired ${key.retired_at.toISOString().slice(0, 10)}` : ""}`);
  return null;
});
