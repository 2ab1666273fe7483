// The board of a Project: every column with its first cards, in one call. The Workspace's list returns further cards.
import Type from "typebox";
import { IncludedProject } from "../../../included-schemas.ts";
import { C, M, op, S, T } from "../../../kit.ts";
import { Capabilities, nullable, object } from "../../../types.ts";
import { StatusRow } from "../../projects/statuses.ts";
import { include, TaskRow } from "../tasks.ts";
import { howToFilter, narrowing } from "./filters.ts";

export const BoardColumn = object({
  status: StatusRow,
  total: Type.Integer({
    minimum: 0,
    maximum: 10_000,
    description: "Number of Tasks in the column that match the filters, as far as they were counted.",
  }),
  total_capped: Type.Boolean({
    description: "Whether there may be more: only the first 10,000 Tasks of the column were counted.",
  }),
  items: Type.Array(TaskRow, { maxItems: 100, description: "First Tasks of the column, by position and then by id." }),
  next_cursor: {
    ...nullable(Type.String()),
    description:
      "Cursor for GET /workspaces/{workspace_id}/tasks, with sort=position, this project_id and " +
      "status_id and the filters of the board; null if the column has no more.",
    examples: [null],
  },
  next: {
    ...nullable(Type.String()),
    description: "The same as a path from the root of this service, with the limit and include of the board.",
    examples: [null],
  },
});
export const Board = object({
  project: IncludedProject,
  columns: Type.Array(BoardColumn, {
    description:
      "Statuses that apply to the Project, in workflow order; an archived one only while Tasks are still " + "in it.",
  }),
  capabilities: Capabilities,
});

/** Default number of cards in a column. */
export const CARDS = 20;

export const getProjectBoard = op("GET /projects/{project_id}/board", "Read a Project as a board", {
  description:
    "Returns every column with its first cards and their number. limit is the number of cards in a " +
    "column; a board shows at most 1,000 cards in all, so with many columns each has fewer, and at " +
    `least one. Cards are filtered as on GET /workspaces/{workspace_id}/tasks. ${howToFilter}`,
  unnamed: "a page draws a board in one call instead of one for the Statuses and one for each of them",
  tag: "Projects",
  auth: [S, M, T, C],
  baseline: true,
  query: object({
    ...narrowing,
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, default: CARDS, description: "Maximum number of cards in a column." }),
    ),
  }),
  include,
  rows: TaskRow,
  returns: Board,
});
