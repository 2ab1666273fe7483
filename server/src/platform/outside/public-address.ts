// Decides which addresses belong to the public internet. Ranges that IANA's special-purpose registries reserve for
// other uses are not public, and of IPv6 only global unicast is: an address that embeds an IPv4 address (mapped, NAT64,
// 6to4, Teredo) is not.
import { BlockList, isIPv4, isIPv6 } from "node:net";

const special = new BlockList();
// biome-ignore format: a registry reads best as a block.
const ipv4 = ["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
  "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"];
/** Reserved ranges within global unicast: IETF protocols with Teredo and benchmarking, documentation, 6to4. */
const ipv6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];
for (const [family, ranges] of [["ipv4", ipv4] as const, ["ipv6", ipv6] as const]) {
  for (const range of ranges) {
    const [network, bits] = range.split("/") as [string, string];
    special.addSubnet(network, Number(bits), family);
  }
}
const globalUnicast = new BlockList();
globalUnicast.addSubnet("2000::", 3, "ipv6");

export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !special.check(address, "ipv4");
  return isIPv6(address) && globalUnicast.check(address, "ipv6") && !special.check(address, "ipv6");
}
