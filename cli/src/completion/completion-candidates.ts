// Computes the completion candidates at the cursor of a command line from the table of commands. It is independent of
// shells and makes no request.
import { type Command, type Flag, flagsOf, globalFlags, type Offered } from "../command.ts";
import { commands } from "../command-table.ts";

export type Candidate = readonly [value: string, help: string];

export interface Wanted {
  /** Candidates, or the kind of resource to complete. */
  offered: readonly Candidate[] | Offered;
  /** Part of the word before the cursor. */
  typed: string;
  /** Text before it in the same word, such as `--status=`. */
  before: string;
  /** Profile that the command line names. */
  profile: string | undefined;
  /** Words that identify the resource of the command. */
  about: readonly string[];
}

const named = (words: readonly string[]): Command | undefined =>
  commands.find(({ name }) => name === words.slice(0, 2).join(" ")) ??
  commands.find(({ name, alias }) => name === words[0] || alias === words[0]);

/** Words that can follow as the next part of a command's name. */
function nextWords(words: readonly string[]): Candidate[] {
  const next = new Map<string, string>();
  for (const { name, alias, summary } of commands) {
    const parts = name.split(" ");
    if (words.some((word, at) => parts[at] !== word)) continue;
    const [word, ...more] = parts.slice(words.length);
    if (word !== undefined && !(next.has(word) && more.length > 0))
      next.set(word, more.length > 0 ? `More: svc help ${word}` : summary);
    if (alias !== undefined && words.length === 0) next.set(alias, summary);
  }
  return [...next];
}

/** Rejoins `--status=Todo`, which Bash splits into three words. */
const rejoined = (words: readonly string[]) => {
  const last = words.at(-1) === "=" ? [...words.slice(0, -1), "=", ""] : words;
  return last.filter((word, at) => word !== "=" || !last[at - 1]?.startsWith("--"));
};

const asCandidates = (offered: Flag["offered"]): Wanted["offered"] =>
  typeof offered === "object" ? offered.map((value) => [value, ""] as const) : (offered ?? []);

/** The completion at word `at` (from 1) of the words after `svc`. */
export function wantedAt(typedWords: readonly string[], at: number): Wanted {
  const words = rejoined(Array.from({ length: at }, (_, each) => typedWords[each] ?? ""));
  const current = words.pop() ?? "";
  const plain: string[] = [];
  const values: Record<string, string> = {};
  const used = new Set<string>();
  let waiting: Flag | undefined;
  let ended = false;
  const flags = () => {
    const command = named(plain);
    return command ? flagsOf(command) : globalFlags;
  };
  for (const word of words) {
    if (waiting) {
      values[waiting.name] = word;
      waiting = undefined;
    } else if (ended || !/^-./.test(word)) plain.push(word);
    else if (word === "--") ended = true;
    else {
      const [, long, short, value] = /^(?:--([^=]+)|-(.))=?(.*)$/s.exec(word) ?? [];
      const flag = flags().find((each) => each.name === long || (short && each.short === short));
      if (!flag) continue;
      used.add(flag.name);
      if (flag.value === undefined) continue;
      if (value === "") waiting = flag;
      else values[flag.name] = value as string;
    }
  }
  const command = named(plain);
  const given = command ? plain.slice(plain[0] === command.alias ? 1 : command.name.split(" ").length) : plain;
  const about = [...given, ...(values.project === undefined ? [] : [values.project])];
  const found = { typed: current, before: "", profile: values.profile, about };
  if (waiting) return { ...found, offered: asCandidates(waiting.offered) };
  const [, name, part] = /^--([^=]+)=(.*)$/s.exec(current) ?? [];
  if (name !== undefined && !ended) {
    const flag = flags().find((each) => each.name === name && each.value !== undefined);
    return { ...found, typed: part as string, before: `--${name}=`, offered: asCandidates(flag?.offered) };
  }
  if (current.startsWith("-") && !ended) {
    const left = flags().filter((each) => each.many || !used.has(each.name));
    return { ...found, offered: left.map(({ name: each, help }) => [`--${each}`, help] as const) };
  }
  const sub = given.length === 0 || !command ? nextWords(plain) : [];
  if (sub.length > 0 || !command) return { ...found, offered: sub };
  const taken = command.arguments ?? [];
  const argument = taken[given.length] ?? (taken.at(-1)?.many ? taken.at(-1) : undefined);
  if (argument?.offered === "command") return { ...found, offered: nextWords(given) };
  // For a repeated argument, only the first word is completed.
  return { ...found, offered: asCandidates(taken[given.length]?.offered) };
}

/** Candidates that begin with the typed text, ignoring case. */
export const fitting = (candidates: readonly Candidate[], typed: string) =>
  candidates.filter(([value]) => value.toLowerCase().startsWith(typed.toLowerCase()));
