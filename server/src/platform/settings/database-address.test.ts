// Every form of DATABASE_URL is understood as libpq understands it, or refused in one line that does not show the
// password.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { certificateFor } from "../../../test/certificate.ts";
import { parseDatabaseUrl, readDatabaseUrl, tlsOptions } from "./database-address.ts";

const directory = mkdtempSync(join(tmpdir(), "svc-address-"));
afterAll(() => rmSync(directory, { recursive: true }));
const file = (name: string, text: string) => {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
};
const { cert, key } = certificateFor("db.example.com");
const [ca, sslcert, sslkey] = [file("ca.pem", cert), file("cert.pem", cert), file("key.pem", key)];

const servers = (url: string) => parseDatabaseUrl(url).servers.map(({ host, port }) => `${host} ${port}`);
const refusal = (url: string, env: NodeJS.ProcessEnv = {}) => {
  try {
    readDatabaseUrl(url, env);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
};

describe("the servers of an address", () => {
  test.for([
    ["postgresql://db/svc", ["db 5432"]],
    ["postgres://db:6432/svc", ["db 6432"]],
    ["postgresql://a:1,b:2,c/svc", ["a 1", "b 2", "c 5432"]],
    ["postgresql://a,b:2/svc?port=3,4", ["a 3", "b 4"]],
    ["postgresql:///svc?host=a,b&port=6432", ["a 6432", "b 6432"]],
    ["postgresql://[::1]:6432,[2001:db8::7]/svc", ["::1 6432", "2001:db8::7 5432"]],
    ["postgresql://[fe80::1%25eth0]/svc", ["fe80::1%eth0 5432"]],
    ["postgresql://%2Frun%2Fpostgresql/svc", ["/run/postgresql 5432"]],
    ["postgresql://svc@localhost/svc?host=%2Frun%2Fpg&port=6432", ["/run/pg 6432"]],
    ["postgresql://", ["localhost 5432"]],
  ] as const)("%s", ([url, expected]) => {
    expect(servers(url)).toEqual(expected);
  });

  test.for([
    ["postgresql://a,b,c/svc?port=1,2", /3 hosts and 2 ports/],
    ["postgresql://a:0/svc", /port "0"/],
    ["postgresql://a:65536/svc", /port "65536"/],
    ["postgresql://a:b/svc", /a host is not understood/],
    ["postgresql://::1/svc", /a host is not understood.*\[address\]/],
    ["mysql://a/svc", /not a PostgreSQL address/],
    ["db.example.com", /not a PostgreSQL address/],
  ] as const)("%s is refused", ([url, line]) => {
    expect(refusal(url)).toMatch(line);
  });
});

describe("the parts of an address", () => {
  test("are decoded, each by itself", () => {
    const { user, password, database } = parseDatabaseUrl("postgresql://a%40b:p%3A%2F%3F%25%2Cw@db/my%20%2Fdb");
    expect([user, password, database]).toEqual(["a@b", "p:/?%,w", "my /db"]);
  });
  test("of the query override those before it, and the database defaults to the user", () => {
    const { user, password, database } = parseDatabaseUrl("postgresql://a:b@db?user=c&password=d%26e");
    expect([user, password, database]).toEqual(["c", "d&e", "c"]);
  });
  test("that are not encoded are refused without showing them", () => {
    expect(refusal("postgresql://svc:50%hunter2@db/svc")).toBe(
      'has a "%" that encodes nothing; write %25 for a percent sign',
    );
    expect(refusal("postgresql://svc:hunter/2@db/svc")).not.toMatch(/hunter/);
  });
  test.for([
    ["hostaddr=10.0.0.1", /"hostaddr" is not supported/],
    ["service=mine", /"service" is not supported/],
    ["schema=public", /"schema" is not supported/],
    ["gssencmode=require", /gssencmode=require is not supported/],
    ["client_encoding=latin1", /client_encoding=latin1 is not supported/],
    ["load_balance_hosts=random", /load_balance_hosts=random is not supported/],
    ["target_session_attrs=standby", /names a server that refuses writes; set read-write/],
    ["target_session_attrs=prefer-standby", /names a server that refuses writes/],
    ["target_session_attrs=leader", /set one of any, read-write, primary/],
    ["sslmode=on", /set one of disable, allow, prefer, require, verify-ca, verify-full/],
    ["channel_binding=yes", /set one of disable, prefer, require/],
    ["sslnegotiation=fast", /set one of postgres, direct/],
  ] as const)("?%s is refused", ([query, line]) => {
    expect(refusal(`postgresql://db/svc?${query}`)).toMatch(line);
  });
  test("that svc sets for itself change nothing", () => {
    expect(refusal("postgresql://db/svc?connect_timeout=10&application_name=x&keepalives=1&client_encoding=UTF8")).toBe(
      null,
    );
  });
});

describe("PG* variables", () => {
  const env = { PGHOST: "a,b", PGPORT: "1,2", PGUSER: "u", PGPASSWORD: "p&w", PGDATABASE: "d", PGOPTIONS: "-c x=y" };
  test("supply all parts that the address leaves out", () => {
    const address = parseDatabaseUrl(readDatabaseUrl("postgresql://", env));
    expect(address).toMatchObject({ user: "u", password: "p&w", database: "d", options: "-c x=y" });
    expect(address.servers).toEqual([
      { host: "a", port: 1 },
      { host: "b", port: 2 },
    ]);
  });
  test("change no part that the address names", () => {
    const url = "postgresql://me:secret@db:6432/mine?options=-c%20a%3Db";
    expect(readDatabaseUrl(url, env)).toBe(url);
  });
  test("for TLS count as parameters do", () => {
    const url = readDatabaseUrl("postgresql://db/svc", { PGSSLMODE: "verify-full", PGSSLROOTCERT: ca });
    expect(parseDatabaseUrl(url)).toMatchObject({ tlsMode: "verify-full", tlsFiles: { ca } });
    expect(refusal("postgresql://db/svc", { PGSSLMODE: "maybe" })).toMatch(/sslmode=maybe is not supported/);
  });
  test.for([
    ["PGSERVICE", "mine", []],
    ["PGHOSTADDR", "10.0.0.1", []],
    ["PGREQUIREPEER", "postgres", []],
    ["PGSSLCRL", "/crl.pem", []],
    ["PGSSLCRLDIR", "/crl", []],
    ["PGREQUIREAUTH", "scram-sha-256", []],
    ["PGREQUIRESSL", "1", ["0"]],
    ["PGSSLMINPROTOCOLVERSION", "TLSv1.3", ["TLSv1", "TLSv1.1", "TLSv1.2"]],
    ["PGSSLMAXPROTOCOLVERSION", "TLSv1.2", ["TLSv1.3"]],
    ["PGSSLCERTMODE", "require", ["allow"]],
    ["PGGSSENCMODE", "require", ["disable", "prefer"]],
    ["PGLOADBALANCEHOSTS", "random", ["disable"]],
  ] as const)("that cannot be followed are refused: %s=%s", ([name, value, harmless]) => {
    expect(refusal("postgresql://db/svc", { [name]: value })).toMatch(new RegExp(`^${name} is set to "${value}"`));
    for (const passing of ["", ...harmless])
      expect(refusal("postgresql://db/svc", { [name]: passing }), passing).toBe(null);
  });
});

describe("TLS modes", () => {
  const optionsOf = (query: string) => tlsOptions(parseDatabaseUrl(`postgresql://db/svc?${query}`));
  test("verify as much as libpq does", () => {
    expect(optionsOf("sslmode=prefer")).toEqual({ rejectUnauthorized: false });
    expect(optionsOf("sslmode=require")).toEqual({ rejectUnauthorized: false });
    expect(optionsOf("ssl=true")).toEqual({ rejectUnauthorized: false });
    expect(optionsOf(`sslmode=require&sslrootcert=${ca}`)).toEqual({
      ca: cert,
      checkServerIdentity: expect.any(Function),
    });
    expect(optionsOf(`sslmode=verify-ca&sslrootcert=${ca}`)).toEqual({
      ca: cert,
      checkServerIdentity: expect.any(Function),
    });
    expect(optionsOf(`sslmode=verify-full&sslrootcert=${ca}`)).toEqual({ ca: cert });
    expect(optionsOf("sslmode=verify-full")).toEqual({});
    expect(optionsOf("sslmode=verify-full&sslrootcert=system")).toEqual({});
    expect(optionsOf(`sslmode=require&sslcert=${sslcert}&sslkey=${sslkey}`)).toMatchObject({ cert, key });
  });
  test.for([
    ["sslmode=verify-ca", /needs sslrootcert/],
    ["sslmode=verify-full&sslrootcert=/missing.pem", /the certificate file \/missing\.pem cannot be read \(ENOENT\)/],
    [`sslmode=require&sslcert=${sslcert}`, /sslcert and sslkey belong together/],
    [`sslmode=require&sslcert=${sslcert}&sslkey=${ca}`, /the certificate files cannot be used/],
  ] as const)("?%s is refused", ([query, line]) => {
    expect(refusal(`postgresql://db/svc?${query}`)).toMatch(line);
  });
});
