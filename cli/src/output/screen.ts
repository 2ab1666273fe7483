// The output device of a result: its width, its colours, and removal of terminal control characters from people's
// texts.
import type { Runtime } from "../runtime.ts";

export interface Screen {
  /** Null: the output is no terminal, so nothing is truncated, coloured or prompted. */
  columns: number | null;
  /** A person can answer a prompt. */
  interactive: boolean;
  colour(name: keyof typeof COLOURS, text: string): string;
}

const COLOURS = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, cyan: 36 } as const;

export function screenOf(runtime: Runtime, name: "stdout" | "stderr", plain: boolean): Screen {
  const { env, stdin, [name]: out } = runtime;
  const terminal = out.isTTY === true;
  const coloured = terminal && !plain && !env.NO_COLOR && env.TERM !== "dumb";
  return {
    columns: terminal ? Math.max(20, out.columns || 80) : null,
    interactive: terminal && stdin.isTTY === true,
    colour: (name, text) => (coloured && text !== "" ? `\x1b[${COLOURS[name]}m${text}\x1b[0m` : text),
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
/** Replaces escape sequences and bidirectional controls with U+FFFD. Windows line endings are converted first. */
export const safe = (text: string) => text.replace(/\r\n/g, "\n").replace(CONTROLS, "\ufffd");
export const safeLine = (text: string) => safe(text.replace(/[\t\r\n]+/g, " "));
