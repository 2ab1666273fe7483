// The only module that opens connections to PostgreSQL, for pools, channel, migrations and the operator's commands.
// Tries the servers of the address in order, beginning with the last good one, and refuses a standby, because svc
// writes. Reads no environment variables, and sends only what the address or the caller specified.
import { isIP } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import {
  type DatabaseAddress,
  type DatabaseServer,
  parseDatabaseUrl,
  type TlsMode,
  tlsOptions,
} from "../../settings/database-address.ts";
import { type Reachability, reachability } from "./reachability.ts";
import { establish, ownerSession, type Session } from "./session.ts";
import { onSilence } from "./silence.ts";

/** One server of the address, with or without encryption. */
interface Route {
  server: DatabaseServer;
  encrypted: boolean;
}
interface Target {
  address: DatabaseAddress;
  /** The route that connected last; pools use no other. */
  current: Route;
  reach: Reachability;
}
const targets = new Map<string, Target>();
function targetOf(url: string): Target {
  const known = targets.get(url);
  if (known) return known;
  const address = parseDatabaseUrl(url);
  const reach = reachability(() => probe(url), address.servers.length);
  const target = { address, current: routesOf(address)[0] as Route, reach };
  targets.set(url, target);
  return target;
}

export const reachabilityOf = (url: string): Reachability => targetOf(url).reach;

const ENCRYPTED: Record<TlsMode, readonly boolean[]> = {
  disable: [false],
  allow: [false, true],
  prefer: [true, false],
  require: [true],
  "verify-ca": [true],
  "verify-full": [true],
};
const isSocket = ({ host }: DatabaseServer) => host.startsWith("/");
/** Routes to all servers, in their order, beginning with `first`. */
function routesOf({ servers, tlsMode }: DatabaseAddress, first = 0): Route[] {
  return [...servers.slice(first), ...servers.slice(0, first)].flatMap((server) =>
    (isSocket(server) ? [false] : ENCRYPTED[tlsMode]).map((encrypted) => ({ server, encrypted })),
  );
}

export interface DatabaseOptions extends pg.ClientConfig {
  url: string;
  route?: Route;
  /** Sent and verified before the first use; a connection that fails this is destroyed. */
  session: Session;
  /**
   * Time limit of one attempt without an answer. Defaults to connectionTimeoutMillis, which also limits the wait for a
   * pool.
   */
  attemptMs?: number;
}

/** Internals of pg that its types do not declare. */
interface Wire {
  connectionParameters: { options?: string };
  connection: {
    stream: { bytesRead: number; destroy(error?: Error): void };
    on(event: "parameterStatus", listener: (status: { parameterName: string; parameterValue: string }) => void): void;
    on(event: "authenticationSASL", listener: (offer: { mechanisms: string[] }) => void): void;
  };
}

export class DatabaseClient extends pg.Client {
  private readonly address: DatabaseAddress;
  private readonly reported = new Map<string, string>();
  private readonly session: Session;
  /** null: this client may connect even while the database counts as unreachable. */
  private readonly reach: Reachability | null;
  private bindsChannel = false;
  private readonly connectMs: number;
  openedAt = Infinity;

  constructor({ url, route, session, attemptMs, ...options }: DatabaseOptions) {
    const { address, current, reach } = targetOf(url);
    const { server, encrypted } = route ?? current;
    const own = [address.options, options.options].filter(Boolean).join(" ");
    super({
      ...options,
      // The driver's own time limit ends before the first statement, and counts time in which this process is busy.
      connectionTimeoutMillis: 0,
      host: server.host,
      port: server.port,
      user: address.user,
      database: address.database,
      ...(address.password === undefined ? {} : { password: address.password }),
      ssl: encrypted ? tlsOptions(address) : false,
      sslnegotiation: encrypted && address.directTls ? "direct" : "postgres",
      enableChannelBinding: encrypted && address.channelBinding !== "disable",
      ...(own === "" ? {} : { options: own }),
    } as pg.ClientConfig);
    this.address = address;
    this.session = session;
    this.reach = route ? null : reach;
    this.connectMs = attemptMs ?? options.connectionTimeoutMillis ?? PATIENT_MS;
    const wire = this.wire();
    // The driver would read the options from the environment.
    wire.connectionParameters.options = own;
    wire.connection.on("parameterStatus", ({ parameterName, parameterValue }) =>
      this.reported.set(parameterName, parameterValue),
    );
    wire.connection.on("authenticationSASL", ({ mechanisms }) => {
      this.bindsChannel = encrypted && mechanisms.includes("SCRAM-SHA-256-PLUS");
    });
    // The caller notices a lost connection by its queries; without a listener the event would end the process.
    this.on("error", () => {});
  }

  private wire(): Wire {
    return this as unknown as Wire;
  }

  override connect(): Promise<this>;
  override connect(callback: (error: Error | null, client?: pg.Client) => void): void;
  override connect(callback?: (error: Error | null, client?: pg.Client) => void): Promise<this> | undefined {
    const connecting = this.open();
    if (!callback) return connecting;
    connecting.then(
      () => callback(null, this),
      (error) => callback(error),
    );
    return undefined;
  }

  private async open(): Promise<this> {
    const attempt = await this.reach?.enter();
    const { connection } = this.wire();
    const answered = onSilence(
      () => connection.stream,
      this.connectMs,
      () => connection.stream.destroy(new Error("timeout expired")),
    );
    try {
      await super.connect();
      await this.requirePrimary();
      await establish(this, this.session);
    } catch (error) {
      this.wire().connection.stream.destroy();
      attempt?.failed(error);
      throw error;
    } finally {
      answered();
    }
    attempt?.succeeded();
    this.openedAt = performance.now();
    this.once("error", (error) => error instanceof SilentError || this.reach?.lost(this.openedAt));
    return this;
  }

  /** Also ends if the network drops the terminate message. */
  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | undefined {
    const limit = setTimeout(() => this.wire().connection.stream.destroy(), END_MS).unref();
    this.once("end", () => clearTimeout(limit));
    if (!callback) return super.end();
    super.end(callback);
    return undefined;
  }

  /** PostgreSQL reports both settings by itself; some poolers do not forward the reports. */
  private async requirePrimary(): Promise<void> {
    if (this.address.channelBinding === "require" && !this.bindsChannel)
      throw refusal("the server does not bind the channel, which channel_binding=require asks for", "28000");
    const isStandby = this.reported.has("in_hot_standby")
      ? this.reported.get("in_hot_standby") === "on"
      : (await this.query("select pg_is_in_recovery() as standby")).rows[0].standby;
    if (isStandby) throw refusal("the server is a standby, which refuses writes", REJECTED);
    if (this.address.skipsReadOnly && (await this.isReadOnly()))
      throw refusal("the server is read-only, and target_session_attrs=read-write", REJECTED);
  }

  /** Whether sessions of this server are read-only by default. */
  private async isReadOnly(): Promise<boolean> {
    const known = this.reported.get("default_transaction_read_only");
    if (known !== undefined) return known === "on";
    return (await this.query("show default_transaction_read_only")).rows[0].default_transaction_read_only === "on";
  }
}

/** Reason for destroying a connection that stopped answering. It does not imply that new connections fail. */
export class SilentError extends Error {
  readonly code = "ECONNRESET";
  constructor() {
    super("the database did not answer");
  }
}

const REJECTED = "08004";
const refusal = (message: string, code: string) => Object.assign(new Error(message), { code });

/**
 * The probe holds its connection this long: a proxy may accept connections for a moment, or accept ones that it cannot
 * forward.
 */
const HOLD_MS = 400;
async function probe(url: string): Promise<void> {
  const options = { connectionTimeoutMillis: CONNECT_MS, query_timeout: CONNECT_MS };
  const client = await connectClient(url, ownerSession("svc-probe"), options);
  try {
    await sleep(HOLD_MS);
    await client.query("select 1");
  } finally {
    await client.end();
  }
}

/**
 * Connects to the first suitable server, beginning with the last good one, so that a server that hangs delays nobody
 * else. Pools use its route from then on.
 */
export async function connectClient(
  url: string,
  session: Session,
  options: Omit<DatabaseOptions, "url" | "route" | "session"> = {},
): Promise<DatabaseClient> {
  const target = targetOf(url);
  const { address } = target;
  const faults: Error[] = [];
  let last: { server: DatabaseServer; error: Error } | undefined;
  for (const route of routesOf(address, address.servers.indexOf(target.current.server))) {
    const { server } = route;
    if (last?.server === server && !mayFallBack(last.error)) continue;
    const client = new DatabaseClient({ connectionTimeoutMillis: PATIENT_MS, ...options, url, route, session });
    try {
      await client.connect();
      target.current = route;
      return client;
    } catch (error) {
      last = { server, error: error as Error };
      faults.push(address.servers.length > 1 ? at(server, error as Error) : (error as Error));
    }
  }
  throw faultOf(faults);
}
/** Time limits of an attempt without an answer; operator commands have the longer one. */
export const CONNECT_MS = 2000;
const PATIENT_MS = 10_000;
const END_MS = 1000;

/** Tries the same server with the other choice of encryption only if encryption may have been the cause. */
const mayFallBack = (error: Error & { code?: string }) =>
  /SSL|TLS|certificate/i.test(`${error.message} ${error.code}`) || error.code === "28000";

const nameOf = ({ host, port }: DatabaseServer) => (isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`);
const at = (server: DatabaseServer, error: Error & { code?: string }) =>
  Object.assign(error, { message: `${nameOf(server)}: ${error.message || error.code}` });

/** Combines all faults into one error, with the code of the first fault that has one. */
function faultOf(faults: (Error & { code?: string })[]): Error {
  const [first, ...others] = faults as [Error & { code?: string }, ...Error[]];
  if (others.length === 0) return first;
  const code = faults.find((fault) => fault.code !== undefined)?.code;
  return Object.assign(new Error(faults.map(({ message }) => message).join("; "), { cause: first }), { code });
}
