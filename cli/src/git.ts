// Derives the current Task from the name of the Git branch, and creates the branch for a Task.
import { spawnSync } from "node:child_process";
import { EXIT, Failure, usage } from "./failure.ts";
import type { Input } from "./input.ts";

const git = ({ cwd, env }: Input, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync("git", args, { encoding: "utf8", cwd, env });
  return { done: status === 0, out: (stdout ?? "").trim(), fault: (stderr ?? "git is not installed").trim() };
};

const CODE = /(?:^|[^A-Za-z0-9])([A-Za-z][A-Za-z0-9]{0,9}-[1-9]\d*)(?![A-Za-z0-9])/;
export const codeIn = (branch: string) => CODE.exec(branch)?.[1]?.toUpperCase();

/** The given code, in any case, or that of the branch. */
export function taskCode(input: Input, argument = "code"): string {
  const given = input.text(argument);
  if (given !== undefined) {
    if (!/^[A-Za-z][A-Za-z0-9]{0,9}-[1-9]\d*$/.test(given))
      throw usage(`${given} is no code of a Task.`, "Codes look like ENG-12. Look for one: svc search WORDS");
    return given.toUpperCase();
  }
  const { done, out } = git(input, "symbolic-ref", "--short", "HEAD");
  const found = done ? codeIn(out) : undefined;
  if (found) return found;
  throw usage(
    done ? `The branch ${out} names no Task.` : "Which Task? There is no Git branch here to tell.",
    "Name it, such as ENG-12, or be on a branch of its: svc start ENG-12 --branch",
  );
}

const branchFor = (code: string, title: string) => {
  const words = title
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 40)
    .replace(/-+$/, "");
  return `${code.toLowerCase()}${words && `-${words}`}`;
};

/** Creates the branch of a Task, or switches to the existing one. */
export function switchTo(input: Input, code: string, title: string): string {
  const known = git(input, "for-each-ref", "--format=%(refname:short)", "refs/heads").out.split("\n");
  const there = known.find((name) => codeIn(name) === code);
  const name = there ?? branchFor(code, title);
  const { done, fault } = there ? git(input, "switch", name) : git(input, "switch", "-c", name);
  if (!done) throw new Failure(EXIT.failed, `${code} is started, but Git does not go to ${name}: ${fault}`);
  return name;
}

export const inRepository = (input: Input) => git(input, "rev-parse", "--is-inside-work-tree").done;
