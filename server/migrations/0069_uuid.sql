-- Before version 18 PostgreSQL has no uuidv7(), which triggers and background work use. Its own takes precedence once it is there.
do $migration$ begin
  if to_regprocedure('pg_catalog.uuidv7()') is not null then return; end if;
  -- Milliseconds in 48 bits, the version, their fraction in 12 bits, then the variant and random bits.
  create function uuidv7() returns uuid language sql volatile parallel safe as $$
    select encode(overlay(uuid_send(gen_random_uuid())
      placing substring(int8send(at / 1000) from 3) || substring(int8send(28672 + at % 1000 * 4096 / 1000) from 7) from 1 for 8), 'hex')::uuid
    from (select (extract(epoch from clock_timestamp()) * 1000000)::bigint as at) now $$;
end $migration$;
