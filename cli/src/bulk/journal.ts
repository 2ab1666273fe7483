// How far an import is, in a file of its own: a row is noted before it is sent and after it was answered. Whoever comes back skips what was answered, and sends the rest
// with the same keys. It outlives the keys, which the service keeps for a day.
import { createHash } from "node:crypto";
import { appendFileSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { configDir, makeFolder } from "../profiles.ts";

const KEYS_LAST_MS = 23 * 3_600_000;

interface Line {
  mark?: string;
  row?: number;
  /** Of the Task; null: refused. Without it the row was only sent. */
  code?: string | null;
  lost?: true;
}
export interface Journal {
  /** Of the mapping that it was begun with. */
  mark: string | undefined;
  done: ReadonlyMap<number, string>;
  /** Sent so long ago that the key is forgotten, and never answered: nobody knows whether these are there. */
  lost: ReadonlySet<number>;
  note(line: Line): void;
}

/** By what makes it the same import: the file, and where it goes. */
export function openJournal(env: NodeJS.ProcessEnv, identity: string): Journal {
  const path = join(configDir(env), "imports", `${identity.slice(0, 32)}.jsonl`);
  const { lines, old } = read(path);
  const done = new Map<number, string>();
  for (const { row, code } of lines) if (row !== undefined && code) done.set(row, code);
  const lost = new Set(lines.flatMap(({ row, lost }) => (lost && row !== undefined ? [row] : [])));
  const last = lines.at(-1);
  const unanswered = old && last?.code === undefined ? last?.row : undefined;
  let broken = false;
  const journal: Journal = {
    mark: lines.find((line) => line.mark !== undefined)?.mark,
    done,
    lost,
    note(line) {
      if (broken) return;
      try {
        makeFolder(join(configDir(env), "imports"));
        // The end of a line first: the one before may have been cut off.
        appendFileSync(path, `\n${JSON.stringify(line)}`, { mode: 0o600 });
      } catch {
        // Then the keys alone keep rows from doubling.
        broken = true;
      }
    },
  };
  if (unanswered !== undefined && !lost.has(unanswered)) {
    lost.add(unanswered);
    journal.note({ row: unanswered, lost: true });
  }
  return journal;
}
function read(path: string): { lines: Line[]; old: boolean } {
  try {
    const lines = readFileSync(path, "utf8")
      .split("\n")
      .flatMap((line): Line[] => {
        try {
          return [JSON.parse(line)];
        } catch {
          return [];
        }
      });
    return { lines, old: Date.now() - statSync(path).mtimeMs > KEYS_LAST_MS };
  } catch {
    return { lines: [], old: false };
  }
}

export const digestOf = (...parts: (string | Uint8Array)[]) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part).update("\0");
  return hash.digest("hex");
};
