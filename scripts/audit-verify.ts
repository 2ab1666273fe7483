// npm run audit:verify: holds the audit log against its seals and their head outside of the database. Says the first broken place and ends with 1,
// or with 0 where there is none. Works on DATABASE_URL, or on the embedded database of DATA_DIR, whether the service runs or not.
// --accept takes the database as it is for the new head: for after a backup was put back on purpose.
import { acceptHead, verifyAudit } from "../server/src/platform/background/audit-seals.ts";
import { openStorage } from "../server/src/platform/outside/storage.ts";
import { onDatabase } from "./on-database.ts";

await onDatabase(async (client, config) => {
  const storage = openStorage(config, () => config.publicUrl);
  if (process.argv.includes("--accept")) await acceptHead(client, storage);
  const fault = await verifyAudit(client, config.secretKeys, storage);
  if (fault === null) console.log("The audit log is as it was sealed.");
  return fault;
});
