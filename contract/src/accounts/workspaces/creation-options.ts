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
      description: "The Workspace that you hold the claim to, as an active owner of it.",
    },
  }),
  paid: Type.Array(object({ plan: Type.Enum(["team", "business"]) }), {
    description: "Plans that can be bought for a new Workspace; none while no billing provider is configured.",
  }),
});

export const getWorkspaceCreationOptions = op("GET /workspace-creation-options", "Read what you can create", {
  auth: [S],
  returns: WorkspaceCreationOptions,
});

export const getMobileWorkspaceCreationOptions = op(
  "GET /mobile/workspace-creation-options",
  "Read what you can create from a native application",
  { auth: [M], returns: WorkspaceCreationOptions },
);
