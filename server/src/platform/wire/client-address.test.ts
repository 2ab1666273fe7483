// Where a request comes from, behind proxies and without: what is believed, and what a client can put there in vain.
import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import { clientAddress, networkOf, parseTrust } from "./client-address.ts";

const from = (peer: string | undefined, headers: Record<string, string> = {}) =>
  ({ socket: { remoteAddress: peer }, headers }) as unknown as IncomingMessage;
const proxies = parseTrust("10.0.0.0/8, 2001:db8:f::/48,192.0.2.7");
const xff = (value: string) => ({ "x-forwarded-for": value });
const forwarded = (value: string) => ({ forwarded: value });

describe("nobody is believed", () => {
  test("without TRUST_PROXY, whatever the headers say", () => {
    expect(clientAddress(from("198.51.100.1", { ...xff("203.0.113.9"), ...forwarded("for=203.0.113.9") }), null)).toBe(
      "198.51.100.1",
    );
  });
  test("who is not one of the trusted addresses", () => {
    expect(clientAddress(from("198.51.100.1", xff("203.0.113.9")), proxies)).toBe("198.51.100.1");
    expect(clientAddress(from("192.0.2.8", forwarded("for=203.0.113.9")), proxies)).toBe("192.0.2.8");
    expect(clientAddress(from("2001:db8:e::1", xff("203.0.113.9")), proxies)).toBe("2001:db8:e::1");
  });
});

describe("a trusted proxy", () => {
  test.each([
    ["one address", xff("203.0.113.9"), "203.0.113.9"],
    ["an address with a port", xff("203.0.113.9:4711"), "203.0.113.9"],
    ["IPv6, in whatever spelling", xff("2001:DB8:0:0::0:1"), "2001:db8::1"],
    ["IPv6 with a port", xff("[2001:db8::1]:4711"), "2001:db8::1"],
    ["IPv4 inside of IPv6", xff("::ffff:203.0.113.9"), "203.0.113.9"],
    ["IPv4 inside of IPv6, in hexadecimal", xff("0:0:0:0:0:FFFF:cb00:7109"), "203.0.113.9"],
    ["one element of RFC 7239", forwarded("for=203.0.113.9;proto=https;by=10.0.0.1"), "203.0.113.9"],
    ["IPv6 as RFC 7239 quotes it", forwarded('For="[2001:db8:cafe::17]:4711"'), "2001:db8:cafe::17"],
    ["both headers alike", { ...xff("203.0.113.9"), ...forwarded("for=203.0.113.9") }, "203.0.113.9"],
    ["nothing", {}, "10.0.0.1"],
  ])("tells %s", (_what, headers, address) => {
    expect(clientAddress(from("::ffff:10.0.0.1", headers as never), proxies)).toBe(address);
  });

  test.each([
    ["entries that a client has put in front", xff("127.0.0.1, 1.1.1.1, 203.0.113.9"), "203.0.113.9"],
    ["elements that a client has put in front", forwarded("for=127.0.0.1, for=203.0.113.9"), "203.0.113.9"],
    ["an open quote that would swallow the proxy's element", forwarded('for="x, for=203.0.113.9'), "203.0.113.9"],
    ["a trusted address that the client claims for itself", xff("10.9.9.9, 203.0.113.9"), "203.0.113.9"],
    ["more proxies that are trusted", xff("1.1.1.1, 203.0.113.9, 192.0.2.7, 10.3.3.3"), "203.0.113.9"],
    ["only proxies that are trusted", xff("10.2.2.2, 10.3.3.3"), "10.2.2.2"],
    ["the other header, which it has passed on", { ...xff("203.0.113.9"), ...forwarded("for=1.1.1.1") }, "10.0.0.1"],
    [
      "the other header with more hops",
      { ...xff("203.0.113.9"), ...forwarded("for=1.1.1.1, for=203.0.113.9") },
      "203.0.113.9",
    ],
    ["something that is no address", xff("203.0.113.9, unknown"), "10.0.0.1"],
    ["an empty entry", xff("203.0.113.9,"), "10.0.0.1"],
    ["a hidden one", forwarded("for=_secret"), "10.0.0.1"],
    ["an element without for", forwarded("for=1.1.1.1, proto=https"), "10.0.0.1"],
    ["an element with for twice", forwarded("for=1.1.1.1;for=203.0.113.9"), "10.0.0.1"],
    ["a host name with a comma in it", forwarded('for=203.0.113.9;host="x, for=1.1.1.1"'), "10.0.0.1"],
  ])("walked from the right: %s", (_what, headers, address) => {
    expect(clientAddress(from("10.0.0.1", headers as never), proxies)).toBe(address);
  });

  test("as a number of hops: so many from the right, and no further", () => {
    const told = xff("1.1.1.1, 203.0.113.9, 198.51.100.2");
    expect(clientAddress(from("10.0.0.1", told), parseTrust("1"))).toBe("198.51.100.2");
    expect(clientAddress(from("10.0.0.1", told), parseTrust("2"))).toBe("203.0.113.9");
    expect(clientAddress(from("10.0.0.1", xff("203.0.113.9")), parseTrust("2"))).toBe("203.0.113.9");
    expect(clientAddress(from("10.0.0.1"), parseTrust("2"))).toBe("10.0.0.1");
  });
});

test.each(["0", "17", "proxy", "10.0.0.0/33", "10.0.0.0/", "::1/129", "10.0.0.0/8/8", "10.0.0.1;::1", "10.0.0.1,"])(
  "TRUST_PROXY=%s is refused with a sentence that says what to set",
  (text) => {
    expect(() => parseTrust(text)).toThrow(/is not an address, a range or a number|is not a number of proxies/);
  },
);

test("limits count IPv4 by address and IPv6 by /64", () => {
  expect(networkOf("203.0.113.9")).toBe("203.0.113.9");
  expect(networkOf("2001:db8:1:2:3:4:5:6")).toBe("2001:db8:1:2::/64");
  expect(networkOf("2001:db8:1:2::9")).toBe(networkOf("2001:db8:1:2:ffff::1"));
  expect(networkOf("2001:db8::1")).toBe("2001:db8:0:0::/64");
  expect(networkOf("::1")).toBe("0:0:0:0::/64");
  expect(networkOf("2001:db8:1:3::9")).not.toBe(networkOf("2001:db8:1:2::9"));
  expect(networkOf("")).toBe("");
});
