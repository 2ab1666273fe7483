// Background job that deletes expired captures every hour. Running it twice is safe.
import type { Background } from "../../platform/background/jobs.ts";
import { keptDays } from "./rules.ts";

// Runs across all Workspaces as the owner of the tables. Also deletes views that a member saved at the moment of
// leaving.
export const sweeps = [
  ...Object.keys(keptDays).map((table) => `delete from ${table} where expires_at <= now()`),
  `delete from task_saved_views v using memberships m
   where m.workspace_id = v.workspace_id and m.actor_id = v.actor_id and m.state in ('removed', 'left')
     and m.updated_at > now() - interval '30 days'`,
];

export const background: Background = {
  schedule: "37 * * * * sweep_native_work",
  jobs: () => ({ sweep_native_work: (_payload, { query }) => query(sweeps.join(";")).then(() => {}) }),
};
