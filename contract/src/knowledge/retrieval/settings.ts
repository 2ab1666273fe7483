// Settings for the content of a Workspace that Knowledge indexes.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { Id, nullable, object, patch, policy, single } from "../../types.ts";

const included_projects = Type.Array(Id, { maxItems: 1000, uniqueItems: true });

export const KnowledgeSettings = object({
  ...policy,
  enabled: Type.Boolean({
    description: "Whether Knowledge is switched on; until somebody chooses, the same as workspace_knowledge_entitled.",
  }),
  included_projects: Type.Array(Id, { description: "Indexed Projects that you see; without any, nothing is indexed." }),
  include_workspace_documents: Type.Boolean({
    description: "Whether Documents without a Project are indexed beside those Projects.",
  }),
  workspace_knowledge_entitled: Type.Boolean({
    description: "Whether the Workspace's plan includes Knowledge; without a billing provider, every Workspace has it.",
  }),
  indexing_active: Type.Boolean({
    description: "Whether Knowledge is enabled, entitled and has at least one Project.",
  }),
});

export const getKnowledgeSettings = op(
  "GET /workspaces/{workspace_id}/knowledge-settings",
  "Read the Knowledge settings",
  { auth: [S], returns: single(KnowledgeSettings) },
);

export const updateKnowledgeSettings = op(
  "PATCH /workspaces/{workspace_id}/knowledge-settings",
  "Change the Knowledge settings",
  {
    description:
      "Needs knowledge:manage. Saves an explicit choice, which a later change of the plan does not " +
      "affect; enabled: null restores the plan's default. Content that is disabled or omitted is removed " +
      "from the index within a minute.",
    auth: [S],
    ifMatch: "required",
    body: patch({ enabled: nullable(Type.Boolean()), included_projects, include_workspace_documents: Type.Boolean() }),
    example: { enabled: true },
    returns: single(KnowledgeSettings),
    errors: ["invalid_reference"],
  },
);
