// Makes what was committed heard at once: in this process directly, in the others by NOTIFY, gathered for ten milliseconds so that no number of writes
// becomes as many messages. Whatever is lost here is found a second later by looking around.
import { openChannel } from "../../platform/database/channel.ts";

/** Something was committed in this Workspace; without one, anywhere. `followed`: background work does not have to read it. */
export type Wake = (workspaceId?: string, followed?: boolean) => void;

const GATHER_MS = 10;
/** A message holds so many; of more Workspaces at once it says only that something happened. */
const MOST_NAMED = 150;

/** `hasWorker`: the followers of this process read what it commits, so that those of others do not have to. */
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
  /** Background work of another process has to read what is said. */
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
