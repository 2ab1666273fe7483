// What is written at one process is heard at the others, and whoever was told at one that is killed goes on at another.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type Another, anotherProcess } from "./another-process.ts";
import { leaveAll, listenAs } from "./realtime.ts";
import { newTask, workshopOn } from "./work.ts";
import { newKey, service, sessionHeaders } from "./world.ts";

const running = service({});
let another: Another;
beforeAll(async () => {
  another = await anotherProcess(running);
});
afterAll(() => another.kill());
afterEach(leaveAll);
const there = () => ({ url: `http://localhost:${another.host.split(":")[1]}` });

test("a write at one is heard at the other, both ways, and a place of one is good at the other", async () => {
  const { home, owner, project } = await workshopOn(running);
  const member = await home.member("member");
  const [here, beside] = [await listenAs(running, member), await listenAs(there(), member)];
  for (const listener of [here, beside]) await listener.subscribe("workspace", { id: "w" });
  const hears = (listener: typeof here, taskId: string) =>
    listener.next("change", ({ changes }) => changes.some(({ id }) => id === taskId));
  const first = await newTask(owner, project.id);
  await Promise.all([hears(here, first.id), hears(beside, first.id)]);
  const answer = await fetch(`${there().url}/api/v1/projects/${project.id}/tasks`, {
    method: "POST",
    headers: { ...sessionHeaders(owner.session), "content-type": "application/json", "idempotency-key": newKey() },
    body: JSON.stringify({ title: "From beside" }),
  });
  expect(answer.status).toBe(201);
  const { id } = (await answer.json()) as { id: string };
  const [{ cursor }] = await Promise.all([hears(here, id), hears(beside, id)]);
  beside.leave();
  const last = await newTask(owner, project.id);
  const resumed = await listenAs(there(), member);
  await resumed.subscribe("workspace", { id: "w", cursor });
  const { changes } = await hears(resumed, last.id);
  expect(changes.map((change) => change.id)).not.toContain(first.id);
});
