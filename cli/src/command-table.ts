// The table of commands: name, arguments and purpose of each. Help, usage errors, completion and the man page derive
// from it; the code of a command is loaded only when it runs.
import type { Command } from "./command.ts";
import { accountRows } from "./rows/account.ts";
import { bulkRows } from "./rows/bulk.ts";
import { aroundRows } from "./rows/content.ts";
import { scriptRows } from "./rows/scripts.ts";
import { taskRows } from "./rows/tasks.ts";

/** The row of `svc help`, which prints the whole table. */
const helpRow: Command = {
  name: "help",
  summary: "Say what svc can do",
  arguments: [{ name: "command", help: "More about one", optional: true, many: true, offered: "command" }],
  raw: true,
  examples: [["help task create", "how it is used"]],
  load: async () => (await import("./commands/shell/help.ts")).helpOn(commands),
};

export const commands: readonly Command[] = [
  ...taskRows,
  ...aroundRows,
  ...scriptRows,
  ...bulkRows,
  ...accountRows,
  helpRow,
];
