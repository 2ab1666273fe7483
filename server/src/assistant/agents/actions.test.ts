// Decisions that come too late, or while nobody may act: nothing is done.
import { expect, test } from "vitest";
import { agentsPath, decide, ofRun, runsPath } from "../../../test/agent-runs.ts";
import { plantAgent } from "../../../test/agents.ts";
import { plantAction, plantRun } from "../../../test/fixtures/agent-runs.ts";
import { service, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";
import { EXPIRE } from "./execution/action-store.ts";

const running = service();

test("what has expired, or whose Agent is stopped, or whose run was cancelled cannot be approved", async () => {
  const home = await world(running);
  const ada = home.owner;
  const place = { running, workspaceId: home.workspaceId, owner: ada };
  const agent = await plantAgent(running, home.workspaceId, ada.actorId);
  const [waiting, cancelled] = [newId(), newId()];
  for (const id of [waiting, cancelled]) {
    await plantRun(place as never, agent.id, { id });
    for (let count = 0; count < 2; count++) await plantAction(place as never, id);
  }
  const run = { id: waiting };
  const [late, left] = await ofRun(ada, home, agent, run, "actions");
  await running.asOwner("update agent_actions set expires_at = now() where id = $1", [late.id]);
  expect((await ofRun(ada, home, agent, run, "actions"))[0].approval.state).toBe("expired");
  expect((await decide(ada, home, agent, late)).body).toMatchObject({
    code: "approval_closed",
    errors: [{ code: "expired" }],
  });
  await ada.call("POST", agentsPath(home, `/${agent.id}/quarantine`), { body: { reason: "Stop" } });
  expect((await decide(ada, home, agent, left)).body.code).toBe("agent_not_active");
  expect((await decide(ada, home, agent, left, "reject")).status).toBe(200);
  // It still waits for the one that has expired, until that is seen.
  expect((await ada.call("GET", runsPath(home, agent, `/${waiting}`))).body.state).toBe("waiting");
  await running.asOwner(EXPIRE);
  expect((await ada.call("GET", runsPath(home, agent, `/${waiting}`))).body.state).toBe("completed");
  const [one] = await ofRun(ada, home, agent, { id: cancelled }, "actions");
  expect((await ada.call("POST", runsPath(home, agent, `/${cancelled}/cancel`))).body.state).toBe("cancelled");
  expect((await decide(ada, home, agent, one)).body).toMatchObject({
    code: "approval_closed",
    errors: [{ code: "cancelled" }],
  });
});
