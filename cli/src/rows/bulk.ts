// Rows of the table of commands: import and export of many Tasks.
import type { Command, Flag } from "../command.ts";
import { inProject } from "./pieces.ts";

const separator: Flag = {
  name: "separator",
  value: "name",
  help: "Between the cells",
  offered: ["comma", "semicolon", "tab"],
};

export const bulkRows: readonly Command[] = [
  {
    name: "import",
    summary: "Create Tasks from a CSV file",
    details:
      "A column becomes the field that --map names, or that it is called as: title, description, priority, " +
      "status, assignee, labels, milestone, parent, start_date, due_date. Run again after an interruption, " +
      "it goes on: no row is imported twice. What is refused is in a CSV file beside it, each row with its " +
      "reason; mend it there, and import that file. At a terminal what would happen is shown first, " +
      "and you are asked.",
    arguments: [
      { name: "file", help: "Its first line has the names of the columns; - is standard input", offered: "file" },
    ],
    flags: [
      { ...inProject, help: "Into this Project" },
      { name: "map", short: "m", value: "field=column", help: "What columns are, separated by commas", many: true },
      { name: "value", value: "field:word=name", help: "What a word in a column is called here", many: true },
      { name: "preview", help: "Only show what would be imported, and what cannot be" },
      { name: "yes", short: "y", help: "Do not ask" },
      { ...separator, help: "Between the cells (found out)" },
      { name: "report", value: "file", help: "Where refused rows go (FILE.refused.csv)", offered: "file" },
    ],
    examples: [
      ["import tasks.csv -p ENG --preview", "what would happen"],
      ["import tasks.csv -p ENG --map title=Summary,status=State --value 'status:Doing=In Progress'", "do it"],
    ],
    load: async () => (await import("../commands/import.ts")).importTasks,
  },
  {
    name: "export",
    summary: "Print Tasks as JSON Lines or CSV",
    details:
      "Newest first, with their descriptions. In CSV a cell that a spreadsheet would run as a formula has an " +
      "apostrophe before it.",
    raw: true,
    flags: [
      inProject,
      {
        name: "category",
        value: "name",
        help: "In Statuses of this kind",
        many: true,
        offered: ["backlog", "unstarted", "started", "completed", "cancelled"],
      },
      { name: "updated-since", value: "moment", help: "Changed on this day or later, such as 2026-11-01" },
      {
        name: "format",
        value: "name",
        help: "How; of a file that ends with .csv it is csv",
        offered: ["jsonl", "csv"],
      },
      {
        name: "output",
        short: "o",
        value: "file",
        help: "Into this file, which is there once it is whole",
        offered: "file",
      },
      separator,
      { name: "bom", help: "Begin CSV with a mark by which Excel knows UTF-8" },
    ],
    examples: [
      ["export -p ENG > tasks.jsonl", "one object to a line"],
      ["export -p ENG -o tasks.csv --bom --separator semicolon", "for a spreadsheet"],
    ],
    load: async () => (await import("../commands/export.ts")).exportTasks,
  },
];
