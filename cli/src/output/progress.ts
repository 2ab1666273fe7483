// A progress bar on standard error, at a terminal only: one line that is redrawn, and erased at the end.
import type { Output } from "../runtime.ts";

export interface Progress {
  at(count: number, about: string): void;
  end(): void;
}

const WIDTH = 24;
const EVERY_MS = 80;

export function progressOf(stderr: Output, total: number | null, what: string): Progress {
  if (!stderr.isTTY) return { at() {}, end() {} };
  let drawn = 0;
  return {
    at(count, about) {
      const now = Date.now();
      if (now - drawn < EVERY_MS && count !== total) return;
      drawn = now;
      const filled = total === null ? 0 : Math.round((WIDTH * count) / Math.max(1, total));
      const bar = total === null ? "" : `[${"#".repeat(filled)}${".".repeat(WIDTH - filled)}] `;
      const text = `${bar}${count}${total === null ? "" : `/${total}`} ${what}  ${about}`;
      stderr.write(`\r\x1b[2K${text.slice(0, Math.max(20, (stderr.columns || 80) - 1))}`);
    },
    end: () => void stderr.write("\r\x1b[2K"),
  };
}
