// Messages between the thread of the Git library and the rest of the service. Every outgoing request is such a message:
// the thread itself opens no connection.

export interface RepositoryEntry {
  /** Relative to the synchronized folder. */
  path: string;
  oid: string;
  kind: "file" | "link" | "module";
}
/** A file to write; null removes it. */
export interface FileChange {
  path: string;
  bytes: Uint8Array | null;
}
export interface Calls {
  /** Head commit of the branch; null if the branch is missing. `empty`: the repository has no refs at all. */
  head(input: { branch: string }): { commit: string | null; empty: boolean };
  /**
   * Fetches the newest commit, or everything since a commit; `continues` is false if the branch no longer contains that
   * one.
   */
  pull(input: { branch: string; since: KnownCommit | null }): {
    commit: string;
    committed_at: number;
    continues: boolean;
  };
  list(input: { commit: string; folder: string }): RepositoryEntry[];
  /** Contents in the order of the ids; null for files larger than `most` bytes. */
  read(input: { oids: string[]; most: number }): (Uint8Array | null)[];
  /** Adds files to the next commit, and returns their ids. */
  write(input: { changes: FileChange[] }): (string | null)[];
  /**
   * Commits the added files on top of `parent`, and pushes if that is still the head of the branch; otherwise returns
   * null.
   */
  push(input: {
    branch: string;
    parent: string | null;
    folder: string;
    message: string;
    email: string;
  }): KnownCommit | null;
}
export interface KnownCommit {
  commit: string;
  /** Seconds, as in Git. */
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
  /** Resets the thread to another repository, or to none. */
  | { repository: string | null }
  | { call: number; name: keyof Calls; input: unknown }
  | { response: number; answer: Response };
export type FromThread =
  | { answer: number; result: unknown }
  | { answer: number; fault: string; detail: string }
  | { request: number; asked: Request };

/** Transfers bytes that own their buffer instead of copying them. */
export const handedOver = (bytes: Uint8Array | null | undefined): ArrayBuffer[] =>
  bytes?.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength ? [bytes.buffer] : [];
