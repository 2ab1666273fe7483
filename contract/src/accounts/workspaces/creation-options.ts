// Kinds of Workspaces that an account can create: one active Free Workspace, unless it has one, and the plans that it
// can buy.
import Type from "typebox";
import { M, op, S } from "../../kit.ts";
import { Id, nullable, object } from "../../types.ts";

export const WorkspaceCreationOptions = object({
  free: object({
    claimed: Type.Boolean({ description: "true: POST /workspaces answers free_workspace_claimed." }),
    workspace_id: {
      ...nullable(Id),
      description: "The Workspace that holds your Free claim while you are its active owner.",
    },
  }),
  paid: Type.Array(object({ plan: Type.Enum(["team", "business"]) }), {
    description: "Plans for a new Workspace; empty if no billing provider is configured.",
  }),
});

export const getWorkspaceCreationOptions = op(
  "GET /workspace-creation-options",
  "Read which Workspaces you can create",
  {
    auth: [S],
    returns: WorkspaceCreationOptions,
  },
);

export const getMobileWorkspaceCreationOptions = op(
  "GET /mobile/workspace-creation-options",
  "Read which Workspaces you can create from a native application",
  { auth: [M], returns: WorkspaceCreationOptions },
);
