// Settings for the content of a Workspace that Knowledge indexes.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { Id, nullable, object, patch, policy, single } from "../../types.ts";

const included_projects = Type.Array(Id, { maxItems: 1000, uniqueItems: true });

export const KnowledgeSettings = object({
  ...policy,
  enabled: Type.Boolean({
    description: "What is wished for; until somebody chooses, whether the Workspace is entitled to it.",
  }),
  included_projects: Type.Array(Id, { description: "Those that you see; while there are none, nothing is indexed." }),
  include_workspace_documents: Type.Boolean({
    description: "Whether Documents that are in no Project are indexed beside those Projects.",
  }),
  workspace_knowledge_entitled: Type.Boolean({
    description: "Whether the Workspace is entitled to it; without a billing provider every one is.",
  }),
  indexing_active: Type.Boolean({ description: "Wished for, entitled to, and at least one Project." }),
});

export const getKnowledgeSettings = op(
  "GET /workspaces/{workspace_id}/knowledge-settings",
  "Read what is indexed for Knowledge",
  { auth: [S], returns: single(KnowledgeSettings) },
);

export const updateKnowledgeSettings = op(
  "PATCH /workspaces/{workspace_id}/knowledge-settings",
  "Choose what is indexed for Knowledge",
  {
    description:
      "Needs knowledge:manage. Saves an explicit choice, which a later change of the entitlement leaves alone; " +
      "enabled: null goes back to that. What is switched off or left out is removed from the index within a minute.",
    auth: [S],
    ifMatch: "required",
    body: patch({ enabled: nullable(Type.Boolean()), included_projects, include_workspace_documents: Type.Boolean() }),
    example: { enabled: true },
    returns: single(KnowledgeSettings),
    errors: ["invalid_reference"],
  },
);
