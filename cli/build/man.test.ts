// The man page says what `svc help` says, of every command, and a program that reads such pages finds nothing wrong
// with it.
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { flagsOf } from "../src/command.ts";
import { commands } from "../src/command-table.ts";
import { manPage } from "./man.ts";

const page = manPage("1.2.3");
const has = (program: string) => spawnSync(program, ["--version"]).error === undefined;

test("has every command with its arguments, flags and examples, and nothing that a reader would take for a request", () => {
  const plain = page
    .replace(/\\f[BIR]/g, "")
    .replaceAll("\\-", "-")
    .replaceAll("\\(dq", '"')
    .replaceAll("\\(aq", "'")
    .replaceAll("\\(ti", "~")
    .replaceAll("\\(ha", "^")
    .replaceAll("\\(ga", "`")
    .replaceAll("\\e", "\\");
  for (const command of commands) {
    expect(plain).toContain(`svc ${command.name}`);
    expect(plain).toContain(command.details ?? command.summary);
    for (const { name, help } of flagsOf(command)) expect(plain, `${command.name} --${name}`).toContain(help);
    for (const [line] of command.examples) expect(plain).toContain(`svc ${line}`);
  }
  const requests = page.split("\n").filter((line) => /^['.]/.test(line));
  for (const line of requests) expect(line).toMatch(/^\.(TH|SH|TP|IP|RS|RE|br)( |$)/);
  expect(requests.filter((line) => line === ".RS").length).toBe(requests.filter((line) => line === ".RE").length);
  for (const title of ["NAME", "SYNOPSIS", "ENVIRONMENT", "EXIT STATUS"]) expect(requests).toContain(`.SH ${title}`);
});

test.runIf(has("groff"))("groff reads it without a warning, and shows what can be copied", () => {
  const read = spawnSync("groff", ["-man", "-ww", "-Tutf8", "-P-c"], { input: page, encoding: "utf8" });
  expect([read.status, read.stderr]).toEqual([0, ""]);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what is bold is written twice.
  const shown = read.stdout.replace(/.\u0008/g, "");
  expect(shown).toContain("svc task list [flags]");
  expect(shown).toContain("svc import tasks.csv -p ENG --preview");
});

test.runIf(has("mandoc"))("mandoc finds nothing wrong with it", () => {
  const read = spawnSync("mandoc", ["-T", "lint", "-W", "warning"], { input: page, encoding: "utf8" });
  expect([read.status, read.stdout]).toEqual([0, ""]);
});
