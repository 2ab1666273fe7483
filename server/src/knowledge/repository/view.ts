// The knowledge repository on the wire, which shows whether there is a credential, but not the credential.
import { RepositoryConflict } from "@svc/contract/knowledge/repository/conflicts.ts";
import { KnowledgeRepository } from "@svc/contract/knowledge/repository/repository.ts";
import { RepositoryRun } from "@svc/contract/knowledge/repository/runs.ts";
import { policySelect } from "../../accounts/workspaces/store.ts";
import { view } from "../../platform/database/view.ts";

export const CONNECTION = policySelect(KnowledgeRepository, "knowledge_repositories", {
  state: "coalesce(s.state, 'disconnected')",
  has_credential: "s.sealed_credential is not null",
  open_conflicts: `(select count(*) from (select from repository_conflicts c where c.workspace_id = w.id and c.state = 'open'
      limit 1000) c)`,
});

const counts = [
  "documents_created",
  "documents_updated",
  "documents_moved",
  "documents_trashed",
  "files_written",
  "files_removed",
  "conflicts",
  "problems",
];
export const runView = view(RepositoryRun, "r", {
  counts: `json_build_object(${counts
    .map(
      (name) => `'${name}',
    coalesce((r.counts ->> '${name}')::integer, 0)`,
    )
    .join(", ")})`,
});
export const conflictView = view(RepositoryConflict, "c", {
  document_id: "(select d.id from documents d where d.workspace_id = c.workspace_id and d.id = c.document_id)",
});
