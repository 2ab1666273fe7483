// The commit wakes background work: with the schedule out of the way, events are queued and sent, retried, put into
// inboxes and indexed, and start Agents all the same.
import { afterAll, expect, test } from "vitest";
import { custom, runsOf } from "./agent-runs.ts";
import { eventually } from "./eventually.ts";
import { answers, webhookReceiver } from "./webhook-receiver.ts";
import { newComment, newTask, workshopOn } from "./work.ts";
import { service } from "./world.ts";

const receiver = await webhookReceiver();
afterAll(() => receiver.close());
const running = service({ roles: ["api", "realtime", "worker"], webhookAllow: [receiver.origin] });

/** The queue of each of these is taken, so that nothing scheduled in it runs. */
const STOP_SCHEDULE = `
insert into graphile_worker._private_job_queues (queue_name, locked_at, locked_by)
select name, now() + interval '1 hour', 'test'
from unnest('{follow_webhooks,notify,index_search,index_knowledge,tell_providers,start_agents_from_events,agent_left_runs}'::text[]) name
on conflict (queue_name) do update set locked_at = excluded.locked_at, locked_by = excluded.locked_by`;

test("a change is queued, sent, told to inboxes and indexed without the schedule; a failed attempt is retried after its pause", async () => {
  const { home, owner, project, workspaceId } = await workshopOn(running);
  const member = await home.member("member");
  const body = { name: "Reports", url: receiver.url, actions: ["task.created"] };
  const made = await owner.call("POST", `/workspaces/${workspaceId}/webhook-endpoints`, { body });
  expect(made.status, made.text).toBe(201);
  await running.asOwner(STOP_SCHEDULE);
  const log = async () =>
    (await owner.call("GET", `/webhook-endpoints/${made.body.id}/deliveries`)).body.items as Record<string, string>[];
  // The second attempt is answered once the first one was read.
  const wasRead = Promise.withResolvers<void>();
  receiver.says((response, received) => {
    receiver.says((second, again) => void wasRead.promise.then(() => answers.ok(second, again)));
    answers.failing(response, received);
  });
  const task = await newTask(owner, project.id, { title: "Quetzalcoatlus", assignee_actor_id: member.actorId });
  await eventually(async () => expect(await log()).toMatchObject([{ state: "queued", attempts: 1 }]));
  const [failed] = await log();
  wasRead.resolve();
  await eventually(async () => expect(await log()).toMatchObject([{ state: "delivered", attempts: 2 }]));
  const [accepted] = await log();
  const planned = Date.parse(failed?.next_attempt_at as string) - Date.parse(failed?.attempted_at as string);
  expect(planned).toBeGreaterThanOrEqual(5000);
  expect(planned).toBeLessThanOrEqual(5500);
  expect(Date.parse(accepted?.attempted_at as string)).toBeGreaterThanOrEqual(
    Date.parse(failed?.next_attempt_at as string),
  );
  await eventually(async () => {
    const inbox = await member.call("GET", `/workspaces/${workspaceId}/inbox`);
    expect(inbox.body.items).toMatchObject([{ category: "assigned", task: { id: task.id } }]);
  });
  await eventually(async () =>
    expect(
      await running.asOwner("select id from search_entries where workspace_id = $1 and kind = 'task'", [workspaceId]),
    ).toEqual([{ id: task.id }]),
  );
});

test("a mention, an assignment and an event start an Agent without the schedule", async () => {
  const { home, owner, project } = await workshopOn(running);
  const triggers = [{ kind: "mention" }, { kind: "assignment" }, { kind: "event", action: "task.created" }];
  const agent = await custom(owner, home, { triggers });
  await running.asOwner(STOP_SCHEDULE);
  const expectRuns = (expected: string[]) =>
    eventually(async () => {
      const runs = await runsOf(owner, home, agent);
      expect(runs.map(({ trigger }) => trigger).sort()).toEqual(expected);
      // Each was also taken, and fails for want of a model.
      expect(new Set(runs.map(({ state }) => state))).toEqual(new Set(["failed"]));
    });
  const task = await newTask(owner, project.id);
  await expectRuns(["event"]);
  await newComment(owner, task.id, `@${agent.username} look at this`);
  await expectRuns(["event", "mention"]);
  const body = { assignee_actor_id: agent.actor_id };
  const assigned = await owner.call("PATCH", `/tasks/${task.id}`, { body, ifMatch: task.revision });
  expect(assigned.status, assigned.text).toBe(200);
  await expectRuns(["assignment", "event", "mention"]);
});
