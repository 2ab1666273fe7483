// The overview of a Project. All parts are read together with the Project, in the round-trip that authenticates. Each
// part is bounded, however large the Project is.
import * as contract from "@svc/contract/history/activity/project-overview.ts";
import { type InProject, permits, projectCapabilities } from "../../planning/projects/access.ts";
import type { Queries } from "../../platform/database/db.ts";
import { type Access, implement } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { feed } from "./feed.ts";
import * as store from "./overview-store.ts";

interface OverviewTarget extends InProject {
  id: string;
  key: string;
  name: string;
  /** The JSON of each part. */
  parts: Record<"counts" | "progress" | "recent_activity" | "members" | "milestones", string>;
}

const MOST_ITEMS = 10;
/** Number of events examined: several events of a command or session become one item. */
const EXAMINED = 50;

async function recentActivity(tx: Queries, projectId: string): Promise<string> {
  const { rows } = await feed(tx, { query: {}, page: { after: null, limit: EXAMINED } }, { projectId });
  return `[${rows
    .slice(0, MOST_ITEMS)
    .map(({ json }) => json)
    .join(",")}]`;
}

const access: Access<OverviewTarget> = {
  reach: "membership",
  load: async (tx, params) => {
    const projectId = params.project_id as string;
    const [project, { counts, progress }, recent_activity, [members], [milestones]] = await Promise.all([
      store.findProject(tx, projectId),
      store.countTasks(tx, projectId),
      recentActivity(tx, projectId),
      store.firstMembers(tx, projectId),
      store.nextMilestones(tx, projectId),
    ]);
    const [ofMembers, ofMilestones] = [members?.json as string, milestones?.json as string];
    const parts = { counts, progress, recent_activity, members: ofMembers, milestones: ofMilestones };
    return project && { ...project, parts };
  },
  permits: permits("work:read"),
};

export const getProjectOverview = implement(contract.getProjectOverview, access, async (context, { target }) => {
  const { id, key, name, parts } = target;
  const plain = JSON.stringify({ id, key, name });
  const read = Object.entries(parts).map(([part, json]) => `, "${part}": ${json}`);
  return render({ json: `${plain.slice(0, -1)}${read.join("")}}` }, projectCapabilities(context, target));
});
