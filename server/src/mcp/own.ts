// The two operations that the MCP server needs beside those of the contract: who is calling, and which Project has a key. They are called from
// within and have no address of their own.
import { type AnyOperation, op } from "@svc/contract/kit.ts";
import { object } from "@svc/contract/types.ts";
import Type from "typebox";
import { projectByCode } from "../cli/access.ts";
import { implement } from "../kernel/implement.ts";
import { workspace } from "../workspaces/access.ts";

const named = <Declared extends AnyOperation>(id: string, operation: Declared): Declared =>
  Object.assign(operation, { id });

/** Who is calling. */
const Self = object({
  kind: Type.String(),
  actor_id: Type.String(),
  scopes: Type.Array(Type.String()),
});
export type Self = Type.Static<typeof Self>;

export const enter = implement(
  named("enterMcp", op("GET /mcp", "Learn who is calling", { auth: [], returns: Self })),
  workspace("workspace:read"),
  async ({ principal, member }) => ({
    kind: principal.kind,
    actor_id: member.actorId,
    scopes: [...(principal.scopes ?? [])],
  }),
);

export const findProject = implement(
  named(
    "findMcpProject",
    op("GET /mcp/projects/{project_code}", "Find a Project by its key", {
      auth: [],
      returns: object({ id: Type.String() }),
    }),
  ),
  projectByCode(),
  async (_context, { target: { id } }) => ({ id }),
);
