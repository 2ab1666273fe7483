// Arguments and flags that several commands share.
import type { Argument, Flag } from "../command.ts";

export const PRIORITIES = ["none", "low", "medium", "high", "urgent"];
export const code: Argument = {
  name: "code",
  help: "Of the Task; that of the Git branch where it is left out",
  optional: true,
  offered: "task",
};
export const neededCode: Argument = { name: "code", help: "Of the Task, such as ENG-12", offered: "task" };
export const project: Argument = { name: "project", help: "Its key, such as ENG", offered: "project" };
export const inProject: Flag = {
  name: "project",
  short: "p",
  value: "key",
  help: "Only in this Project",
  offered: "project",
};
export const limit = (count: number): Flag => ({
  name: "limit",
  short: "L",
  value: "count",
  help: `At most so many (${count})`,
});
export const revision: Flag = { name: "revision", value: "number", help: "Only if it still has this revision" };
export const key: Flag = {
  name: "key",
  value: "text",
  help: "Repeated with the same key, it happens once (16 to 200 characters)",
};
export const taskFields: readonly Flag[] = [
  { name: "priority", value: "level", help: "How urgent it is", offered: PRIORITIES },
  { name: "status", short: "s", value: "name", help: "A Status of the Project, by its name", offered: "status" },
  { name: "assignee", short: "a", value: "person", help: "Username, me, or none" },
  { name: "label", short: "l", value: "name", help: "All labels that it has then; none for no label", many: true },
  { name: "milestone", short: "m", value: "code", help: "Such as ENG-M3, or none" },
  { name: "parent", value: "code", help: "The Task that it is a part of, or none", offered: "task" },
  { name: "start-date", value: "day", help: "YYYY-MM-DD, or none" },
  { name: "due", value: "day", help: "YYYY-MM-DD, or none" },
];

export const textFlags = (what: string): readonly Flag[] => [
  { name: "body", short: "b", value: "text", help: `${what}, as Markdown` },
  { name: "body-file", short: "F", value: "file", help: `${what}, from a file; - is standard input`, offered: "file" },
];
