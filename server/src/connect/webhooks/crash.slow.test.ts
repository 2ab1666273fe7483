// A process that is killed while it sends: another one sends what was not acknowledged, under the same id, and nothing
// is lost.
import { afterAll, afterEach, expect, test } from "vitest";
import { type Another, anotherProcess } from "../../../test/another-process.ts";
import { eventually } from "../../../test/eventually.ts";
import { answers, verified, webhookReceiver } from "../../../test/webhook-receiver.ts";
import { newProject, newTask } from "../../../test/work.ts";
import { service, world } from "../../../test/world.ts";

const receiver = await webhookReceiver();
const running = service({ webhookAllow: [receiver.origin] });
let others: Another[] = [];
afterEach(async () => {
  await Promise.all(others.map((other) => other.kill()));
  others = [];
});
afterAll(() => receiver.close());
const worker = async () => {
  const other = await anotherProcess(running, 0, { ROLES: "api,worker", WEBHOOK_ALLOW: receiver.origin });
  others.push(other);
  return other;
};

/** Its time limit does not end a lease from now on: that the process is gone does. */
const keepLease = () =>
  running.asOwner("update webhook_endpoints set lease_until = now() + interval '1 hour' where lease_until is not null");

test("in the middle of sending: every change arrives, each under one id", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const body = { name: "Reports", url: receiver.url, actions: ["task.created"] };
  const endpoint = (await home.owner.call("POST", `/workspaces/${home.workspaceId}/webhook-endpoints`, { body })).body;
  const tasks = new Set<string>();
  const add = async () => tasks.add((await newTask(home.owner, project.id)).id);
  for (let at = 0; at < 6; at++) await add();
  receiver.says(answers.silent);
  const first = await worker();
  await eventually(async () => expect(receiver.received.length).toBeGreaterThan(0));
  await add();
  await first.kill();
  await add();
  await keepLease();
  receiver.says(answers.ok);
  await worker();
  const log = async () => (await home.owner.call("GET", `/webhook-endpoints/${endpoint.id}/deliveries`)).body.items;
  await eventually(async () =>
    expect((await log()).map(({ state }: { state: string }) => state)).toEqual(Array(8).fill("delivered")),
  );
  const ids = new Map<unknown, Set<unknown>>();
  for (const each of receiver.received) {
    const { data } = verified(each, endpoint.secret);
    ids.set(data.id, (ids.get(data.id) ?? new Set()).add(each.headers["webhook-id"]));
  }
  expect(new Set(ids.keys())).toEqual(tasks);
  expect([...ids.values()].map(({ size }) => size)).toEqual(Array(8).fill(1));
});

test("again and again, as soon as it has sent something: each start sends what waits", async () => {
  receiver.says(answers.ok);
  const home = await world(running);
  const project = await newProject(home);
  const body = { name: "Reports", url: receiver.url, actions: ["task.created"] };
  const { id, secret } = (await home.owner.call("POST", `/workspaces/${home.workspaceId}/webhook-endpoints`, { body }))
    .body;
  const arrived = () => {
    const own = receiver.received.filter(({ headers }) => headers["webhook-id"] !== undefined);
    return new Set(
      own.flatMap((each) => {
        try {
          return [verified(each, secret).data.id];
        } catch {
          return [];
        }
      }),
    );
  };
  for (let round = 1; round <= 3; round++) {
    const task = await newTask(home.owner, project.id);
    const killed = await worker();
    await eventually(() => expect(arrived()).toContain(task.id));
    await killed.kill();
    // As if it had been killed while it sent.
    const [row] = await running.asOwner<{ id: number }>("select id from processes order by confirmed_at desc limit 1");
    await running.asOwner(
      `update webhook_endpoints
        set lease_id = gen_random_uuid(), lease_process = $2, lease_until = now() + interval '1 hour' where id = $1`,
      [id, row?.id],
    );
  }
});
