// Renders the texts of `svc help` and `--help` from the table of commands. They fit 80 columns and need no pager.
import { type Command, type Flag, flagsOf, globalFlags } from "./command.ts";
import type { Screen } from "./output/screen.ts";

const WIDTH = 80;

/** Wraps the text into lines of at most `width` characters. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function listed(rows: readonly (readonly [string, string])[]): string {
  const widest = Math.min(28, Math.max(...rows.map(([name]) => name.length)));
  return rows
    .map(([name, text]) => {
      const lines = wrapped(text, WIDTH - widest - 4);
      const head =
        name.length > widest ? [`  ${name}`, ...lines.map((line) => `${" ".repeat(widest + 4)}${line}`)] : null;
      return (head ?? lines.map((line, at) => `  ${(at === 0 ? name : "").padEnd(widest)}  ${line}`)).join("\n");
    })
    .join("\n");
}

export const usageLine = ({ name, arguments: taken = [] }: Command) =>
  [
    `svc ${name}`,
    ...taken.map(({ name: each, optional, many }) => {
      const shown = `${each.toUpperCase()}${many ? "..." : ""}`;
      return optional ? `[${shown}]` : shown;
    }),
    "[flags]",
  ].join(" ");

export const flagLine = ({ name, short, value, help, many, offered }: Flag): readonly [string, string] => [
  `${short ? `-${short}, ` : "    "}--${name}${value ? ` ${value.toUpperCase()}` : ""}`,
  `${help}${Array.isArray(offered) ? `: ${offered.join(", ")}` : ""}${many ? " (may be repeated)" : ""}`,
];

export function commandHelp(command: Command, screen: Screen): string {
  const head = (text: string) => screen.colour("bold", text);
  const { summary, details, arguments: taken = [], flags = [], examples, alias } = command;
  const own = new Set(flags.map(({ name }) => name));
  const parts = [
    `${summary}.`,
    `${head("Usage")}\n  ${usageLine(command)}${alias ? `\n  ${usageLine({ ...command, name: alias })}` : ""}`,
  ];
  if (details) parts.splice(1, 0, wrapped(details, WIDTH).join("\n"));
  if (taken.length > 0)
    parts.push(
      `${head("Arguments")}\n${listed(
        taken.map(({ name, help, offered }) => [
          name.toUpperCase(),
          `${help}${Array.isArray(offered) ? `: ${offered.join(", ")}` : ""}`,
        ]),
      )}`,
    );
  if (own.size > 0) parts.push(`${head("Flags")}\n${listed(flags.map(flagLine))}`);
  parts.push(
    `${head("Everywhere")}\n${listed(
      flagsOf(command)
        .filter(({ name }) => !own.has(name))
        .map(flagLine),
    )}`,
  );
  if (examples.length > 0)
    parts.push(
      `${head("Examples")}\n${examples.map(([line, does]) => `  ${screen.colour("dim", `# ${does}`)}\n  svc ${line}`).join("\n")}`,
    );
  return parts.join("\n\n");
}

export const VARIABLES: readonly (readonly [name: string, help: string])[] = [
  ["SVC_TOKEN", "A personal API token, in place of signing in"],
  ["SVC_URL", "Where the service is; with SVC_TOKEN, or to choose the profile of that address"],
  ["SVC_WORKSPACE", "With SVC_TOKEN: the id of its Workspace, which saves asking for it"],
  ["SVC_PROFILE", "The profile to use"],
  ["SVC_CONFIG_DIR", "Where profiles are kept"],
  ["SVC_KEYCHAIN", "off: keep tokens in a file, not in the system's keychain"],
  ["NO_COLOR", "Print without colours"],
];
export const EXIT_CODES: readonly (readonly [code: string, help: string])[] = [
  ["0", "done"],
  ["1", "failed"],
  ["2", "not understood: the command line is wrong"],
  ["4", "sign in"],
  ["5", "conflict: it has changed meanwhile, or is in the way of something"],
  ["8", "not found"],
];

const GROUPS: readonly (readonly [title: string, names: readonly string[]])[] = [
  ["Your work", ["work", "task", "comment", "time", "inbox", "search"]],
  ["Around it", ["project", "milestone", "doc"]],
  ["What you did", ["changes", "receipt", "undo"]],
  ["For agents and scripts", ["context", "mcp", "api", "import", "export"]],
  ["Getting in", ["login", "logout", "status", "workspace", "profile"]],
];

/** Commands by group; those without a group come last. */
export function grouped(commands: readonly Command[]): (readonly [title: string, commands: readonly Command[]])[] {
  const first = ({ name }: Command) => name.split(" ")[0] as string;
  const named = new Set(GROUPS.flatMap(([, names]) => names));
  return [
    ...GROUPS.map(([title, names]) => [title, commands.filter((each) => names.includes(first(each)))] as const),
    ["Beside", commands.filter((each) => !named.has(first(each)))] as const,
  ];
}

/** All commands, or those of one group. */
export function overview(commands: readonly Command[], screen: Screen, group?: string): string {
  const shown = commands.filter(({ name }) => !group || name.split(" ")[0] === group);
  const line = (command: Command) =>
    [
      usageLine(command)
        .replace(/^svc /, "")
        .replace(/ \[flags\]$/, ""),
      command.alias ? `${command.summary} (also svc ${command.alias})` : command.summary,
    ] as const;
  const head = (text: string) => screen.colour("bold", text);
  if (group)
    return `${head(`svc ${group}`)}\n${listed(shown.map(line))}\n\nMore about one: svc ${group} COMMAND --help`;
  const parts = grouped(commands).map(([title, among]) => `${head(title)}\n${listed(among.map(line))}`);
  return [
    "svc: your team's work, from the command line.",
    ...parts,
    `${head("Everywhere")}\n${listed(globalFlags.map(flagLine))}`,
    `${head("Variables")}\n${listed(VARIABLES)}`,
    `${head("Exit codes")}\n${listed(EXIT_CODES)}`,
    "Begin with: svc login ADDRESS\nMore about one: svc COMMAND --help",
  ].join("\n\n");
}
