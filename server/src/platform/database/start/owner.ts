// Runs one statement as the owner of the tables, on a connection of its own: for writes at a start, and for data that
// the application's role cannot change.
import { CONNECT_MS, connectClient } from "../connections/client.ts";
import { ownerSession } from "../connections/session.ts";

export async function asOwner(url: string, sql: string, values: unknown[]): Promise<void> {
  const options = { connectionTimeoutMillis: CONNECT_MS, query_timeout: 10_000 };
  const client = await connectClient(url, ownerSession("svc-owner"), options);
  try {
    await client.query(sql, values);
  } finally {
    await client.end();
  }
}
