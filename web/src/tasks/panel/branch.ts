// Branch name for a Task: its code and the words of its title, in characters that every Git server accepts.
import type { Task } from "../../store/rows.ts";

const MOST = 60;
const GERMAN: Record<string, string> = { ä: "ae", ö: "oe", ü: "ue", ß: "ss" };

export function branchName({ code, title }: Pick<Task, "code" | "title">): string {
  const words = title
    .toLowerCase()
    .replace(/[äöüß]/g, (letter) => GERMAN[letter] as string)
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9]+/g, "-");
  return `${code.toLowerCase()}-${words}`.slice(0, MOST).replace(/-+$/, "");
}
