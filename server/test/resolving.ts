// A resolver for tests of addresses that people write: names that lead to a private network, to the internet, or to no
// answer.
import { isIP } from "node:net";
import { egressTo } from "../src/platform/outside/egress.ts";
import { service } from "./world.ts";

const addresses: Record<string, string[]> = {
  "private.example.com": ["10.0.0.8"],
  "mixed.example.com": ["93.184.216.34", "fd00::8"],
  "public.example.com": ["93.184.216.34"],
};
async function resolve(name: string) {
  if (name === silentHost[0]) return new Promise<never>(() => {});
  const found = addresses[name];
  if (!found) throw new Error("the name is not known");
  return found.map((address) => ({ address, family: isIP(address) }));
}
const ALLOWED = "private.example.com:8443";

type Host = [host: string, refused: boolean];
/** Hosts, and whether a write that names one is refused. */
export const resolvedHosts: Host[] = [
  ["private.example.com", true],
  ["mixed.example.com", true],
  ["public.example.com", false],
  ["unknown.example.com", false],
  [ALLOWED, false],
];
/** The resolver never answers for this one. */
export const silentHost: Host = ["silent.example.com", false];
/** A service whose egress uses the resolver. */
export const resolvingService = () => service({}, { egress: egressTo({ resolve, allow: [`https://${ALLOWED}`] }) });

const IDLE = "select from pg_stat_activity where datname = current_database() and state = 'idle in transaction'";
/**
 * A service that is alone with its database. `held` has the number of transactions that waited for each call of the
 * resolver.
 */
export function countingService() {
  const held: number[] = [];
  const running = service(
    {},
    {
      egress: egressTo({
        async resolve() {
          held.push((await running.asOwner(IDLE)).length);
          return [{ address: "10.0.0.8", family: 4 }];
        },
      }),
    },
  );
  return { running, held };
}
