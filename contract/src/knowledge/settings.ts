// What of a Workspace is indexed for Knowledge.
import Type from "typebox";
import { op, S } from "../kit.ts";
import { Id, nullable, object, patch, policy, single } from "../types.ts";

const included_projects = Type.Array(Id, { maxItems: 1000, uniqueItems: true });

export const KnowledgeSettings = object({
  ...policy,
  enabled: Type.Boolean({ description: "What is wished for; until somebody chooses, whether the plan includes it." }),
  included_projects: Type.Array(Id, { description: "Those that you see; while there are none, nothing is indexed." }),
  workspace_knowledge_entitled: Type.Boolean({ description: "Whether the plan includes it." }),
  indexing_active: Type.Boolean({ description: "Wished for, included in the plan, and at least one Project." }),
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
      "Needs knowledge:manage. Saves an explicit choice, which a later change of the plan leaves alone; enabled: null goes back to what the plan has.",
    auth: [S],
    ifMatch: "required",
    body: patch({ enabled: nullable(Type.Boolean()), included_projects }),
    example: { enabled: true },
    returns: single(KnowledgeSettings),
    errors: ["invalid_reference"],
  },
);
