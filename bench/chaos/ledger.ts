// The load's own record of requests and answers, one JSON line each, on disk before the next step. The checker compares
// the database with it, so it never reads the database.
import { createHash } from "node:crypto";
import { openSync, readFileSync, writeSync } from "node:fs";

export type WriteKind = "project" | "create" | "update" | "comment";

export interface Write {
  /** Mark of the write: the title, name or text that it writes, and the prefix of its key and correlation ids. */
  id: string;
  kind: WriteKind;
  method: "POST" | "PATCH";
  path: string;
  body: Record<string, string>;
  /** The Task to change or comment on, and the revision that an update expects. */
  target?: string;
  revision?: string;
  /** Several lanes change this Task, so that a revision conflict is a correct answer. */
  contested?: true;
}

export interface Definite {
  status: number;
  etag: string | null;
  replayed: boolean;
  body: string;
}

export type LedgerLine =
  | ({ at: "write" } & Write)
  | { at: "try"; write: string; attempt: number }
  /** No definite answer: the write may have been applied. `killed`: the connection broke during the attempt. */
  | { at: "ambiguous"; write: string; attempt: number; why: string; killed: boolean }
  | { at: "unreached"; write: string; attempt: number }
  | ({ at: "answer"; write: string; attempt: number } & Definite);

export const keyOf = (writeId: string) => `chaos.write.${writeId}`;
export const keyHashOf = (writeId: string) => createHash("sha256").update(keyOf(writeId)).digest("hex");
export const correlationOf = (writeId: string, attempt: number) => `${writeId}.${attempt}`;
export const writeOf = (correlationId: string) => correlationId.split(".")[0] as string;

export function openLedger(path: string): (line: LedgerLine) => void {
  const file = openSync(path, "a");
  return (line) => void writeSync(file, `${JSON.stringify(line)}\n`);
}

/** A write with all its recorded events. */
export interface Entry extends Write {
  tries: number;
  ambiguous: { attempt: number; why: string; killed: boolean }[];
  answers: Definite[];
}

export function readLedger(path: string): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const text of readFileSync(path, "utf8").split("\n")) {
    if (text === "") continue;
    const line = JSON.parse(text) as LedgerLine;
    if (line.at === "write") {
      entries.set(line.id, { ...line, tries: 0, ambiguous: [], answers: [] });
      continue;
    }
    const entry = entries.get(line.write) as Entry;
    if (line.at === "try") entry.tries++;
    if (line.at === "ambiguous") entry.ambiguous.push(line);
    if (line.at === "answer") entry.answers.push(line);
  }
  return entries;
}
