// One text that people write together: its state, the socket to the others, and what was typed and is not acknowledged yet, which is kept in this
// browser until it is. A socket that breaks comes back by itself, with a new session where the old one has ended.
import { HocuspocusProvider } from "@hocuspocus/provider";
import type { Problem } from "@svc/client";
import { ySyncPluginKey } from "y-prosemirror";
import { Awareness } from "y-protocols/awareness";
import * as Y from "yjs";
import type { Replica } from "../store/replica.ts";
import { KEPT, keeper } from "./keeper.ts";
import { type Refused, trackUnsaved } from "./unsaved.ts";

export interface Target {
  kind: "task" | "document";
  id: string;
}
/**
 * connecting: nothing was heard yet, or not any more. readonly: somebody may only look. refused: what this browser kept does not fit into the text. gone: there
 * is nothing to write in any more.
 */
export type State = "connecting" | "live" | "readonly" | "refused" | "gone";
export interface Told {
  state: State;
  /** Something was typed that the service has not acknowledged. */
  unsent: boolean;
  /** The text is here, and can be written in. */
  here: boolean;
  /** The last change was undone, because the text has reached its limit. */
  full: boolean;
}
export const OPENING: Told = { state: "connecting", unsent: false, here: false, full: false };
interface Session {
  token: string;
  document_name: string;
  url: string;
  until: number;
}
/** A token is good for five minutes. */
const SPARE_MS = 60_000;
/** Closed for good: no longer allowed, or gone. */
const FINAL = new Set([4403, 4404]);
const FINAL_STATES = new Set<State>(["refused", "gone"]);

const MOST_WAIT_MS = 10_000;
/** For so long a text that was left is still sent. */
const LINGER_MS = 60_000;
const GONE = new Set(["not_found", "task_trashed", "document_trashed", "forbidden"]);

export function openText(replica: Replica, { kind, id }: Target, tell: (told: Told) => void) {
  const { api, member } = replica;
  const doc = new Y.Doc();
  const awareness = new Awareness(doc);
  const kept = keeper(`${member.actorId}:${kind}:${member.workspaceId}:${id}`, doc);
  const unsaved = trackUnsaved(doc, [ySyncPluginKey]);
  let told = OPENING;
  let typed = false;
  let session: Session | null = null;
  let provider: HocuspocusProvider | null = null;
  let closed = false;
  const say = (changes: Partial<Told>) => {
    told = { ...told, ...changes };
    if (!closed) tell(told);
  };
  const hold = (unsent: boolean) => {
    kept.hold(unsent);
    if (!unsent) {
      unsaved.clear();
      if (typed && told.full) say({ full: false });
      typed = false;
    }
    if (unsent !== told.unsent) say({ unsent });
    if (closed && !unsent) end();
  };
  let ended = false;
  function end() {
    if (ended) return;
    ended = true;
    kept.close();
    unsaved.close();
    provider?.destroy();
    awareness.destroy();
    doc.destroy();
  }

  async function open(): Promise<Session> {
    if (session && session.until > Date.now()) return session;
    const ask = kind === "task" ? api.openTaskSession({ task_id: id }) : api.openDocumentSession({ document_id: id });
    const answer = await ask.catch((problem: Problem) => {
      if (GONE.has(problem.code)) say({ state: "gone" });
      throw problem;
    });
    session = { ...answer, until: Date.parse(answer.expires_at) - SPARE_MS };
    return session;
  }
  /** Until there is a first session: from then on the provider comes back by itself. */
  async function begin(): Promise<void> {
    for (let wait = 500; !closed && told.state !== "gone"; wait = Math.min(2 * wait, MOST_WAIT_MS)) {
      const found = await open().catch(() => null);
      if (found && !closed) return connect(found);
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
  function connect({ url, document_name: name }: Session) {
    const made = new HocuspocusProvider({
      // The socket is at the page's own host, whatever name the service has for itself.
      url: location.origin.replace(/^http/, "ws") + new URL(url).pathname,
      ...{ name, document: doc, awareness, flushDelay: 50, maxDelay: MOST_WAIT_MS },
      token: async () => (await open()).token,
      onAuthenticated: ({ scope }) =>
        told.state !== "refused" && say({ state: scope === "readonly" ? "readonly" : "live" }),
      onAuthenticationFailed() {
        session = null;
      },
      onSynced: () => say({ here: true }),
      onDisconnect: () => !FINAL_STATES.has(told.state) && say({ state: "connecting" }),
      onStateless({ payload }) {
        const { type, clocks } = JSON.parse(payload) as { type: string; clocks: Refused };
        if (type !== "refused") return;
        // What was typed since is undone, and the rest is sent again. What this browser kept from before is left for a person to copy.
        const isUndone = unsaved.takeOut(clocks);
        // The undoing is no typing: it must not take the notice away.
        typed = false;
        if (isUndone) {
          // A reader has typed nothing: what goes away was another editor's.
          if (told.state !== "readonly") say({ full: true });
          made.forceSync();
        } else say({ state: "refused" });
      },
      onClose({ event }) {
        if (!FINAL.has(event.code)) return;
        say({ state: "gone" });
        made.disconnect();
      },
      onUnsyncedChanges: ({ number }) => hold(number > 0),
    });
    provider = made;
  }
  doc.on("update", (_update: Uint8Array, origin: unknown) => {
    if (provider === null && origin !== KEPT) hold(true);
    typed ||= origin !== provider && origin !== KEPT;
  });
  // What was typed before comes first: it is sent with the first greeting.
  void kept.restored.then((had) => {
    if (had) {
      hold(true);
      say({ here: true });
    }
    return begin();
  });

  return {
    doc,
    awareness,
    /** Forgets what this browser kept, which the text has no room for. */
    discard() {
      closed = true;
      kept.hold(false);
      end();
    },
    /** What is on its way arrives first. */
    close() {
      closed = true;
      awareness.setLocalState(null);
      if (told.unsent && told.state !== "gone") setTimeout(end, LINGER_MS);
      else end();
    },
  };
}
export type OpenText = ReturnType<typeof openText>;
