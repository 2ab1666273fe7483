// Reviewed MCP clients: the operator registers them with `npm run clients`, so their callbacks may be https and their
// names are verified. Removing a client revokes its grants in the same transaction.
import { mcpScopes } from "@svc/contract/accounts/oauth/scopes.ts";
import { isPlain, isVisible } from "@svc/contract/plain-name.ts";
import type pg from "pg";
import { newId } from "../../platform/wire/ids.ts";
import { isLoopback, isWebCallback } from "./rules.ts";

type Client = Pick<pg.ClientBase, "query">;

const LONGEST_NAME = 88;
const MOST_CALLBACKS = 20;
const LONGEST_CALLBACK = 2048;

/** The first error of a registration, in one line for the operator; null if it is valid. */
export function faultOfClient(name: string, callbacks: readonly string[]): string | null {
  if (!isVisible(name))
    return 'The client needs a name: npm run clients -- add "Name" https://app.example.com/callback';
  if ([...name].length > LONGEST_NAME) return `The name has more than ${LONGEST_NAME} characters`;
  if (!isPlain(name)) return "The name has control characters or characters that nobody sees";
  if (callbacks.length === 0) return `"${name}" needs a callback, such as https://app.example.com/callback`;
  if (callbacks.length > MOST_CALLBACKS) return `A client has at most ${MOST_CALLBACKS} callbacks`;
  const wrong = callbacks.find((uri) => !mayRegister(uri));
  if (wrong !== undefined) return `${JSON.stringify(wrong)} is no callback: ${reasonAgainst(wrong)}`;
  const twice = callbacks.find((uri, at) => callbacks.indexOf(uri) !== at);
  return twice === undefined ? null : `${twice} is given twice`;
}

const mayRegister = (uri: string) => uri.length <= LONGEST_CALLBACK && (isWebCallback(uri) || isLoopback(uri));

function reasonAgainst(uri: string): string {
  if (uri.length > LONGEST_CALLBACK) return `it has more than ${LONGEST_CALLBACK} characters`;
  const normal = URL.canParse(uri) ? new URL(uri).href : uri;
  if (normal !== uri && isWebCallback(normal)) return `write it as ${normal}`;
  return "use an https address without user, password and fragment, or http on 127.0.0.1, [::1] or localhost";
}

export interface ReviewedClient {
  id: string;
  name: string;
  redirect_uris: string[];
  reviewed_at: Date;
}
const LIST = `
select id, name, redirect_uris, reviewed_at from oauth_clients where reviewed_at is not null order by reviewed_at, id`;
export const listReviewed = async (client: Client): Promise<ReviewedClient[]> => (await client.query(LIST)).rows;

const INSERT = `
insert into oauth_clients (id, name, redirect_uris, scopes, refreshes, reviewed_at)
values ($1, $2, $3, $4, true, now())`;
/** Returns the client_id. Requires a valid name and valid callbacks. */
export async function addReviewed(client: Client, name: string, callbacks: readonly string[]): Promise<string> {
  const id = newId();
  await client.query(INSERT, [id, name, callbacks, mcpScopes]);
  return id;
}

const DELETE = "delete from oauth_clients where id = $1 and reviewed_at is not null";
const REVOKE_GRANTS = `
update oauth_grants set revoked_at = now(), updated_at = now(), revision = revision + 1
where family = 'mcp' and client_id = $1 and revoked_at is null returning id`;
const REVOKE_TOKENS = `
update credentials set revoked_at = now(), updated_at = now(), revision = revision + 1
where grant_id = any($1) and revoked_at is null`;
/**
 * Returns the number of revoked grants, or null if there is no such reviewed client. The deletion waits for consents
 * that hold the client's row, so that the next statement sees their grants.
 */
export async function removeReviewed(client: Client, id: string): Promise<number | null> {
  await client.query("begin");
  try {
    const { rowCount } = await client.query(DELETE, [id]);
    const { rows: grants } = rowCount === 0 ? { rows: [] } : await client.query<{ id: string }>(REVOKE_GRANTS, [id]);
    await client.query(REVOKE_TOKENS, [grants.map((grant) => grant.id)]);
    await client.query("commit");
    return rowCount === 0 ? null : grants.length;
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}
