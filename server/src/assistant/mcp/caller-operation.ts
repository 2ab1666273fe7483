// Additional operation of the MCP server: identifies the caller. It is called within the process and has no address.
import { op } from "@svc/contract/kit.ts";
import { object } from "@svc/contract/types.ts";
import Type from "typebox";
import { workspace } from "../../accounts/workspaces/access.ts";
import { implement } from "../../platform/kernel/implement-operation.ts";
import { named } from "../tools/internal-operations.ts";

const Self = object({
  kind: Type.String(),
  actor_id: Type.String(),
  scopes: Type.Array(Type.String()),
});

export const enter = implement(
  named("enterMcp", op("GET /mcp", "Learn who is calling", { auth: [], returns: Self })),
  workspace("workspace:read"),
  async ({ principal, member }) => ({
    kind: principal.kind,
    actor_id: member.actorId,
    scopes: [...(principal.scopes ?? [])],
  }),
);
