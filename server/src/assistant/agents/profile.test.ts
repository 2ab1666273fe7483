// Agent profiles, which every member can read.
import { expect, test } from "vitest";
import { plantAgent, plantDefinition } from "../../../test/agents.ts";
import { newProject, newTask, workshopOn } from "../../../test/work.ts";
import { service, type World, world } from "../../../test/world.ts";
import { inWorkspace } from "../../platform/background/jobs.ts";
import { curated } from "./curated-agents.ts";
import { addUsage } from "./store.ts";

const running = service();
const pathOf = ({ workspaceId }: World, id: string, part: string) =>
  `/workspaces/${workspaceId}/agents/studio/definitions/${id}/${part}`;

test("a profile says what an Agent may do, who published it, and what it has at hand", async () => {
  const { home, owner, project, workspaceId } = await workshopOn(running);
  const closed = await newProject(home, { visibility: "private" });
  const planted = { tools: ["find", "comment"], versions: 2 };
  const { id, definitionId, actorId } = await plantAgent(running, workspaceId, owner.actorId, planted);
  await newTask(owner, project.id, { assignee_actor_id: actorId });
  await newTask(owner, closed.id, { assignee_actor_id: actorId });
  await inWorkspace(running.database.writer, workspaceId, (tx) => addUsage(tx, definitionId, { runs: 3 }));
  const seen = await owner.call("GET", pathOf(home, definitionId, "profile?include=people"));
  expect(seen.body).toMatchObject({
    definition_id: definitionId,
    version: 2,
    state: "published",
    agent_id: id,
    agent_state: "active",
    actor_id: actorId,
    changes_work: true,
    open_task_count: 2,
    runs_in_30_days: 3,
    versions: [
      { version: 2, published_by_actor_id: owner.actorId },
      { version: 1, published_by_actor_id: owner.actorId },
    ],
  });
  expect([Object.keys(seen.body.included.actors).sort(), seen.trips]).toEqual([[owner.actorId, actorId].sort(), 1]);
  const viewer = await home.member("viewer");
  const other = (await viewer.call("GET", pathOf(home, definitionId, "profile"))).body;
  expect(other.open_task_count).toBe(1);
});

test("of one that nobody has enabled there is a profile, too; while a draft is made, of what is published", async () => {
  const home = await world(running);
  const [{ id, name }] = curated as [(typeof curated)[number]];
  expect((await home.owner.call("GET", pathOf(home, id, "profile"))).body).toMatchObject({
    name,
    agent_id: null,
    agent_state: null,
    actor_id: null,
    username: null,
    versions: [],
    open_task_count: 0,
  });
  const own = await plantDefinition(running, home.workspaceId, home.owner.actorId);
  const path = `/workspaces/${home.workspaceId}/agents/studio/definitions/${own.id}`;
  await home.owner.call("PATCH", path, { body: { name: "Waver" }, ifMatch: "1" });
  expect((await home.owner.call("GET", `${path}/profile`)).body).toMatchObject({
    name: "Helper",
    version: 1,
    changes_work: false,
  });
});
