// Makes what was committed heard at once: in this process directly, in the others by NOTIFY, gathered for ten milliseconds so that no number of writes
// becomes as many messages. Whatever is lost here is found a second later by looking around.
import { openChannel } from "../database/channel.ts";

/** Something was committed in this Workspace; without one, anywhere. */
export type Wake = (workspaceId?: string) => void;

const GATHER_MS = 10;
/** A message holds so many; of more Workspaces at once it says only that something happened. */
const MOST_NAMED = 150;

export function openWake(databaseUrl: string, woken: (workspaceId: string | null) => void) {
  const channel = openChannel(databaseUrl, "realtime", {
    heard({ in: named, anywhere }) {
      if (anywhere) woken(null);
      for (const id of Array.isArray(named) ? named : []) woken(id);
    },
    left() {},
  });
  let saying: Set<string | null> | null = null;
  const say = () => {
    const named = saying ?? new Set();
    saying = null;
    const anywhere = named.has(null) || named.size > MOST_NAMED;
    channel.say(anywhere ? { anywhere } : { in: [...named] });
  };
  const wake: Wake = (workspaceId) => {
    woken(workspaceId ?? null);
    if (!channel.hasOthers()) return;
    if (!saying) {
      saying = new Set();
      setTimeout(say, GATHER_MS).unref();
    }
    saying.add(workspaceId ?? null);
  };
  return { wake, close: () => channel.close() };
}
