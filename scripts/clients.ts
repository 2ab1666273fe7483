// npm run clients: lists the reviewed MCP clients. `-- add "Name" https://app.example.com/callback` registers one and
// prints its client_id, `-- remove <client_id>` removes it and revokes its grants. Works on DATABASE_URL, or on the
// embedded database of DATA_DIR.
import {
  addReviewed,
  faultOfClient,
  listReviewed,
  removeReviewed,
} from "../server/src/accounts/oauth/reviewed-clients.ts";
import { onDatabase } from "./on-database.ts";

const USAGE =
  'Use npm run clients, npm run clients -- add "Name" <callback>..., or npm run clients -- remove <client_id>';

await onDatabase(async (client) => {
  const [verb, first = "", ...others] = process.argv.slice(2);
  if (verb === "add") {
    const name = first.trim();
    const fault = faultOfClient(name, others);
    if (fault === null) console.log(await addReviewed(client, name, others));
    return fault;
  }
  if (verb === "remove" && first !== "" && others.length === 0) {
    const grants = await removeReviewed(client, first);
    if (grants === null) return `There is no reviewed client ${JSON.stringify(first)}; npm run clients lists them`;
    console.log(`Removed, and ${grants} ${grants === 1 ? "grant" : "grants"} revoked.`);
    return null;
  }
  if (verb !== undefined) return USAGE;
  const clients = await listReviewed(client);
  for (const { id, name, redirect_uris, reviewed_at } of clients)
    console.log(`${id}  ${name}  added ${reviewed_at.toISOString().slice(0, 10)}  ${redirect_uris.join(" ")}`);
  if (clients.length === 0) console.log("No client is reviewed.");
  return null;
});
