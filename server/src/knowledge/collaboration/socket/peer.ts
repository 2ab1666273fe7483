// An editor as a text sees it: its socket, its permissions, and how far both are in sync.

/** An admitted socket. */
export interface EditorPeer {
  sessionId: string;
  actorId: string;
  name: string;
  writes: boolean;
  /** Ids of the Yjs clients behind this socket. */
  clients: Set<number>;
  /** Whether it has sent all that it has. From then on, no other person may send changes of its clients. */
  settled: boolean;
  /** Whether a change was refused. Until it has sent all that it has again, its changes build on missing items. */
  refused: boolean;
  /** Acknowledgements of changes that arrived before those that they build on. */
  early: (() => void)[];
  send(frame: Uint8Array): void;
  close(reason: keyof typeof CLOSED): void;
}

/** Close codes of sockets, by reason. */
export const CLOSED = {
  invalid: 4400,
  unauthorized: 4401,
  forbidden: 4403,
  gone: 4404,
  timeout: 4408,
  rate_limited: 4429,
  unavailable: 1013,
  restarting: 1012,
} as const;

/** A change that is applied and broadcast but not stored yet; `kept` acknowledges it. */
export interface PendingChange {
  /** The new part of the change; null if the text had all of it. */
  update: Uint8Array | null;
  /** The whole change, as sent. */
  sent: Uint8Array;
  peer: EditorPeer;
  kept(): void;
}
