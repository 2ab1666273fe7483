// Journal of an import, in a file of its own: it records each row before it is sent and after it was answered. A
// resumed import skips answered rows and sends the others with the same idempotency keys. The journal outlives the
// keys, which the service stores for a day.
import { createHash } from "node:crypto";
import { appendFileSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { configDir, makeFolder } from "../credentials/profiles.ts";

const KEYS_LAST_MS = 23 * 3_600_000;

interface Line {
  mark?: string;
  row?: number;
  /** Code of the created Task; null: refused; absent: the row was only sent. */
  code?: string | null;
  lost?: true;
}
export interface Journal {
  /** Digest of the mapping that the import started with. */
  mark: string | undefined;
  done: ReadonlyMap<number, string>;
  /** Rows sent without an answer whose keys have expired: their outcome is unknown. */
  lost: ReadonlySet<number>;
  note(line: Line): void;
}

/** Opens the journal of an import, which is identified by its file and its target. */
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
        // Starts with a line feed: the previous line may be incomplete.
        appendFileSync(path, `\n${JSON.stringify(line)}`, { mode: 0o600 });
      } catch {
        // Without a journal, only the idempotency keys prevent duplicate rows.
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
