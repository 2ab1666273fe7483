// Parses DATABASE_URL as libpq does: several hosts, IPv6, socket directories, percent-encoded parts and TLS modes. PG*
// variables supply the parts that the address omits. Refuses, in one line without the password, every parameter that
// svc would otherwise ignore.
import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { createSecureContext } from "node:tls";

export interface DatabaseServer {
  /** A name, an IP address, or the directory of a socket, which begins with "/". */
  host: string;
  port: number;
}
const tlsModes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const;
export type TlsMode = (typeof tlsModes)[number];

export interface DatabaseAddress {
  /** Servers in connection order. */
  servers: readonly DatabaseServer[];
  user: string;
  password: string | undefined;
  database: string;
  tlsMode: TlsMode;
  /** Paths of files; `system` as the CA file selects the certificate authorities of the machine. */
  tlsFiles: { ca?: string; cert?: string; key?: string };
  passphrase: string | undefined;
  directTls: boolean;
  channelBinding: "disable" | "prefer" | "require";
  /** Whether a server whose sessions are read-only by default is skipped. */
  skipsReadOnly: boolean;
  options: string | undefined;
}

const EXAMPLE = "postgresql://user:password@host:5432/database";
/** Variable that supplies the default of each parameter. */
const VARIABLES = {
  host: "PGHOST",
  port: "PGPORT",
  user: "PGUSER",
  password: "PGPASSWORD",
  dbname: "PGDATABASE",
  sslmode: "PGSSLMODE",
  sslrootcert: "PGSSLROOTCERT",
  sslcert: "PGSSLCERT",
  sslkey: "PGSSLKEY",
  sslpassword: null,
  sslnegotiation: "PGSSLNEGOTIATION",
  channel_binding: "PGCHANNELBINDING",
  target_session_attrs: "PGTARGETSESSIONATTRS",
  options: "PGOPTIONS",
} as const;
type Parameter = keyof typeof VARIABLES;
type Parameters = Partial<Record<Parameter, string>>;

/** Parameters that svc sets for each connection itself. */
const OWN =
  /^(?:application_name|fallback_application_name|connect_timeout|tcp_user_timeout|keepalives\w*|client_encoding|uselibpqcompat|gssencmode|load_balance_hosts)$/;
const ONLY: Record<string, RegExp> = {
  client_encoding: /^(?:utf-?8|auto|unicode)$/i,
  gssencmode: /^(?:disable|prefer)$/,
  load_balance_hosts: /^disable$/,
};
/** Variables that libpq supports and svc does not, with the values that require nothing beyond what svc does. */
const REFUSED: Record<string, RegExp> = {
  PGSERVICE: /^$/,
  PGHOSTADDR: /^$/,
  PGREQUIREPEER: /^$/,
  PGSSLCRL: /^$/,
  PGSSLCRLDIR: /^$/,
  PGREQUIREAUTH: /^$/,
  PGREQUIRESSL: /^(?!1)/,
  PGSSLMINPROTOCOLVERSION: /^(?:TLSv1(?:\.[12])?)?$/i,
  PGSSLMAXPROTOCOLVERSION: /^(?:TLSv1\.3)?$/i,
  PGSSLCERTMODE: /^(?:allow)?$/,
  PGGSSENCMODE: /^(?:disable|prefer)?$/,
  PGLOADBALANCEHOSTS: /^(?:disable)?$/,
};

/** Adds the PG* variables to the address, so that it means the same in every process. */
export function readDatabaseUrl(text: string, env: NodeJS.ProcessEnv): string {
  const given = parametersOf(text);
  for (const [name, harmless] of Object.entries(REFUSED))
    if (!harmless.test(env[name] ?? ""))
      throw new Error(
        `${name} is set to "${env[name]}", which svc does not support; unset it, and name the server and its ` +
          "sslmode here",
      );
  const added = Object.entries(VARIABLES).flatMap(([name, variable]) => {
    const value = variable === null ? undefined : env[variable];
    return value && given[name as Parameter] === undefined ? [`${name}=${encodeURIComponent(value)}`] : [];
  });
  const url = added.length === 0 ? text : `${text}${text.includes("?") ? "&" : "?"}${added.join("&")}`;
  checkTlsFiles(parseDatabaseUrl(url));
  return url;
}

/** Parses an address without the environment: see readDatabaseUrl. */
export function parseDatabaseUrl(url: string): DatabaseAddress {
  const given = parametersOf(url);
  const mode = given.sslmode ?? "disable";
  const tlsMode = mode === "no-verify" ? "require" : oneOf("sslmode", tlsModes, mode);
  const user = given.user ?? userInfo().username;
  return {
    servers: serversOf(given),
    user,
    password: given.password,
    database: given.dbname ?? user,
    tlsMode,
    tlsFiles: {
      ...(given.sslrootcert === undefined ? {} : { ca: given.sslrootcert }),
      ...(given.sslcert === undefined ? {} : { cert: given.sslcert }),
      ...(given.sslkey === undefined ? {} : { key: given.sslkey }),
    },
    passphrase: given.sslpassword,
    directTls: oneOf("sslnegotiation", ["postgres", "direct"], given.sslnegotiation ?? "postgres") === "direct",
    channelBinding: oneOf("channel_binding", ["disable", "prefer", "require"], given.channel_binding ?? "disable"),
    skipsReadOnly: targetOf(given.target_session_attrs ?? "any") === "read-write",
    options: given.options,
  };
}

/** Decodes the parts of the address and of its query; the query takes precedence. */
function parametersOf(url: string): Parameters {
  const [, authority = "", path = "", query = ""] =
    /^postgres(?:ql)?:\/\/([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s.exec(url) ?? [];
  if (!/^postgres(?:ql)?:\/\//.test(url)) throw new Error(`is not a PostgreSQL address; set ${EXAMPLE}`);
  const at = authority.lastIndexOf("@");
  const [, user = "", password] = /^([^:]*)(?::(.*))?$/s.exec(authority.slice(0, Math.max(at, 0))) ?? [];
  const hosts = hostsOf(authority.slice(at + 1));
  const parts: Record<string, string | undefined> = {
    user,
    password,
    dbname: path,
    host: hosts.map(({ host }) => host).join(SEPARATOR),
    port: hosts.some(({ port }) => port !== "") ? hosts.map(({ port }) => port).join(",") : "",
  };
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(parts)) if (value) given[name] = decoded(value);
  for (const pair of query.split("&").filter(Boolean)) {
    const [, name = "", value = ""] = /^([^=]*)=?(.*)$/s.exec(pair) ?? [];
    addParameter(given, decoded(name), decoded(name) === "host" ? hostList(value) : decoded(value));
  }
  return given;
}

/** Separates decoded hosts, because a socket directory may contain a comma. */
const SEPARATOR = "\0";
/** An encoded comma separates hosts, as in libpq, unless it is in the path of a socket directory. */
const hostList = (text: string) =>
  text
    .split(",")
    .map((each) => (decoded(each).startsWith("/") ? decoded(each) : decoded(each).replaceAll(",", SEPARATOR)))
    .join(SEPARATOR);

function addParameter(given: Record<string, string>, name: string, value: string): void {
  if (name === "ssl") {
    given.sslmode ??= oneOf("ssl", ["true", "1", "false", "0"], value).match(/true|1/) ? "require" : "disable";
    return;
  }
  const only = ONLY[name];
  if (only && !only.test(value)) throw new Error(`${name}=${value} is not supported; remove it`);
  if (OWN.test(name)) return;
  if (!(name in VARIABLES)) throw new Error(`the parameter "${name}" is not supported; remove it`);
  if (value !== "") given[name] = value;
}

function hostsOf(text: string): { host: string; port: string }[] {
  if (text === "") return [];
  return text.split(",").map((each) => {
    const [whole, v6, name, port = ""] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(\d*))?$/.exec(each) ?? [];
    if (whole === undefined)
      throw new Error(`a host is not understood; write host:port, or [address]:port for IPv6, as in ${EXAMPLE}`);
    return { host: v6 ?? name ?? "", port };
  });
}

function serversOf(given: Parameters): DatabaseServer[] {
  const hosts = (given.host ?? "").split(SEPARATOR).map((host) => host || "localhost");
  const ports = (given.port ?? "").split(",");
  if (ports.length !== 1 && ports.length !== hosts.length)
    throw new Error(`names ${hosts.length} hosts and ${ports.length} ports; name one port for all, or one for each`);
  return hosts.map((host, at) => {
    const text = (ports.length === 1 ? ports[0] : ports[at]) || "5432";
    const port = Number(text);
    if (!/^\d+$/.test(text) || port < 1 || port > 65_535)
      throw new Error(`the port "${text}" is not one from 1 to 65535`);
    return { host, port };
  });
}

/** Refuses standby targets, because svc writes. */
function targetOf(target: string): "any" | "read-write" | "primary" {
  if (["read-only", "standby", "prefer-standby"].includes(target))
    throw new Error(`target_session_attrs=${target} names a server that refuses writes; set read-write`);
  return oneOf("target_session_attrs", ["any", "read-write", "primary"], target);
}

function oneOf<T extends string>(name: string, values: readonly T[], text: string): T {
  const found = values.find((value) => value === text);
  if (found === undefined) throw new Error(`${name}=${text} is not supported; set one of ${values.join(", ")}`);
  return found;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('has a "%" that encodes nothing; write %25 for a percent sign');
  }
}

export interface TlsOptions {
  ca?: string;
  cert?: string;
  key?: string;
  passphrase?: string;
  rejectUnauthorized?: boolean;
  checkServerIdentity?: () => undefined;
}
/** Reads the files for each connection, so that replaced certificates are used without a restart. */
export function tlsOptions({ tlsMode, tlsFiles, passphrase }: DatabaseAddress): TlsOptions {
  const { ca, ...own } = tlsFiles;
  const files = Object.entries(ca === "system" ? own : tlsFiles).map(([name, path]) => [
    name,
    readFileSync(path, "utf8"),
  ]);
  const options: TlsOptions = { ...Object.fromEntries(files), ...(passphrase === undefined ? {} : { passphrase }) };
  if (tlsMode === "verify-full" || ca === "system") return options;
  // A CA file makes `require` verify, as in libpq.
  if (tlsMode === "verify-ca" || (tlsMode === "require" && ca))
    return { ...options, checkServerIdentity: () => undefined };
  return { ...options, rejectUnauthorized: false };
}

function checkTlsFiles(address: DatabaseAddress): void {
  const { tlsMode, tlsFiles } = address;
  if (tlsMode === "disable") return;
  if (tlsMode === "verify-ca" && !tlsFiles.ca)
    throw new Error("sslmode=verify-ca needs sslrootcert, the path of the CA's certificate; or set verify-full");
  if (Boolean(tlsFiles.cert) !== Boolean(tlsFiles.key))
    throw new Error("sslcert and sslkey belong together; set both or neither");
  try {
    createSecureContext(tlsOptions(address));
  } catch (error) {
    const { code, path, message } = error as NodeJS.ErrnoException;
    throw new Error(
      path
        ? `the certificate file ${path} cannot be read (${code}); check sslrootcert, sslcert and sslkey`
        : `the certificate files cannot be used: ${message}; check sslrootcert, sslcert and sslkey`,
    );
  }
}
