// A Project as a board. The cursor of each column continues in the Workspace's Task list, in column order.
import { IncludedProject } from "@svc/contract/included-schemas.ts";
import { pathOf } from "@svc/contract/kit.ts";
import * as contract from "@svc/contract/planning/tasks/lists/board.ts";
import { listWorkspaceTasks } from "@svc/contract/planning/tasks/lists/workspace-tasks.ts";
import { view } from "../../../platform/database/view.ts";
import { implement } from "../../../platform/kernel/implement-operation.ts";
import { render } from "../../../platform/kernel/view.ts";
import { capabilities, projectAs } from "../../projects/access.ts";
import { type BoardRow, boardOf } from "./board-store.ts";

/** JSON of one column from its rows. */
function columnJson(rows: readonly BoardRow[], next: { cursor: string; path: string } | null): string {
  const { status, total, capped } = rows[0] as BoardRow;
  const cards = rows.flatMap(({ json }) => json ?? []);
  const rest = { total, total_capped: capped, next_cursor: next?.cursor ?? null, next: next?.path ?? null };
  return `{"status":${status},"items":[${cards.join(",")}],${JSON.stringify(rest).slice(1)}`;
}

export const getProjectBoard = implement(
  contract.getProjectBoard,
  projectAs("work:read", view(IncludedProject, "p")),
  async (context, { target, query }) => {
    const { limit = contract.CARDS, include, ...filters } = query as typeof query & { include?: string };
    const { workspaceId } = context.member;
    const nextIn = (statusId: string, key: string) => {
      const params = { workspace_id: workspaceId };
      const listed = { ...filters, sort: "position", project_id: target.id, status_id: statusId };
      const cursor = context.cursorIn(listWorkspaceTasks, params, listed, key);
      const sent = { ...listed, limit: String(limit), ...(include === undefined ? {} : { include }), cursor };
      const path = pathOf(listWorkspaceTasks).replace("{workspace_id}", workspaceId);
      return { cursor, path: `${path}?${new URLSearchParams(sent)}` };
    };
    const rows = await boardOf(context.tx, target.id, filters, limit);
    const columns = [...Map.groupBy(rows, ({ status_id }) => status_id)].map(([statusId, cards]) => {
      const key = cards.find(({ more }) => more !== null)?.more;
      return columnJson(cards, key ? nextIn(statusId, key) : null);
    });
    const json = `{"project":${target.json},"columns":[${columns.join(",")}]}`;
    return render({ json }, capabilities(context, target));
  },
);
