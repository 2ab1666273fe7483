// Input of a command: its arguments and flags by name, standard input, and whether a person can be asked.
import { readFileSync } from "node:fs";
import { usage } from "./failure.ts";
import type { Screen } from "./output/screen.ts";
import { pathFrom, type Runtime } from "./runtime.ts";

export type Values = Record<string, string | boolean | string[] | undefined>;

export interface Input extends Runtime {
  /** An argument or the value of a flag. */
  text(name: string): string | undefined;
  /** A value that the table of commands requires. */
  needed(name: string): string;
  has(name: string): boolean;
  list(name: string): string[];
  count(name: string, otherwise: number): number;
  screen: Screen;
}

export function inputOf(values: Values, screen: Screen, runtime: Runtime): Input {
  const text = (name: string) => (typeof values[name] === "string" ? (values[name] as string) : undefined);
  return {
    ...runtime,
    text,
    needed: (name) => text(name) as string,
    has: (name) => values[name] === true,
    list: (name) => (Array.isArray(values[name]) ? (values[name] as string[]) : []),
    count(name, otherwise) {
      return Number(text(name) ?? otherwise);
    },
    screen,
  };
}

/**
 * Converts Windows line endings, because the service counts a line ending as one character. It also removes a byte
 * order mark.
 */
export const withoutReturns = (text: string) => text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");

/** The bytes of a file; `-` is standard input. */
export const bytesFrom = (input: Runtime, file: string): Uint8Array =>
  file === "-" ? input.readInput() : readFileSync(pathFrom(input, file));

/** A text from a file; `-` is standard input. */
export function textFrom(input: Runtime, file: string): string {
  try {
    return withoutReturns(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytesFrom(input, file)));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // Standard input has no data.
    if (file === "-" && (code === "EAGAIN" || code === "EOF")) return "";
    throw usage(`${file} cannot be read: ${message}`);
  }
}

/** True if standard input is no terminal. */
export const isPiped = ({ stdin }: Runtime) => !stdin.isTTY;

/** The body from the flags --body and --body-file (rows/pieces.ts). */
export function bodyOf(input: Input): string | undefined {
  const [body, file] = [input.text("body"), input.text("body-file")];
  if (body !== undefined && file !== undefined) throw usage("Give --body or --body-file, not both");
  return file === undefined ? body && withoutReturns(body) : textFrom(input, file).replace(/\n$/, "");
}
