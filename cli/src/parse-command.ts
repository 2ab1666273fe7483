// Parses a command line into a command and its values. A usage error suggests the nearest valid input.
import { parseArgs } from "node:util";
import { type Command, type Flag, flagsOf, globalFlags } from "./command.ts";
import { commands } from "./command-table.ts";
import { usage } from "./failure.ts";
import type { Values } from "./input.ts";

export interface Parsed {
  /** Undefined: the command line names no command. */
  command: Command | undefined;
  /** The first word, if it is a group of commands, such as `task`. */
  group: string | undefined;
  values: Values;
}

const wordsOf = ({ name }: Command) => name.split(" ");

/** Flags before the command are treated as if they followed it. */
export function parse(argv: readonly string[]): Parsed {
  const { words, before } = leading(argv);
  const [first, second] = words;
  if (first === undefined) return { command: undefined, group: undefined, values: valuesOf(argv, globalFlags, []) };
  const two = commands.find(({ name }) => name === `${first} ${second}`);
  const command = two ?? commands.find(({ name, alias }) => name === first || alias === first);
  if (!command) {
    const group = commands.some((each) => wordsOf(each)[0] === first);
    const rest = argv.slice(before + 1).filter((each) => each !== second);
    if (group && (second === undefined || isHelp(rest))) return { command: undefined, group: first, values: {} };
    const known = group ? commands.filter((each) => wordsOf(each)[0] === first) : commands;
    const typed = group ? `${first} ${second}` : first;
    const names = known.flatMap(({ name, alias }) => (alias ? [name, alias] : [name]));
    const near = nearest(second === undefined ? first : `${first} ${second}`, names) ?? nearest(first, names);
    throw usage(
      `There is no command ${JSON.stringify(typed)}.`,
      near ? `Did you mean: svc ${near}` : "See all of them: svc help",
    );
  }
  const rest = [...argv.slice(0, before), ...argv.slice(before + (two ? 2 : 1))];
  return { command, group: undefined, values: valuesOf(rest, flagsOf(command), command.arguments ?? [], command) };
}
const isHelp = (rest: readonly string[]) => rest.some((each) => each === "--help" || each === "-h");

/** The words of the command, and the number of flags before them. */
function leading(argv: readonly string[]) {
  let at = 0;
  while (at < argv.length && argv[at]?.startsWith("-") && argv[at] !== "-") {
    const name = (argv[at] as string).replace(/^--?/, "");
    const flag = globalFlags.find((each) => each.name === name);
    at += flag?.value === undefined ? 1 : 2;
  }
  const words = argv.slice(at, at + 2).filter((word) => !word.startsWith("-"));
  return { words, before: Math.min(at, argv.length) };
}

function valuesOf(
  argv: readonly string[],
  flags: readonly Flag[],
  wanted: NonNullable<Command["arguments"]>,
  command?: Command,
): Values {
  const how = command ? `How it is used: svc ${command.name} --help` : "See what there is: svc help";
  const options = Object.fromEntries(
    flags.map(({ name, short, value, many }) => [
      name,
      {
        type: value === undefined ? ("boolean" as const) : ("string" as const),
        ...(short && { short }),
        ...(many && { multiple: true }),
      },
    ]),
  );
  const { values, positionals } = tried(() =>
    parseArgs({ args: [...argv], options, allowPositionals: true, strict: true }),
  );
  if (values.help) return values as Values;
  for (const { name, offered, many } of flags) {
    if (!Array.isArray(offered) || values[name] === undefined) continue;
    for (const given of (many ? values[name] : [values[name]]) as string[])
      if (!offered.includes(given)) throw usage(`--${name} must be one of ${offered.join(", ")}, not ${given}.`, how);
  }
  for (const { name, value } of flags)
    if (value === "count" && values[name] !== undefined && !/^[1-9]\d{0,5}$/.test(String(values[name])))
      throw usage(`--${name} must be a whole number from 1 on, not ${values[name]}.`, how);
  const found: Values = { ...(values as Values) };
  for (const [at, { name, optional, many, offered }] of wanted.entries()) {
    const given = positionals[at];
    if (given === undefined && !optional) throw usage(`${name.toUpperCase()} is missing.`, how);
    if (given !== undefined && Array.isArray(offered) && !offered.includes(given))
      throw usage(`${name.toUpperCase()} must be one of ${offered.join(", ")}, not ${given}.`, how);
    // A value that is both an argument and a flag must be the same in both.
    if (given !== undefined && values[name] !== undefined && values[name] !== given)
      throw usage(`${name.toUpperCase()} is ${given}, and --${name} says ${values[name]}.`, how);
    found[name] = many ? positionals.slice(at) : (given ?? found[name]);
  }
  const last = wanted.at(-1);
  const extra = positionals[wanted.length];
  if (extra !== undefined && !last?.many) throw usage(`${JSON.stringify(extra)} is too much.`, how);
  return found;

  function tried<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (!code?.startsWith("ERR_PARSE_ARGS")) throw error;
      const name = /'?(--?[\w-]+)/.exec(message)?.[1] ?? "";
      if (code === "ERR_PARSE_ARGS_UNKNOWN_OPTION") {
        const near = nearest(
          name.replace(/^-+/, ""),
          flags.map((flag) => flag.name),
        );
        throw usage(`There is no flag ${name} here.`, near ? `Did you mean: --${near}` : how);
      }
      throw usage(`${(message.split(/(?<=[.?])\s/)[0] as string).replace(/\.?$/, ".")}`, how);
    }
  }
}

/** The name with the smallest edit distance, if that is small enough. */
function nearest(typed: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((name) => ({ name, far: name.startsWith(typed) ? 0 : distance(typed, name) }))
    .sort((a, b) => a.far - b.far);
  return best && best.far <= Math.max(2, typed.length / 3) ? best.name : undefined;
}
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1];
    for (const [to, wanted] of [...other].entries())
      next.push(
        Math.min(
          (row[to + 1] as number) + 1,
          (next[to] as number) + 1,
          (row[to] as number) + Number(letter !== wanted),
        ),
      );
    row = next;
  }
  return row.at(-1) as number;
}
