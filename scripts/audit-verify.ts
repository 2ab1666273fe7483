// npm run audit:verify: verifies the audit log against its seals and the seal head stored outside of the database.
// Prints the first broken place and exits with 1, or exits with 0. Works on DATABASE_URL, or on the embedded database
// of DATA_DIR, whether the service runs or not. --accept stores the database's current state as the new head: for use
// after a deliberate restore of a backup.
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
