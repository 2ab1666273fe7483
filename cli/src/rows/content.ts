// Rows of the table of commands: comments, time, search, Projects, Documents, receipts and undo.
import type { Command } from "../command.ts";
import { code, inProject, key, limit, project, textFlags } from "./pieces.ts";

export const aroundRows: readonly Command[] = [
  {
    name: "comment",
    summary: "Comment on a Task",
    arguments: [
      {
        name: "text",
        help: "The code of the Task, then what you say; without a code that of the Git branch",
        optional: true,
        many: true,
        offered: "task",
      },
    ],
    flags: [...textFlags("What you say"), key],
    examples: [
      ['comment ENG-12 "The brass arrives tomorrow"', "in a few words"],
      ["comment ENG-12 < notes.md", "from a file"],
    ],
    load: async () => (await import("../commands/comment.ts")).comment,
  },
  {
    name: "time add",
    summary: "Record your time on a Task",
    arguments: [{ name: "duration", help: "Such as 1h30m, 90m or 1.5h" }, code],
    flags: [
      { name: "date", value: "day", help: "YYYY-MM-DD (today)" },
      { name: "note", short: "n", value: "text", help: "What for" },
      key,
    ],
    examples: [["time add 1h30m ENG-12 --note 'First gear'", "today"]],
    load: async () => (await import("../commands/time.ts")).add,
  },
  {
    name: "time list",
    summary: "List the time that you recorded",
    flags: [
      { name: "from", value: "day", help: "YYYY-MM-DD (six days ago)" },
      { name: "to", value: "day", help: "YYYY-MM-DD (today)" },
      limit(100),
    ],
    examples: [["time list --from 2026-05-01 --to 2026-05-31", "a month"]],
    load: async () => (await import("../commands/time.ts")).list,
  },
  {
    name: "inbox",
    summary: "List what you were told and have not read",
    flags: [{ name: "all", short: "a", help: "What you have read too" }, limit(30)],
    examples: [["inbox", "what is new"]],
    load: async () => (await import("../commands/inbox.ts")).inbox,
  },
  {
    name: "inbox read",
    summary: "Mark what you were told as read",
    arguments: [{ name: "id", help: "As svc inbox shows it", optional: true, many: true }],
    flags: [{ name: "all", short: "a", help: "All of it, up to now" }],
    examples: [["inbox read --all", "nothing is new any more"]],
    load: async () => (await import("../commands/inbox.ts")).read,
  },
  {
    name: "search",
    summary: "Search Tasks and Documents",
    arguments: [{ name: "words", help: "What to look for", many: true }],
    flags: [
      inProject,
      { name: "kind", short: "k", value: "kind", help: "Only these", offered: ["task", "document"] },
      limit(20),
    ],
    examples: [["search brass gears", "the best match first"]],
    load: async () => (await import("../commands/work.ts")).search,
  },
  {
    name: "project list",
    summary: "List Projects",
    flags: [limit(50)],
    examples: [["project list", "those that you can see"]],
    load: async () => (await import("../commands/project.ts")).list,
  },
  {
    name: "project view",
    summary: "Show a Project",
    arguments: [project],
    examples: [["project view ENG", "with its description"]],
    load: async () => (await import("../commands/project.ts")).view,
  },
  {
    name: "milestone list",
    summary: "List the next Milestones of a Project",
    arguments: [{ ...project, optional: true }],
    flags: [{ ...inProject, help: "The same, as other commands take it" }],
    examples: [
      ["milestone list ENG", "with their codes"],
      ["milestone list -p ENG", "the same"],
    ],
    load: async () => (await import("../commands/project.ts")).milestones,
  },
  {
    name: "milestone view",
    summary: "Show a Milestone with its progress",
    arguments: [{ name: "code", help: "Such as ENG-M3" }],
    examples: [["milestone view ENG-M3", "how far it is"]],
    load: async () => (await import("../commands/project.ts")).milestone,
  },
  {
    name: "doc list",
    summary: "List the Documents at the top",
    flags: [inProject, limit(50)],
    examples: [["doc list -p ENG", "those of a Project"]],
    load: async () => (await import("../commands/documents/doc.ts")).list,
  },
  {
    name: "doc view",
    summary: "Show what a Document says",
    arguments: [{ name: "path", help: "Such as handbook/how-we-plan", offered: "document" }],
    flags: [{ name: "markdown", short: "m", help: "As Markdown, all of it" }],
    examples: [["doc view handbook/how-we-plan", "as text"]],
    load: async () => (await import("../commands/documents/doc.ts")).view,
  },
  {
    name: "doc edit",
    summary: "Edit a Document in your editor",
    details:
      "The change is a ChangeSet that you approve in the browser. What somebody else has written meanwhile is " +
      "merged in; where both changed the same, both texts are left in a file.",
    arguments: [{ name: "path", help: "Such as handbook/how-we-plan", offered: "document" }],
    flags: [
      ...textFlags("All that it is to say"),
      { name: "title", short: "t", value: "text", help: "What the change is called" },
    ],
    examples: [["doc edit handbook/how-we-plan", "in $VISUAL or $EDITOR"]],
    load: async () => (await import("../commands/documents/doc-edit.ts")).edit,
  },
  {
    name: "changes show",
    summary: "Show a ChangeSet",
    arguments: [{ name: "id", help: "Its id; id@2 for its second version" }],
    examples: [["changes show 01980000-0000-7000-8000-000000000001", "what it would change"]],
    load: async () => (await import("../commands/changes.ts")).show,
  },
  {
    name: "changes apply",
    summary: "Apply a ChangeSet that you have approved",
    arguments: [{ name: "id", help: "Its id; id@2 for its second version" }],
    examples: [["changes apply 01980000-0000-7000-8000-000000000001", "all of it, once, or nothing"]],
    load: async () => (await import("../commands/changes.ts")).apply,
  },
  {
    name: "receipt",
    summary: "Say what became of a write of yours",
    arguments: [{ name: "id", help: "Of the command, or the key that it was given" }],
    examples: [["receipt 01980000-0000-7000-8000-000000000001", "what it did, and whether it can be undone"]],
    load: async () => (await import("../commands/changes.ts")).receipt,
  },
  {
    name: "undo",
    summary: "Take back a write of yours",
    details: "If all of it is still so. Undoing an undo does it again.",
    arguments: [{ name: "command", help: "Its id, as the write has told it" }],
    examples: [["undo 01980000-0000-7000-8000-000000000001", "as it was before"]],
    load: async () => (await import("../commands/changes.ts")).undo,
  },
];
