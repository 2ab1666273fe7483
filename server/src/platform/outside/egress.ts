// The only module that connects to addresses that others have chosen. A name is resolved once, all its addresses must
// be public, and the connection goes to exactly those addresses, so that rebinding the name has no effect. Only https;
// redirects are not followed, nothing is decompressed, and size and time are limited. Fails closed, also if the
// resolver fails. A response is read whole, or in chunks (stream): the time limit then applies until its start and
// between two chunks.
import { lookup } from "node:dns/promises";
import { type IncomingMessage, type RequestOptions, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { Egress, EgressFault, HttpExchange, StreamLimits } from "./external-systems.ts";
import { isPublicAddress } from "./public-address.ts";

export type { EgressFault } from "./external-systems.ts";

/** A request without a usable response; `fault` is the reason, and is meant for a log, not for a stranger. */
export class EgressError extends Error {
  readonly fault: EgressFault;
  constructor(fault: EgressFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "EgressError";
    this.fault = fault;
  }
}

interface Address {
  address: string;
  family: number;
}
interface Allowance {
  /**
   * Origins that may be reached although they are not public or not https: named by the operator, or by tests on
   * loopback.
   */
  allow?: readonly string[];
  resolve?: (name: string) => Promise<Address[]>;
  /** Certificates to trust instead of the public ones. */
  ca?: string;
}

const BYTES = 1024 * 1024;
const MS = 5000;
const RESOLVE_MS = 2000;
const byName = (name: string) => lookup(name, { all: true, order: "verbatim" });

export function egressTo({ allow = [], resolve = byName, ca }: Allowance = {}): Egress {
  /** Resolves to the head of the response; its body is still unread. */
  const begin = async (address: string, limits: StreamLimits, late: AbortSignal) => {
    const url = parsed(address);
    const allowed = allow.includes(url.origin);
    if (url.protocol !== "https:" && !allowed) throw new EgressError("url", "only https is reached");
    const { credential } = limits;
    if (credential && credential.origin !== url.origin)
      throw new EgressError("url", "the credential is another address's");
    const found = await inTime(late, addressesOf(url, resolve));
    if (!allowed && !found.every((each) => isPublicAddress(each.address)))
      throw new EgressError("address", "the address is not public");
    const options: RequestOptions & { ca?: string } = {
      method: limits.method ?? "GET",
      headers: { "user-agent": "svc", ...limits.headers, ...credential?.headers, "accept-encoding": "identity" },
      lookup: pinned(found),
      agent: false,
      signal: late,
      ca,
    };
    return exchange(url, options, limits.body);
  };
  const failed = (error: unknown, late: AbortSignal, ms: number) => {
    if (error instanceof EgressError) return error;
    if (late.aborted) return new EgressError("time", `took longer than ${ms} ms`);
    return new EgressError("connection", "the connection failed", error);
  };
  const whole: HttpExchange = async (address, limits = {}) => {
    const { bytes = BYTES, ms = MS } = limits;
    const late = AbortSignal.timeout(ms);
    try {
      const answer = await begin(address, limits, late);
      return { status: answer.statusCode as number, headers: headersOf(answer), body: await bounded(answer, bytes) };
    } catch (error) {
      throw failed(error, late, ms);
    }
  };
  const stream: Egress["stream"] = async (address, limits) => {
    const { bytes = BYTES, ms = MS, signal } = limits;
    const late = new AbortController();
    const giveUp = () => late.abort();
    signal?.addEventListener("abort", giveUp, { once: true });
    if (signal?.aborted) giveUp();
    // Restarted by each chunk: a response may take any time, but must not stall.
    const silence = setTimeout(giveUp, ms);
    const end = () => {
      clearTimeout(silence);
      signal?.removeEventListener("abort", giveUp);
    };
    const wrong = (error: unknown) => (signal?.aborted ? signal.reason : failed(error, late.signal, ms));
    const pieces = async function* (answer: IncomingMessage) {
      try {
        for await (const piece of sized(answer, bytes)) {
          silence.refresh();
          yield piece;
        }
      } catch (error) {
        throw wrong(error);
      } finally {
        end();
        answer.destroy();
      }
    };
    try {
      const answer = await begin(address, limits, late.signal);
      return { status: answer.statusCode as number, headers: headersOf(answer), body: pieces(answer) };
    } catch (error) {
      end();
      throw wrong(error);
    }
  };
  const refusesText = (address: string): EgressFault | null => {
    try {
      const url = parsed(address);
      if (allow.includes(url.origin)) return null;
      if (url.protocol !== "https:" || url.hash !== "") return "url";
      return isOfTheInternet(hostOf(url)) ? null : "address";
    } catch {
      return "url";
    }
  };
  const refusesNow: Egress["refusesNow"] = async (address) => {
    const fault = refusesText(address);
    if (fault !== null) return fault;
    const url = parsed(address);
    if (allow.includes(url.origin)) return null;
    const found = await inTime(AbortSignal.timeout(RESOLVE_MS), addressesOf(url, resolve)).catch(() => []);
    return found.every((each) => isPublicAddress(each.address)) ? null : "address";
  };
  return Object.assign(whole, { stream, refusesNow });
}

/** Default egress of the service, without exceptions. */
export const egress: Egress = egressTo();

function parsed(text: string): URL {
  if (!URL.canParse(text)) throw new EgressError("url", "is not a URL");
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    throw new EgressError("url", "is no plain https URL");
  return url;
}

const hostOf = (url: URL) => url.hostname.replace(/^\[|\]$/g, "");
/**
 * Whether a host can be on the internet. Excludes names without a dot and names reserved for private networks (RFC
 * 6761, 6762, 8375, 9476).
 */
const isOfTheInternet = (host: string) =>
  isIP(host) === 0
    ? /\.[^.]+\.?$/.test(host) && !/(?:^|\.)(?:localhost|local|internal|home\.arpa|alt|invalid|test)\.?$/i.test(host)
    : isPublicAddress(host);

/** The URL parser has already normalised every other spelling of an IPv4 address (octal, hexadecimal, one number). */
async function addressesOf(url: URL, resolve: (name: string) => Promise<Address[]>): Promise<Address[]> {
  const host = hostOf(url);
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family }];
  try {
    const found = await resolve(host);
    if (found.length > 0) return found;
  } catch (error) {
    throw new EgressError("name", "the name does not resolve", error);
  }
  throw new EgressError("name", "the name has no address");
}

/** Returns the checked addresses instead of resolving the name again. */
const pinned =
  (addresses: Address[]): LookupFunction =>
  (_name, options, done) => {
    const [first] = addresses as [Address];
    if (options.all) done(null, addresses);
    else done(null, first.address, first.family);
  };

function inTime<T>(late: AbortSignal, work: Promise<T>): Promise<T> {
  const tooLate = new Promise<never>((_resolve, reject) =>
    late.addEventListener("abort", () => reject(new EgressError("time", "the name took too long to resolve"))),
  );
  return Promise.race([work, tooLate]);
}

const exchange = (url: URL, options: RequestOptions, body?: Buffer) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const request = url.protocol === "https:" ? requestSecure : requestPlain;
    request(url, options, resolve).on("error", reject).end(body);
  });

function headersOf(answer: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(answer.headersDistinct))
    for (const value of values) headers.append(name, value);
  return headers;
}

async function bounded(answer: IncomingMessage, bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of sized(answer, bytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Leaving the loop destroys the connection. */
async function* sized(answer: IncomingMessage, bytes: number): AsyncGenerator<Buffer> {
  const tooLarge = () => new EgressError("size", `the answer has more than ${bytes} bytes`);
  if (Number(answer.headers["content-length"] ?? 0) > bytes) {
    answer.destroy();
    throw tooLarge();
  }
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bytes) throw tooLarge();
    yield chunk;
  }
}
