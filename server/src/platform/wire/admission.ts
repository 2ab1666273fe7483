// Decides before any work whether there is room for a request, and for whom. A tenant may hold so many times what is still free: one alone
// nearly everything, several the same each, and whoever comes new always finds room. The largest is refused first. Writes may hold less than
// reads, so that cheap reads still answer while the service is full.
import type { Presented } from "./credential.ts";

const CAPACITY = 400;
/** Alone, a tenant gets 4/5 of the room for reads and half of it for writes. */
const TIMES_FREE = { read: 4, write: 1 };

/**
 * Where there is no room the answer comes after a second, and those of a crowd one by one: whoever asks again at once would take the machine
 * with refusals alone. Nothing is held meanwhile but the socket.
 */
const REFUSAL = { leastMs: 1000, apartMs: 8, mostMs: 10_000 };

export function admission(capacity = CAPACITY, now: () => number = () => performance.now()) {
  const held = new Map<string, number>();
  let inFlight = 0;
  let lastRefusal = 0;
  return {
    enter(tenant: string, unsafe: boolean): boolean {
      const own = held.get(tenant) ?? 0;
      if (own >= (capacity - inFlight) * TIMES_FREE[unsafe ? "write" : "read"]) return false;
      held.set(tenant, own + 1);
      inFlight++;
      return true;
    },
    leave(tenant: string) {
      const own = (held.get(tenant) ?? 0) - 1;
      if (own > 0) held.set(tenant, own);
      else held.delete(tenant);
      inFlight--;
    },
    /** How long the next refusal waits. */
    refusalMs(): number {
      const { leastMs, apartMs, mostMs } = REFUSAL;
      const time = now();
      lastRefusal = Math.min(Math.max(lastRefusal + apartMs, time + leastMs), time + mostMs);
      return lastRefusal - time;
    },
    inFlight: () => inFlight,
  };
}
export type Admission = ReturnType<typeof admission>;

/** Whoever was let in, as far as it matters here. */
interface Known {
  membership: { workspaceId: string } | null;
  workspaceId: string | null;
  accountId: string | null;
}

const MOST_KNOWN = 20_000;
/**
 * For whom a request counts: the Workspace in which its credential was last used, and until that is known its network, or whoever makes up
 * credentials would have as many shares. The Workspace that a path names says nothing: anybody can name it. Decides an order and never access.
 */
export function tenants() {
  const known = new Map<string, string>();
  return {
    of: (presented: Presented | undefined, network: string): string =>
      (presented && known.get(presented.hash.toString("latin1"))) ?? network,
    learn(presented: Presented, { membership, workspaceId, accountId }: Known): string {
      const tenant = membership?.workspaceId ?? workspaceId ?? accountId ?? "";
      const key = presented.hash.toString("latin1");
      if (known.get(key) !== tenant) {
        known.set(key, tenant);
        if (known.size > MOST_KNOWN) known.delete(known.keys().next().value as string);
      }
      return tenant;
    },
  };
}
export type Tenants = ReturnType<typeof tenants>;
