// A process that is killed while deliveries come and are worked: what was answered is not lost, and each has its effect
// once and in order.
import { afterEach, expect, test } from "vitest";
import { type Another, anotherProcess } from "../../../test/another-process.ts";
import { eventually } from "../../../test/eventually.ts";
import { plantBinding, plantInstallation, plantResource, signedNow } from "../../../test/integrations.ts";
import { newProject } from "../../../test/work.ts";
import { service, world } from "../../../test/world.ts";

const running = service({});
let others: Another[] = [];
afterEach(async () => {
  await Promise.all(others.map((other) => other.kill()));
  others = [];
});
const another = async () => {
  const other = await anotherProcess(running, 0, { ROLES: "api,worker" });
  others.push(other);
  return other;
};
const COUNT = 60;

test("kill -9 loses none of what was answered, and doubles none", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const { id } = await plantInstallation(running, home.workspaceId, home.owner.actorId);
  const resource = await plantResource(running, home.workspaceId, id);
  const bound = { installationId: id, resourceId: resource.id, projectId: project.id, rules: { create_tasks: true } };
  await plantBinding(running, home.workspaceId, home.owner.actorId, bound);
  const first = await another();
  const deliver = async (host: string, at: number) => {
    const body = JSON.stringify({ id: at, title: `Number ${at}` });
    const headers = { "content-type": "application/json", ...signedNow(body, `delivery-${at}`) };
    const answer = await fetch(`http://${host}/api/v1/webhooks/integrations/webhook/${id}`, {
      method: "POST",
      headers,
      body,
    });
    return answer.status;
  };
  const answered: number[] = [];
  const worked = async () => {
    const [row] = await running.sql<{ count: number }>(
      "select count(*)::int from integration_deliveries where installation_id = $1 and state = 'done'",
      [id],
      home.workspaceId,
    );
    return row?.count ?? 0;
  };
  let killing: Promise<void> | null = null;
  for (let at = 0; at < COUNT; at++) {
    // In the middle of it, with some worked and some not.
    if (at > COUNT / 2 && !killing && (await worked()) > 0) killing = first.kill();
    const status = await deliver(first.host, at).catch(() => 0);
    if (status === 200) answered.push(at);
    else break;
  }
  await (killing ?? first.kill());
  expect(answered.length, "it was killed in between").toBeGreaterThan(COUNT / 2);
  // Its time limit does not end a lease: that the process is gone does.
  await running.asOwner(
    "update integration_deliveries set leased_until = now() + interval '1 hour' where lease_process is not null",
  );
  const second = await another();
  // A provider sends again what was not answered, and perhaps what was.
  const next = answered.length;
  for (const at of [next - 1, next, next + 1]) expect(await deliver(second.host, at)).toBe(200);
  const titles = [...answered, next, next + 1].map((at) => `Number ${at}`);
  await eventually(async () => expect(await worked()).toBe(titles.length));
  const found = await running.sql<{ title: string }>(
    "select title from tasks where project_id = $1 order by number",
    [project.id],
    home.workspaceId,
  );
  expect(found.map(({ title }) => title)).toEqual(titles);
});
