// Several tabs of one person: all of them write to one queue and show the same rows; the one that holds the lock sends, follows changes and
// keeps the rows. When it is closed, the next one takes over.
import type { Change } from "./change.ts";
import type { Brought } from "./domain.ts";
import type { Hint } from "./hints.ts";
import type { Outcome, Step } from "./sender.ts";

export type Message =
  | { type: "queued"; change: Change }
  | { type: "step"; step: Step }
  | { type: "brought"; brought: Brought }
  | { type: "fact"; name: string; value: unknown }
  | { type: "outcome"; outcome: Outcome }
  | { type: "hints"; hints: readonly Hint[] }
  /** A tab is new, and asks how things stand. */
  | { type: "hello" }
  | { type: "connection"; state: Connection };
/** live: told of everything. connecting: not just now. session: somebody has to sign in. elsewhere: the session is in another Workspace. */
export type Connection = "live" | "connecting" | "session" | "elsewhere";

export interface Tabs {
  post(message: Message): void;
  close(): void;
}

export function tabs(name: string, heard: (message: Message) => void, lead: () => void): Tabs {
  const channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }) => heard(data as Message);
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
