// What a command is: one row of the table in commands.ts. Help, usage errors, completion and the man page are made from it; its code is loaded when it runs.
import type { Input } from "./input.ts";
import type { Screen } from "./screen.ts";

/** What is offered while somebody types it: live codes, or names that are kept here. */
export type Offered = "task" | "project" | "status" | "document" | "profile" | "workspace" | "command" | "file";

export interface Argument {
  name: string;
  help: string;
  optional?: true;
  /** All that follow; only the last can be. */
  many?: true;
  offered?: Offered | readonly string[];
}

export interface Flag {
  name: string;
  short?: string;
  help: string;
  /** What its value is called; without one it is a switch. */
  value?: string;
  /** It can be given several times. */
  many?: true;
  offered?: Offered | readonly string[];
}

/** What a command has found out or done: told as JSON, or to a person. */
export interface Result {
  /** An object; of a list `{ items, has_more }`. */
  data: Record<string, unknown>;
  /** For a person at a terminal, or for a pipe: each line as it is to be seen. */
  text(screen: Screen): string;
  /** Beside the result, on standard error and only at a terminal: what to do next. */
  next?: string;
  /** Where it is a failure that has a result, such as a conflict. */
  exit?: number;
}

export type Run = (input: Input) => Promise<Result | undefined>;

export interface Command {
  /** One or two words, such as `task list`. */
  name: string;
  /** A shorter way to say it, such as `start`. */
  alias?: string;
  summary: string;
  /** More, in whole sentences. */
  details?: string;
  arguments?: readonly Argument[];
  flags?: readonly Flag[];
  /** Command lines without `svc`, and what each does. */
  examples: readonly (readonly [line: string, does: string])[];
  /** It writes its output itself, and takes neither --json nor --jq. */
  raw?: true;
  load(): Promise<Run>;
}

export const globalFlags: readonly Flag[] = [
  { name: "profile", value: "name", help: "Use this profile (SVC_PROFILE)", offered: "profile" },
  { name: "json", value: "fields", help: "Print JSON with these fields, separated by commas; all for every field" },
  { name: "jq", value: "filter", help: "Print what a filter finds in the JSON, such as '.items[].title'" },
  { name: "no-color", help: "Print without colours (NO_COLOR)" },
  { name: "help", short: "h", help: "Say how the command is used" },
];
export const flagsOf = ({ flags = [], raw }: Command): readonly Flag[] => [
  ...flags,
  ...globalFlags.filter(({ name }) => !raw || (name !== "json" && name !== "jq")),
];
