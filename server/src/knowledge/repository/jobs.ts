// Background work of the knowledge repository: requests a run when a commit changed what is exported, and every five
// minutes for changes in the repository, and performs runs. A run belongs to the worker that began it last; an earlier
// worker writes nothing more.
import { type Background, inWorkspace, type JobParts, type Jobs } from "../../platform/background/jobs.ts";
import { requestExports } from "./request-exports.ts";
import { synchronise } from "./run.ts";
import { requestRun } from "./store.ts";

interface Client {
  query<R>(sql: string, values?: unknown[]): Promise<{ rows: R[] }>;
}
// Runs across all Workspaces as the owner of the tables.
const DUE = `
select k.workspace_id from knowledge_repositories k join workspaces w on w.id = k.workspace_id and w.archived_at is null
where k.state = 'active' and k.begun`;
const FORGET = [
  "delete from repository_runs where finished_at < now() - interval '30 days'",
  "delete from repository_conflicts where state = 'resolved' and updated_at < now() - interval '30 days'",
];

export const repositoryJobs = (parts: Pick<JobParts, "database" | "outside" | "log">): Jobs => ({
  async sync_repositories(_payload, { withPgClient }) {
    const due = await withPgClient(async (client) => {
      for (const statement of FORGET) await (client as Client).query(statement);
      return (await (client as Client).query<{ workspace_id: string }>(DUE)).rows;
    });
    for (const { workspace_id } of due)
      await inWorkspace(parts.database.writer, workspace_id, (tx) =>
        requestRun(tx, workspace_id, { kind: "sync", requested_by_actor_id: null }),
      );
  },
  sync_repository: (payload) => synchronise(parts, (payload as { workspace_id: string }).workspace_id),
});

export const background: Background = {
  follows: ({ database }) => ({
    request_repository_exports: { run: (named) => requestExports(database, named), gatherMs: 1000 },
  }),
  schedule: "*/5 * * * * sync_repositories",
  jobs: (parts) => repositoryJobs(parts),
};
