// Before anything is asked of DATABASE_URL: that it can be reached, and that it is new enough. One line where it is not, without the password that the
// address may hold.
import pg from "pg";
import { ConfigError, UnreachableError } from "../settings/config-error.ts";
import { isUnavailable } from "./translate.ts";

export async function requirePostgres15(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000, query_timeout: 10_000 });
  client.on("error", () => {});
  const version = await client
    .connect()
    .then(() => client.query("SHOW server_version"))
    .catch((error) => {
      const Fault = isUnavailable(error) || /timeout/.test(error.message) ? UnreachableError : ConfigError;
      throw new Fault([
        `DATABASE_URL: cannot connect: ${error.message || error.code}; check the address and that PostgreSQL runs`,
      ]);
    })
    .finally(() => void client.end());
  const { server_version: text } = version.rows[0];
  if (Number.parseInt(text, 10) < 15)
    throw new ConfigError([`DATABASE_URL: the server is PostgreSQL ${text}; use PostgreSQL 15 or newer`]);
}
