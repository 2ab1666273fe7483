// Background jobs of Projects: the rest of the work after a Milestone or a Project was deleted. Each job may run twice.
import { type Background, inWorkspace, type Jobs } from "../../../platform/background/jobs.ts";
import type { Database } from "../../../platform/database/db.ts";
import type { Mover } from "../../lifecycle/store.ts";
import { emptyMilestone } from "../milestone/milestone-store.ts";
import { eraseDeletedProjects } from "./erasure.ts";

interface EmptyMilestone {
  workspace_id: string;
  milestone_id: string;
  author: Mover;
}

export const projectJobs = ({ writer }: Pick<Database, "writer">): Jobs => ({
  /** Removes the Tasks from a deleted Milestone, one page per transaction. */
  async empty_milestone(payload) {
    const { workspace_id, milestone_id, author } = payload as EmptyMilestone;
    // A page may be short because of concurrent changes; only an empty one is the last.
    for (let emptied = 1; emptied > 0; )
      emptied = await inWorkspace(writer, workspace_id, (tx) => emptyMilestone(tx, workspace_id, milestone_id, author));
  },
  erase_deleted_projects: (_payload, { withPgClient }) => withPgClient(eraseDeletedProjects),
});

export const background: Background = {
  schedule: "37 3 * * * erase_deleted_projects",
  jobs: ({ database }) => projectJobs(database),
};
