// That a run has changed is told to those who see it, by its identity and revision; what it is about is told to nobody,
// and specialist runs are not told here at all.
import { afterAll, beforeEach, expect, test } from "vitest";
import { custom, decide, ofRun, ran, runsPath } from "../../../test/agent-runs.ts";
import { plantAgent } from "../../../test/agents.ts";
import { eventually } from "../../../test/eventually.ts";
import { plantAction, plantRun } from "../../../test/fixtures/agent-runs.ts";
import { following } from "../../../test/following.ts";
import { scriptedModel } from "../../../test/scripted-model.ts";
import { newProject, newTask } from "../../../test/work.ts";
import { service, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";
import { EXPIRE } from "./execution/action-store.ts";

const provider = await scriptedModel();
const running = service({ roles: ["api", "worker", "realtime"], ...provider.config });
const { follow } = following(running);
afterAll(() => provider.close());
beforeEach(() => provider.clear());

test("each state of a run and each decision is told, from its beginning to its end, as identity and revision", async () => {
  const home = await world(running);
  const [ada, bob] = [home.owner, await home.member("member")];
  const project = await newProject(home);
  const task = await newTask(ada, project.id);
  const agent = await custom(ada, home);
  const [hers, his] = [
    await follow(home.workspaceId, ada, "workspace"),
    await follow(home.workspaceId, bob, "workspace"),
  ];
  const comment = (markdown: string) => ({ name: "comment", args: { code: task.code, markdown } });
  provider.say({ calls: [comment("one"), comment("two")] }, { text: ["Asked."] });
  const run = await ran(bob, home, agent, { task_id: task.id });
  const runs = async (hears = his) => (await hears.settled()).filter(({ kind }) => kind === "agent_run");
  const begun = await runs();
  expect(begun[0]).toMatchObject({ id: run.id, action: "created" });
  expect(begun.at(-1)).toEqual({ kind: "agent_run", id: run.id, revision: run.revision, action: expect.any(String) });
  expect(await runs(hers)).toEqual(expect.arrayContaining([begun.at(-1)]));
  const [first, second] = await ofRun(bob, home, agent, run, "actions");
  await decide(bob, home, agent, first, "reject");
  // Nothing of the run has changed but what waits.
  const [rejected, ...more] = await runs();
  expect([rejected?.action, more]).toEqual(["changed", []]);
  expect((await bob.call("GET", runsPath(home, agent, `/${run.id}`))).body).toMatchObject({
    state: "waiting",
    revision: rejected?.revision,
  });
  await decide(bob, home, agent, second);
  const ended = await eventually(async () => {
    const { body } = await bob.call("GET", runsPath(home, agent, `/${run.id}`));
    expect(body.state).toBe("completed");
    return body;
  });
  expect((await runs()).at(-1)?.revision).toBe(ended.revision);
  // In activity there is what it did, and nothing of the run.
  const { items } = (await ada.call("GET", `/workspaces/${home.workspaceId}/activity`)).body;
  expect(JSON.stringify(items)).not.toContain("agent_run");
  expect(JSON.stringify(items)).not.toContain(run.id);
});

test("what expires is told; what is narrowed to a Project is told to those who see it; a specialist's run to nobody", async () => {
  const home = await world(running);
  const [ada, bob] = [home.owner, await home.member("member")];
  const hidden = await newProject(home, { visibility: "private" });
  const shared = await newProject(home);
  const narrow = await plantAgent(running, home.workspaceId, ada.actorId, { projectIds: [hidden.id, shared.id] });
  const wide = await plantAgent(running, home.workspaceId, ada.actorId);
  const [hers, his] = [
    await follow(home.workspaceId, ada, "workspace"),
    await follow(home.workspaceId, bob, "workspace"),
  ];
  const place = { running, workspaceId: home.workspaceId, owner: ada } as never;
  const [secret, open, special] = [newId(), newId(), newId()];
  await plantRun(place, narrow.id, { id: secret });
  await plantRun(place, wide.id, { id: open });
  await plantRun(place, wide.id, { id: special, trigger: "discuss", state: "failed" });
  const ids = async (hears: typeof his) => (await hears.settled()).map(({ id }) => id);
  expect(await ids(hers)).toEqual([secret, open]);
  expect(await ids(his)).toEqual([open]);
  // For whom it runs, whichever of its Projects they see; the others are not named.
  const mine = newId();
  await plantRun(place, narrow.id, { id: mine, initiator: bob.actorId });
  expect(await his.settled()).toEqual([{ kind: "agent_run", id: mine, revision: "1", action: "created" }]);
  expect((await hers.settled())[0]).toMatchObject({ id: mine, project_id: hidden.id });
  for (let count = 0; count < 2; count++) await plantAction(place, open);
  await running.asOwner(
    `update agent_actions set expires_at = now()
      where run_id = $1 and number = (select min(number) from agent_actions where run_id = $1)`,
    [open],
  );
  await running.asOwner(EXPIRE);
  expect(await his.settled()).toEqual([{ kind: "agent_run", id: open, revision: "2", action: "changed" }]);
});
