// Handing a Task to an Agent.
import { expect, test } from "vitest";
import { agentsPath, custom } from "../../../test/agent-runs.ts";
import { newProject, newTask } from "../../../test/work.ts";
import { newKey, service, world } from "../../../test/world.ts";

const running = service();

test("a Task is delegated by who may change it, to an Agent that is there for it, once for a key", async () => {
  const home = await world(running);
  const [ada, bob] = [home.owner, await home.member("member")];
  const [project, hidden] = [await newProject(home), await newProject(home, { visibility: "private" })];
  const [task, secret] = [await newTask(ada, project.id), await newTask(ada, hidden.id)];
  const agent = await custom(ada, home, { triggers: [{ kind: "assignment" }], project_ids: [project.id] });
  const timed = await custom(ada, home, {
    name: "Timed",
    triggers: [{ kind: "schedule", at: "07:00", timezone: "UTC" }],
  });
  const delegate = (person: typeof ada, of: typeof agent, taskId: string, key = newKey()) =>
    person.call("POST", agentsPath(home, `/studio/definitions/${of.definition_id}/delegations/${taskId}`), {
      body: { note: "Look for duplicates." },
      key,
    });
  const key = newKey();
  const [first, again] = [await delegate(bob, agent, task.id, key), await delegate(bob, agent, task.id, key)];
  expect(first.status, first.text).toBe(201);
  expect(first.body).toMatchObject({ trigger: "delegation", task_id: task.id, initiator_actor_id: bob.actorId });
  expect(again.body.id).toBe(first.body.id);
  expect((await delegate(bob, agent, secret.id)).status).toBe(404);
  expect((await delegate(ada, agent, secret.id)).status).toBe(404);
  expect((await delegate(ada, timed, task.id)).body.code).toBe("agent_not_started_so");
  const now = await ada.call("GET", agentsPath(home, `/${agent.id}`));
  await ada.call("PATCH", agentsPath(home, `/${agent.id}`), { body: { state: "paused" }, ifMatch: now.body.revision });
  expect((await delegate(ada, agent, task.id)).body.code).toBe("agent_not_active");
});
