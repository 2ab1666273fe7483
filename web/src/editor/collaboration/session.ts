// Collaboration session of one text: its state, the WebSocket, and the unacknowledged edits, persisted in this browser
// until the service acknowledges them. A lost socket reconnects by itself, with a new session token if the old one has
// expired.
import { HocuspocusProvider } from "@hocuspocus/provider";
import type { Problem } from "@svc/client";
import { ySyncPluginKey } from "y-prosemirror";
import { Awareness } from "y-protocols/awareness";
import * as Y from "yjs";
import type { Replica } from "../../store/replica.ts";
import { KEPT, keeper } from "./keeper.ts";
import { type Refused, trackUnsaved } from "./unsaved-changes.ts";

export interface Target {
  kind: "task" | "document";
  id: string;
}
/**
 * connecting: not synchronised yet, or disconnected. readonly: the member may not write. refused: edits persisted in
 * this browser do not fit into the text. gone: the text no longer exists or is no longer accessible.
 */
export type State = "connecting" | "live" | "readonly" | "refused" | "gone";
export interface SessionState {
  state: State;
  /** True while edits await acknowledgement. */
  unsent: boolean;
  /** True once the text has loaded and can be edited. */
  here: boolean;
  /** True after the last change was undone because the text reached its size limit. */
  full: boolean;
}
export const OPENING: SessionState = { state: "connecting", unsent: false, here: false, full: false };
interface Session {
  token: string;
  document_name: string;
  url: string;
  until: number;
}
/** Tokens expire after five minutes; one is renewed when less than this is left. */
const SPARE_MS = 60_000;
/** Close codes that end the session: access revoked, or the text is gone. */
const FINAL = new Set([4403, 4404]);
const FINAL_STATES = new Set<State>(["refused", "gone"]);

const MOST_WAIT_MS = 10_000;
/** Option of the provider's socket, which the type of the provider leaves out. */
const RECONNECTING = { maxDelay: MOST_WAIT_MS };
/** A closed text continues sending unacknowledged edits for this long. */
const LINGER_MS = 60_000;
const GONE = new Set(["not_found", "task_trashed", "document_trashed", "forbidden"]);

export function openText(replica: Replica, { kind, id }: Target, tell: (told: SessionState) => void) {
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
  const say = (changes: Partial<SessionState>) => {
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
  /** Retries with backoff until the first session opens; afterwards the provider reconnects by itself. */
  async function begin(): Promise<void> {
    for (let wait = 500; !closed && told.state !== "gone"; wait = Math.min(2 * wait, MOST_WAIT_MS)) {
      const found = await open().catch(() => null);
      if (found && !closed) return connect(found);
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
  function connect({ url, document_name: name }: Session) {
    const made = new HocuspocusProvider({
      // The socket connects to the page's own host, whatever public name the service is configured with.
      url: location.origin.replace(/^http/, "ws") + new URL(url).pathname,
      name,
      document: doc,
      awareness,
      flushDelay: 50,
      ...RECONNECTING,
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
        // Undoes the refused edits and sends the rest again. Edits restored from this browser cannot be undone; a
        // person can copy them.
        const isUndone = unsaved.takeOut(clocks);
        // The undo is not a user edit: it must not clear the notice.
        typed = false;
        if (isUndone) {
          // A reader has no edits: the removed ones were another member's.
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
  // Restores persisted edits before connecting, so that the first synchronisation sends them.
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
    /** Discards the edits persisted in this browser that the text has no room for. */
    discard() {
      closed = true;
      kept.hold(false);
      end();
    },
    /** Sends pending edits before it disconnects. */
    close() {
      closed = true;
      awareness.setLocalState(null);
      if (told.unsent && told.state !== "gone") setTimeout(end, LINGER_MS);
      else end();
    },
  };
}
export type OpenText = ReturnType<typeof openText>;
