// An endpoint whose creator has left is disabled at the next event of the Workspace, also where nothing waits to be
// sent, and everybody who manages webhooks hears of it.
import { afterEach, expect, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { workshopOn } from "../../../test/work.ts";
import { service } from "../../../test/world.ts";
import { followEvents } from "./enqueue-events.ts";
import { tellDisabled } from "./notice.ts";

const running = service({});
const LETTERS = `
select j.payload from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
where t.identifier = 'webhook_notice' and j.payload ->> 'endpoint_id' = $1`;
afterEach(() => running.asOwner("update webhook_endpoints set enabled = false"));

test.each(["removed", "suspended", "left"])("the creator's membership is %s", async (state) => {
  const { home, owner, workspaceId } = await workshopOn(running);
  const [creator, admin] = [await home.member("admin"), await home.member("admin")];
  await home.member("member");
  const body = { name: "Reports", url: "https://hooks.example.com/", actions: ["document.created"] };
  const made = await creator.call("POST", `/workspaces/${workspaceId}/webhook-endpoints`, { body });
  const mine = await owner.call("POST", `/workspaces/${workspaceId}/webhook-endpoints`, { body });
  const read = async (id: string) => (await owner.call("GET", `/webhook-endpoints/${id}`)).body;
  await running.asOwner("update memberships set state = $3 where workspace_id = $1 and actor_id = $2", [
    ...[workspaceId, creator.actorId, state],
  ]);
  // It is no event that the endpoint hears of.
  expect(
    (await owner.call("POST", `/workspaces/${workspaceId}/projects`, { body: { key: "NEXT", name: "Next" } })).status,
  ).toBe(201);
  await eventually(async () => {
    await followEvents(running.database);
    expect(await read(made.body.id)).toMatchObject({ enabled: false, disabled_reason: "creator_left" });
  });
  expect(await read(mine.body.id), "the endpoint of somebody else").toMatchObject({ enabled: true });
  const letters = await running.asOwner<{ payload: { id: string; actor_id: string } }>(LETTERS, [made.body.id]);
  expect(letters.map(({ payload }) => payload.actor_id).sort()).toEqual([owner.actorId, admin.actorId].sort());
  const inbox = await admin.call("GET", `/workspaces/${workspaceId}/inbox`);
  expect(inbox.body.items).toMatchObject([{ category: "webhook_disabled", about: { id: made.body.id } }]);
  await followEvents(running.database);
  expect(await running.asOwner(LETTERS, [made.body.id]), "once").toHaveLength(2);

  await running.asOwner(
    "update users set email_verified_at = now(), email_proved_at = now() where id = any($1::uuid[])",
    [[owner.userId]],
  );
  const sent: { to: string; text: string }[] = [];
  const outside = { origin: () => "https://svc.example", mail: { send: async (each: never) => void sent.push(each) } };
  for (const { payload } of letters) await tellDisabled(running.database, outside as never, payload as never);
  expect(sent).toMatchObject([{ to: owner.email }]);
  expect(sent[0]?.text).toContain("Take it over");
});

test.each(["removed", "suspended"])(
  "a creator who is %s disables the endpoint without another event",
  async (state) => {
    const { home, owner, workspaceId } = await workshopOn(running);
    const creator = await home.member("admin");
    const body = { name: "Reports", url: "https://hooks.example.com/", actions: ["document.created"] };
    const made = await creator.call("POST", `/workspaces/${workspaceId}/webhook-endpoints`, { body });
    await followEvents(running.database);
    const MEMBERSHIP = "select id, revision::text from memberships where workspace_id = $1 and actor_id = $2";
    const values = [workspaceId, creator.actorId];
    const [membership] = await running.asOwner<{ id: string; revision: string }>(MEMBERSHIP, values);
    const path = `/workspaces/${workspaceId}/members/${membership?.id}`;
    const ifMatch = membership?.revision as string;
    const ended =
      state === "removed"
        ? await owner.call("DELETE", path, { ifMatch })
        : await owner.call("PATCH", path, { body: { state }, ifMatch });
    expect([200, 204], ended.text).toContain(ended.status);
    await eventually(async () => {
      await followEvents(running.database);
      const endpoint = await owner.call("GET", `/webhook-endpoints/${made.body.id}`);
      expect(endpoint.body).toMatchObject({ enabled: false, disabled_reason: "creator_left" });
    });
  },
);
