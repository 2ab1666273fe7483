// An editor as the text sees it: its socket, its rights, and how far both agree.

/** Somebody at a socket who was let in. */
export interface Peer {
  sessionId: string;
  actorId: string;
  name: string;
  writes: boolean;
  /** Ids of the Yjs clients behind this socket. */
  clients: Set<number>;
  /** It has told all that it has: from then on nobody else tells anything of its clients. */
  settled: boolean;
  /** A change of it was refused: until it has sent all that it has again, its changes build on what is not here. */
  refused: boolean;
  /** Acknowledges changes that came before all that they build on. */
  early: (() => void)[];
  send(frame: Uint8Array): void;
  close(reason: keyof typeof CLOSED): void;
}

/** Why a socket is closed: the code that it is told. */
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

/** A change that is applied and broadcast and not stored yet; `kept` acknowledges it. */
export interface Taken {
  /** The new part of the change; null if the text had all of it. */
  update: Uint8Array | null;
  /** All of it, as it was sent. */
  sent: Uint8Array;
  peer: Peer;
  kept(): void;
}
