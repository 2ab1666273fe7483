// What can stand at the cursor follows from the table of commands alone, for every command in it.
import { describe, expect, test } from "vitest";
import { flagsOf } from "../command.ts";
import { commands } from "../command-table.ts";
import { fitting, wantedAt } from "./completion-candidates.ts";

/** The words of a line up to the cursor, which is at its end. */
const at = (line: string) => {
  const words = line.split(" ").slice(1);
  return wantedAt(words, words.length);
};
const values = (line: string) => {
  const { offered, typed, before } = at(line);
  return typeof offered === "string" ? offered : fitting(offered, typed).map(([value]) => before + value);
};

describe("what can stand at the cursor", () => {
  test("every command is found by its words, and each of its flags behind it, once", () => {
    for (const command of commands) {
      const words = command.name.split(" ");
      for (const [place, word] of words.entries())
        expect(values(`svc ${words.slice(0, place).concat(word.slice(0, 1)).join(" ")}`), command.name).toContain(word);
      if (command.alias) expect(values(`svc ${command.alias.slice(0, 1)}`)).toContain(command.alias);
      for (const { name, many, value } of flagsOf(command)) {
        expect(values(`svc ${command.name} --`), command.name).toContain(`--${name}`);
        const again = values(`svc ${command.name} --${name} ${value ? "x " : ""}--`);
        expect(again.includes(`--${name}`), `${command.name} --${name}`).toBe(many === true);
      }
    }
  });

  test.each([
    ["svc task view ", "task"],
    ["svc start ", "task"],
    ["svc comment ", "task"],
    ["svc comment ENG-1 ", []],
    ["svc task move ENG-1 ", "project"],
    ["svc task move ENG-1 OPS ", []],
    ["svc task list -p ", "project"],
    ["svc task list -p ENG -s ", "status"],
    ["svc task list --project=", "project"],
    ["svc task edit ENG-1 --status = In", "status"],
    ["svc task edit ENG-1 --status =", "status"],
    ["svc --profile ", "profile"],
    ["svc --profile other work --", (values("svc work --") as string[]).filter((name) => name !== "--profile")],
    ["svc workspace switch ", "workspace"],
    ["svc doc view ", "document"],
    ["svc import ", "file"],
    ["svc task create ENG --priority ", ["none", "low", "medium", "high", "urgent"]],
    ["svc task create ENG --priority=h", ["--priority=high"]],
    ["svc task list --due ", ["overdue", "today", "week", "none"]],
    ["svc task create ENG --title -- --", []],
    ["svc inbox ", ["read"]],
    ["svc help task l", ["list"]],
    ["svc completion p", ["powershell"]],
    ["svc nothing ", []],
    ["svc task nothing ", []],
    ["svc work more", []],
    ["svc task edit ENG-1 --due ", []],
  ])("%s", (line, expected) => expect(values(line)).toEqual(expected));

  test("a word that has not been begun need not be given", () => {
    expect(wantedAt(["task", "view"], 3).offered).toBe("task");
    expect(wantedAt([], 1).offered).toContainEqual(["work", "List what is on your plate"]);
  });

  test("what is about a Project is known from a code, an argument or a flag", () => {
    expect(at("svc task edit ENG-1 --status ").about).toEqual(["ENG-1"]);
    expect(at("svc done ENG-1 --status ").about).toEqual(["ENG-1"]);
    expect(at("svc task create ENG Gears --status ").about).toEqual(["ENG", "Gears"]);
    expect(at("svc task list --project=ENG --status ").about).toEqual(["ENG"]);
  });
});
