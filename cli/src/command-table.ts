// The table of commands: name, arguments and purpose of each. Help, usage errors, completion and the man page derive
// from it; the code of a command is loaded only when it runs.
import type { Command } from "./command.ts";
import { bulkRows } from "./rows/bulk.ts";
import { aroundRows } from "./rows/content.ts";
import { placeRows } from "./rows/account.ts";
import { scriptRows } from "./rows/scripts.ts";
import { taskRows } from "./rows/tasks.ts";

export const commands: readonly Command[] = [...taskRows, ...aroundRows, ...scriptRows, ...bulkRows, ...placeRows];
