// Shape of a command: one row of the table in command-table.ts. Help, usage errors, completion and the man page derive
// from it; its code is loaded when it runs.
import type { Input } from "./input.ts";
import type { Screen } from "./output/screen.ts";

/** Sources of completion: live codes, or names stored on this machine. */
export type Offered = "task" | "project" | "status" | "document" | "profile" | "workspace" | "command" | "file";

export interface Argument {
  name: string;
  help: string;
  optional?: true;
  /** Takes all remaining arguments; only the last argument can. */
  many?: true;
  offered?: Offered | readonly string[];
}

export interface Flag {
  name: string;
  short?: string;
  help: string;
  /** Placeholder for the flag's value; without one the flag is a switch. */
  value?: string;
  /** Can be given several times. */
  many?: true;
  offered?: Offered | readonly string[];
}

/** Result of a command, printed as JSON or as text for a person. */
export interface Result {
  /** An object; a list is `{ items, has_more }`. */
  data: Record<string, unknown>;
  /** Text for a terminal or a pipe. */
  text(screen: Screen): string;
  /** Suggested next step, printed to standard error and only at a terminal. */
  next?: string;
  /** Exit code of a failure that has a result, such as a conflict. */
  exit?: number;
}

export type Run = (input: Input) => Promise<Result | undefined>;

export interface Command {
  /** One or two words, such as `task list`. */
  name: string;
  /** Shorter name, such as `start`. */
  alias?: string;
  summary: string;
  /** Further explanation, in whole sentences. */
  details?: string;
  arguments?: readonly Argument[];
  flags?: readonly Flag[];
  /** Command lines without `svc`, each with its effect. */
  examples: readonly (readonly [line: string, does: string])[];
  /** Writes its output itself, and accepts neither --json nor --jq. */
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
