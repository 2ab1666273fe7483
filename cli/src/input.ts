// What a command was given: its arguments and flags by name, what came on standard input, and whether there is a person to ask.
import { readFileSync } from "node:fs";
import { usage } from "./failure.ts";
import { pathFrom, type Runtime } from "./runtime.ts";
import type { Screen } from "./screen.ts";

export type Values = Record<string, string | boolean | string[] | undefined>;

export interface Input extends Runtime {
  /** An argument or the value of a flag. */
  text(name: string): string | undefined;
  /** The same, where the table says that there is one. */
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

/** Windows ends lines with two characters; the service counts one. */
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
    // Nothing was piped in.
    if (file === "-" && (code === "EAGAIN" || code === "EOF")) return "";
    throw usage(`${file} cannot be read: ${message}`);
  }
}

/** Whether something is piped in, and nobody sits there. */
export const isPiped = ({ stdin }: Runtime) => !stdin.isTTY;

/** What the flags of rows/pieces.ts were given. */
export function bodyOf(input: Input): string | undefined {
  const [body, file] = [input.text("body"), input.text("body-file")];
  if (body !== undefined && file !== undefined) throw usage("Give --body or --body-file, not both");
  return file === undefined ? body && withoutReturns(body) : textFrom(input, file).replace(/\n$/, "");
}
