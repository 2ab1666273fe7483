// Background work of collaboration: checkpoints texts of killed processes and deletes old sessions. Each job may run
// twice, also concurrently.
import type { Background } from "../../platform/background/jobs.ts";
import { isTooLarge, sealer } from "./checkpoint.ts";

interface Client {
  query<R>(sql: string): Promise<{ rows: R[]; rowCount: number | null }>;
}
// Runs across all Workspaces as the owner of the tables. A process with a live text checkpoints it sooner.
const LEFT = `
select workspace_id as "workspaceId", target_id as "targetId" from collaboration_texts
where unsealed_since is not null
  and (changed_at < now() - interval '1 minute' or unsealed_since < now() - interval '11 minutes') limit 1000`;
const OLD = "delete from collaboration_sessions where expires_at < now() - interval '7 days'";

export const background: Background = {
  schedule: `
* * * * * seal_texts
41 3 * * * sweep_collaboration_sessions`,
  jobs: ({ database, log }) => ({
    async seal_texts(_payload, { withPgClient }) {
      const { seal } = sealer(database);
      const { rows } = await withPgClient((client: Client) =>
        client.query<{ workspaceId: string; targetId: string }>(LEFT),
      );
      // A failed checkpoint must not prevent the others.
      for (const place of rows)
        await seal(place).catch((error) => {
          if (isTooLarge(error)) log.info({ target_id: place.targetId }, "a text is too large to be written down");
          else log.error({ err: error, target_id: place.targetId }, "a text was not written down");
        });
    },
    async sweep_collaboration_sessions(_payload, { withPgClient }) {
      await withPgClient((client: Client) => client.query(OLD));
    },
  }),
};
