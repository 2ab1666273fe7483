// The policy that admits external AI clients to a Workspace, or refuses all of them.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { object, policy, single } from "../../types.ts";

export const AiAccessPolicy = object({
  ...policy,
  enabled: Type.Boolean({
    description: "false: no MCP client, token or service credential has access, on behalf of any person.",
  }),
});

export const getAiAccessPolicy = op(
  "GET /workspaces/{workspace_id}/ai-access-policy",
  "Read whether external AI access is enabled",
  { auth: [S], returns: single(AiAccessPolicy) },
);

export const replaceAiAccessPolicy = op(
  "PUT /workspaces/{workspace_id}/ai-access-policy",
  "Enable or disable external AI access",
  {
    description:
      "Needs workspace:manage. Takes effect on the next MCP request. Nothing is revoked: " +
      "credentials work again once access is enabled again.",
    auth: [S],
    ifMatch: "required",
    body: object({ enabled: Type.Boolean() }),
    example: { enabled: false },
    returns: single(AiAccessPolicy),
  },
);
