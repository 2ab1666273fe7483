// Coordinates the tabs of one member: all of them write to one queue and show the same rows; the leader, which holds a
// Web Lock, sends changes, follows hints and persists rows. When it closes, another tab takes over.

import type { Brought } from "./domain.ts";
import type { Hint } from "./hints.ts";
import type { QueuedChange } from "./queue/change.ts";
import type { Outcome, Step } from "./queue/sender.ts";

export type TabMessage =
  | { type: "queued"; change: QueuedChange }
  | { type: "step"; step: Step }
  | { type: "brought"; brought: Brought }
  | { type: "fact"; name: string; value: unknown }
  | { type: "outcome"; outcome: Outcome }
  | { type: "hints"; hints: readonly Hint[] }
  /** A new tab requests the current state. */
  | { type: "hello" }
  | { type: "connection"; state: Connection };
/**
 * live: receives all hints. connecting: temporarily disconnected. session: the person must sign in. elsewhere: the
 * session is in another Workspace.
 */
export type Connection = "live" | "connecting" | "session" | "elsewhere";

export interface Tabs {
  post(message: TabMessage): void;
  close(): void;
}

export function tabs(name: string, heard: (message: TabMessage) => void, lead: () => void): Tabs {
  const channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }) => heard(data as TabMessage);
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  const ended = new AbortController();
  navigator.locks
    .request(name, { signal: ended.signal }, () => {
      lead();
      return until;
    })
    .catch(() => {});
  return {
    post: (message) => channel.postMessage(message),
    close() {
      ended.abort();
      release();
      channel.close();
    },
  };
}
