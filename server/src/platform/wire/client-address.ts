// Determines the client address of a request: that of its socket or, if that is a proxy named in TRUST_PROXY, the one
// that the proxy reports in Forwarded (RFC 7239) or X-Forwarded-For. Each proxy appends to the end, so the entries are
// read from the right as long as their reporter is trusted: entries that a client prepended are never reached. Pure.
import type { IncomingMessage } from "node:http";
import { BlockList, isIPv4, isIPv6 } from "node:net";

/** Trusted proxies: those in these ranges, or this number of proxies in front of us; null: none. */
export type Trust = { ranges: BlockList } | { hops: number } | null;

const MOST_HOPS = 16;
/** Parses `10.0.0.0/8, ::1` or `1`. */
export function parseTrust(text: string): Trust {
  if (/^\d+$/.test(text)) {
    const hops = Number(text);
    if (hops < 1 || hops > MOST_HOPS) throw new Error(`"${text}" is not a number of proxies from 1 to ${MOST_HOPS}`);
    return { hops };
  }
  const ranges = new BlockList();
  for (const part of text.split(",").map((each) => each.trim())) {
    const [address = "", prefix, ...rest] = part.split("/");
    const family = isIPv4(address) ? "ipv4" : "ipv6";
    const most = family === "ipv4" ? 32 : 128;
    const bits = Number(prefix ?? most);
    const whole = prefix === undefined || /^\d{1,3}$/.test(prefix);
    if (!(isIPv4(address) || isIPv6(address)) || rest.length > 0 || !whole || bits > most)
      throw new Error(
        `"${part}" is not an address, a range or a number of proxies; set for example 10.0.0.0/8,::1 or 1`,
      );
    ranges.addSubnet(address, bits, family);
  }
  return { ranges };
}

export function clientAddress({ socket, headers }: Pick<IncomingMessage, "socket" | "headers">, trust: Trust): string {
  let address = addressIn(socket.remoteAddress ?? "") ?? "";
  if (trust === null) return address;
  const told = toldIn(headers);
  for (let hop = 0; isTrusted(trust, address, hop); hop++) {
    const next = told(hop);
    if (next === undefined) break;
    address = next;
  }
  return address;
}

const isTrusted = (trust: NonNullable<Trust>, address: string, hop: number) =>
  "hops" in trust ? hop < trust.hops : trust.ranges.check(address, isIPv4(address) ? "ipv4" : "ipv6");

/**
 * Returns the address reported for a hop, nearest first. A proxy writes one of the two headers and passes on the other
 * one as the client sent it: if both are present, only entries on which they agree are trusted.
 */
function toldIn({ forwarded, "x-forwarded-for": xForwardedFor }: IncomingMessage["headers"]) {
  const lists = [
    forwarded?.split(",").reverse().map(forwardedFor),
    (xForwardedFor as string | undefined)?.split(",").reverse().map(addressIn),
  ].filter((list) => list !== undefined);
  return (hop: number) => {
    const [one, other = one] = lists.map((list) => list[hop]);
    return one === other ? one : undefined;
  };
}

const PAIR = /^\s*([\w!#$%&'*+.^`|~-]+)=(?:"([^"\\]*)"|([^\s";,]*))\s*$/;
/**
 * Parses the one `for` of a well-formed element. No address contains a comma, so a quoted comma ends the walk and does
 * no other harm.
 */
function forwardedFor(element: string): string | undefined {
  const pairs = element.split(";").map((pair) => PAIR.exec(pair));
  const [given, ...others] = pairs.filter((pair) => pair?.[1]?.toLowerCase() === "for");
  if (!given || others.length > 0 || pairs.includes(null)) return undefined;
  return addressIn(given[2] ?? given[3] ?? "");
}

/** Normalises an address, without port and zone, and IPv4-mapped IPv6 to IPv4. Undefined if it is no address. */
function addressIn(text: string): string | undefined {
  const [bare = ""] = text
    .trim()
    .replace(/^\[([^\]]*)\](?::[\w.-]+)?$|^([^:]*):[\w.-]+$/, "$1$2")
    .split("%", 1);
  if (isIPv4(bare)) return bare;
  if (!isIPv6(bare)) return undefined;
  const short = new URL(`http://[${bare}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(short) ?? [];
  if (high === undefined || low === undefined) return short;
  const bytes = [high, low].flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 255]);
  return bytes.join(".");
}

/** Network that rate limits count by: one subscriber has a whole /64 of IPv6. */
export function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const [head = "", tail = ""] = address.split("::");
  const [front, back] = [head, tail].map((part) => (part === "" ? [] : part.split(":"))) as [string[], string[]];
  const zeros = Array(Math.max(0, 8 - front.length - back.length)).fill("0");
  return `${[...front, ...zeros, ...back].slice(0, 4).join(":")}::/64`;
}

/** Client program of a request; stored with a session, so that a person recognises it. */
export interface ClientProgram {
  userAgent: string | null;
  address: string | null;
}
const MOST_USER_AGENT = 256;
/** Replaces characters other than printable ASCII. */
export function clientOf(request: IncomingMessage, address: string): ClientProgram {
  const told = (request.headers["user-agent"] ?? "").replace(/[^\x20-\x7e]+/g, " ").trim();
  return { userAgent: told.slice(0, MOST_USER_AGENT) || null, address: address || null };
}
