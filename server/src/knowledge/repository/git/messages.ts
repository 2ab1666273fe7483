// What the thread with the Git library and the rest of the service say to each other. Every request to the outside is one of these
// messages: the thread itself opens no connection.

export interface Entry {
  /** Below the folder that is synchronised. */
  path: string;
  oid: string;
  kind: "file" | "link" | "module";
}
/** A file as it is written; null removes it. */
export interface Change {
  path: string;
  bytes: Uint8Array | null;
}
export interface Calls {
  /** Where the branch is; null where it is missing, and whether the repository has nothing at all. */
  head(input: { branch: string }): { commit: string | null; empty: boolean };
  /** Its newest state, or what has come since a commit: then it is told whether the branch still has that one. */
  pull(input: { branch: string; since: Known | null }): { commit: string; committed_at: number; continues: boolean };
  list(input: { commit: string; folder: string }): Entry[];
  /** In the order of the ids; null for what is larger than so many bytes. */
  read(input: { oids: string[]; most: number }): (Uint8Array | null)[];
  /** Keeps what the next commit will hold, and says under which id. */
  write(input: { changes: Change[] }): (string | null)[];
  /** Commits what was written on top of `parent`, and brings it to the branch where that is still its head; null where it is not. */
  push(input: { branch: string; parent: string | null; folder: string; message: string; email: string }): Known | null;
}
export interface Known {
  commit: string;
  /** Seconds, as Git has it. */
  committed_at: number;
}

export interface Request {
  url: string;
  method: "GET" | "POST";
  headers: Record<string, string>;
  body: Uint8Array | null;
}
export type Response = { status: number; headers: Record<string, string>; body: Uint8Array } | { fault: string };

export type ToThread =
  /** Forgets the repository before; null where there is no next one yet. */
  | { repository: string | null }
  | { call: number; name: keyof Calls; input: unknown }
  | { response: number; answer: Response };
export type FromThread =
  | { answer: number; result: unknown }
  | { answer: number; fault: string; detail: string }
  | { request: number; asked: Request };

/** Bytes that have a buffer of their own are given away and not copied. */
export const handedOver = (bytes: Uint8Array | null | undefined): ArrayBuffer[] =>
  bytes?.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength ? [bytes.buffer] : [];
