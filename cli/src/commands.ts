// Every command: how it is called, what it takes, what it is for. Help, usage errors, completion and the man page follow from this table, and nothing of a command is
// loaded before it runs.
import type { Command } from "./command.ts";
import { aroundRows } from "./rows/around.ts";
import { bulkRows } from "./rows/bulk.ts";
import { placeRows } from "./rows/places.ts";
import { scriptRows } from "./rows/scripts.ts";
import { taskRows } from "./rows/tasks.ts";

export const commands: readonly Command[] = [...taskRows, ...aroundRows, ...scriptRows, ...bulkRows, ...placeRows];
