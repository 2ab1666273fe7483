// What an account is told that it can create.
import { expect, test } from "vitest";
import { insertCredential, service, world } from "../../../test/world.ts";
import { newSecret } from "../../platform/wire/ids.ts";

const running = service();
const path = "/workspace-creation-options";

test("whoever has no active Free Workspace may claim one, and is told which one has been", async () => {
  const place = await world(running);
  const member = await place.member("member");
  const free = await member.call("GET", path);
  expect(free.body).toEqual({ free: { claimed: false, workspace_id: null }, paid: [] });
  expect(free.trips).toBe(1);
  const claimed = { claimed: true, workspace_id: place.workspaceId };
  expect((await place.owner.call("GET", path)).body).toEqual({ free: claimed, paid: [] });
  const { body } = await member.call("POST", "/workspaces", { body: { name: "Another" } });
  expect((await member.call("GET", path)).body.free).toEqual({ claimed: true, workspace_id: body.id });
});

test("an archived or a paid Workspace claims nothing", async () => {
  for (const change of ["archived_at = now()", "plan = 'team'"]) {
    const { owner, workspaceId } = await world(running);
    await running.sql(`update workspaces set ${change} where id = $1`, [workspaceId]);
    expect((await owner.call("GET", path)).body.free, change).toEqual({ claimed: false, workspace_id: null });
  }
});

test("whoever left the Workspace that they claimed may claim another", async () => {
  const { owner, workspaceId } = await world(running);
  await running.sql("update memberships set state = 'left' where workspace_id = $1", [workspaceId]);
  expect((await owner.call("GET", path)).body.free).toEqual({ claimed: false, workspace_id: null });
});

test("a native client asks at its own address and a browser at the other", async () => {
  const { owner, workspaceId } = await world(running);
  const native = newSecret("nat");
  await insertCredential(running, "native", native, owner.userId, null, []);
  const answer = await owner.bearer(native, "GET", `/mobile${path}`);
  expect(answer.body.free).toEqual({ claimed: true, workspace_id: workspaceId });
  expect(answer.trips).toBe(1);
  expect((await owner.bearer(native, "GET", path)).status).toBe(403);
  expect((await owner.call("GET", `/mobile${path}`)).status).toBe(403);
});
