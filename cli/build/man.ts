// Generates the man page from the table of commands that `svc help` uses. It runs when the program is packed.
import { type Command, globalFlags } from "../src/command.ts";
import { commands } from "../src/command-table.ts";
import { EXIT_CODES, flagLine, grouped, usageLine, VARIABLES } from "../src/help.ts";

/** Escapes text for roff. A hyphen remains an ASCII hyphen, so that it can be copied. */
const text = (words: string) =>
  words
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll('"', "\\(dq")
    .replaceAll("'", "\\(aq")
    .replaceAll("`", "\\(ga")
    .replaceAll("^", "\\(ha")
    .replaceAll("~", "\\(ti")
    .replace(/^\./gm, "\\&.");
const bold = (words: string) => `\\fB${text(words)}\\fR`;
const item = (name: string, help: string) => `.TP\n${bold(name.trim())}\n${text(help)}`;
const argumentsOf = ({ arguments: taken = [] }: Command) =>
  taken.map(({ name, help, offered }) =>
    item(name.toUpperCase(), Array.isArray(offered) ? `${help}: ${offered.join(", ")}` : help),
  );

function entry(command: Command): string {
  const { summary, details, alias, flags = [], examples } = command;
  const inner = [...argumentsOf(command), ...flags.map((flag) => item(...flagLine(flag)))];
  return [
    `.TP\n${bold(usageLine(command))}`,
    text(`${summary}.${alias ? ` Also: svc ${alias}.` : ""}`),
    ...(details ? [".IP", text(details)] : []),
    ...(inner.length > 0 ? [".RS", ...inner, ".RE"] : []),
    ...examples.flatMap(([line, does]) => [".IP", `${text(does)}:`, ".br", bold(`svc ${line}`)]),
  ].join("\n");
}

export const manPage = (version: string) =>
  [
    `.TH SVC 1 "" "svc ${version}" "User Commands"`,
    ".SH NAME",
    text("svc - your team's work, from the command line"),
    ".SH SYNOPSIS",
    `${bold("svc")} \\fIcommand\\fR [\\fIarguments\\fR] [\\fIflags\\fR]`,
    ".SH DESCRIPTION",
    text(
      "For people, scripts and agents. Where there is no terminal there is no question, colour or picture of " +
        "progress, and rows have tabs between their cells.",
    ),
    ...grouped(commands).flatMap(([title, among]) => [`.SH ${title.toUpperCase()}`, ...among.map(entry)]),
    ".SH EVERYWHERE",
    ...globalFlags.map((flag) => item(...flagLine(flag))),
    ".SH ENVIRONMENT",
    ...VARIABLES.map(([name, help]) => item(name, help)),
    ".SH EXIT STATUS",
    ...EXIT_CODES.map(([code, help]) => item(code, help)),
    "",
  ].join("\n");
