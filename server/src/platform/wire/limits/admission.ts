// Admission control before any work: decides whether there is capacity for a request of a tenant. A tenant may hold a
// multiple of the free capacity: a single one nearly everything, several equal shares, and a new one always finds room.
// The largest is refused first. Writes may hold less than reads, so that cheap reads still answer while the service is
// full.
import type { Presented } from "../credential.ts";

const CAPACITY = 400;
/** A single tenant gets 4/5 of the capacity for reads and half of it for writes. */
const TIMES_FREE = { read: 4, write: 1 };

/**
 * Delay of refusals without capacity: at least a second, and staggered for a crowd, because clients that retry at once
 * would occupy the machine with refusals alone. A delayed refusal holds nothing but its socket.
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
    /** Delay of the next refusal in milliseconds. */
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

/** Facts about an authenticated caller that select its tenant. */
interface Known {
  membership: { workspaceId: string } | null;
  workspaceId: string | null;
  accountId: string | null;
}

const MOST_KNOWN = 20_000;
/**
 * Determines the tenant that a request counts for: the Workspace in which its credential was last used or, until that
 * is known, its network; otherwise invented credentials would each get a share. The Workspace in a path does not count,
 * because anybody can name it. Affects scheduling, never access.
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
