// One statement as the owner of the tables, on a connection of its own: for what is written at a start, and what the application's role cannot change.
import pg from "pg";

export async function asOwner(url: string, sql: string, values: unknown[]): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000, query_timeout: 10_000 });
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query(sql, values);
  } finally {
    await client.end();
  }
}
