// Creates a database on the PostgreSQL of TEST_DATABASE_URL, whose user must be a superuser; null without that
// variable.
import pg from "pg";

/** Defines uuidv7(interval), which PostgreSQL has since version 18: the bench dates its rows with it. */
const SHIFTED = `
do $do$ begin
  if to_regprocedure('pg_catalog.uuidv7(interval)') is not null then return; end if;
  create function uuidv7(shift interval) returns uuid language sql volatile parallel safe as $$
    select encode(overlay(uuid_send(gen_random_uuid())
      placing substring(int8send(at / 1000) from 3) || substring(int8send(28672 + at % 1000 * 4096 / 1000) from 7)
        from 1 for 8), 'hex')::uuid
    from (select (extract(epoch from clock_timestamp() + shift) * 1000000)::bigint as at) now $$;
end $do$`;

export async function foreignDatabase(): Promise<{ url: string; stop(): Promise<void> } | null> {
  const server = process.env.TEST_DATABASE_URL;
  if (!server) return null;
  const name = `bench_${process.pid}`;
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
  const run = async (at: string, sql: string) => {
    const client = new pg.Client(at);
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  await run(server, `create database ${name}`);
  await run(url, SHIFTED);
  return { url, stop: () => run(server, `drop database ${name} with (force)`) };
}
