// Settings of the Knowledge index of a Workspace. Nothing is indexed until the Workspace is entitled to it, somebody
// enables it, and a Project is included.
import * as contract from "@svc/contract/knowledge/retrieval/settings.ts";
import { policyOf } from "../../accounts/workspaces/access.ts";
import { managing } from "../../accounts/workspaces/rules.ts";
import { decide, policySelect, requireProjects } from "../../accounts/workspaces/store.ts";
import { projectOfCaller, projectVisible } from "../../planning/projects/access.ts";
import { implement } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { knowledgeSettingsUpdated } from "./events.ts";

const entitled = "entitled(w.id, 'workspace_knowledge')";
const enabled = `coalesce(s.enabled, ${entitled})`;
const included =
  "from unnest(s.included_projects) with ordinality i(id, n) join projects p on p.workspace_id = w.id and p.id = i.id";

// A deleted Project stays in the stored list, and is ignored.
const SELECT = policySelect(contract.KnowledgeSettings, "knowledge_settings", {
  enabled,
  included_projects: `array(select p.id ${included} ${projectOfCaller} where ${projectVisible} order by i.n)`,
  include_workspace_documents: "coalesce(s.include_workspace_documents, false)",
  workspace_knowledge_entitled: entitled,
  indexing_active: `${entitled} and ${enabled} and exists (select ${included} where p.deleted_at is null)`,
});

const capability = "knowledge:manage";

export const getKnowledgeSettings = implement(
  contract.getKnowledgeSettings,
  policyOf("knowledge:read", SELECT),
  async ({ member }, { target }) => render(target, managing(member.role, capability)),
);

export const updateKnowledgeSettings = implement(
  contract.updateKnowledgeSettings,
  policyOf(capability, SELECT),
  async ({ tx, member, record }, { target, body }) => {
    const [, { row, changed }] = await Promise.all([
      requireProjects(tx, body.included_projects ?? [], "included_projects"),
      decide(tx, "knowledge_settings", target, body, SELECT),
    ]);
    if (changed.length > 0)
      record(knowledgeSettingsUpdated({ kind: "workspace", id: member.workspaceId }, { fields: changed }));
    return render(row, managing(member.role, capability));
  },
);
