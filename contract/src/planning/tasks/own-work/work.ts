// My Work: the Tasks that concern the caller, wherever they are.
import Type from "typebox";
import { C, list, M, S, T } from "../../../kit.ts";
import { object } from "../../../types.ts";
import { howToGoOn, looking } from "../lists/filters.ts";
import { includeInList, TaskRow } from "../tasks.ts";

export const MyWorkView = Type.Enum(["assigned", "created", "reviewing", "delegated", "due_soon", "completed"]);

export const listMyWork = list("GET /workspaces/{workspace_id}/work", "List the caller's own work", {
  description:
    "assigned: open and assigned to the caller (the default). created: open and created by the caller. " +
    "reviewing: " +
    "awaiting review in Projects that the caller leads or manages. delegated: open, created by the caller and " +
    "assigned to somebody else. due_soon: open, assigned to the caller and overdue or due within seven days of " +
    "the caller's own calendar, soonest first. completed: assigned to the caller and completed, latest first. " +
    "The others are ordered by their latest change, reviewing by creation, newest first. " +
    `Tasks in the trash and in archived Projects are left out. ${howToGoOn}`,
  auth: [S, M, T, C],
  baseline: true,
  query: object({ view: Type.Optional(MyWorkView) }),
  include: includeInList,
  beside: looking,
  items: TaskRow,
});
