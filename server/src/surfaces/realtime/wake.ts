// Notifies of commits: in this process directly, in others by NOTIFY, batched for ten milliseconds so that the number
// of messages is bounded. A lost notification is found by polling a second later.
import { openChannel } from "../../platform/database/channel.ts";

/**
 * Notifies of a commit in this Workspace; without one, anywhere. `followed`: background jobs do not have to read it.
 */
export type Wake = (workspaceId?: string, followed?: boolean) => void;

const GATHER_MS = 10;
/** Workspaces per message; for more it says only that something was committed. */
const MOST_NAMED = 150;

/** `hasWorker`: background jobs of this process read what it commits, so that those of other processes need not. */
export function openWake(
  databaseUrl: string,
  hasWorker: boolean,
  woken: (workspaceId: string | null, followed: boolean) => void,
) {
  const channel = openChannel(databaseUrl, "realtime", {
    heard({ in: named, anywhere, followed }) {
      if (anywhere) woken(null, followed === true);
      for (const id of Array.isArray(named) ? named : []) woken(id, followed === true);
    },
    left() {},
  });
  let saying: Set<string | null> | null = null;
  /** Whether background jobs of another process have to read it. */
  let unfollowed = false;
  const say = () => {
    const named = saying ?? new Set();
    const followed = !unfollowed;
    saying = null;
    unfollowed = false;
    const anywhere = named.has(null) || named.size > MOST_NAMED;
    channel.say(anywhere ? { anywhere, followed } : { in: [...named], followed });
  };
  const wake: Wake = (workspaceId, followed = false) => {
    woken(workspaceId ?? null, followed);
    if (!channel.hasOthers()) return;
    if (!saying) {
      saying = new Set();
      setTimeout(say, GATHER_MS).unref();
    }
    saying.add(workspaceId ?? null);
    unfollowed ||= !followed && !hasWorker;
  };
  return { wake, close: () => channel.close() };
}
