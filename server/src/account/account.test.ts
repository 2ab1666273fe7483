// One's own account.
import { expect, test } from "vitest";
import { insertCredential, service, world } from "../../test/world.ts";
import { newSecret } from "../kernel/ids.ts";

const running = service();

test("an account shows its own person, the session's Workspace and an ETag, in two round-trips", async () => {
  const { owner, workspaceId } = await world(running);
  const answer = await owner.call("GET", "/me");
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({
    id: owner.userId,
    email: owner.email,
    workspace_id: workspaceId,
    has_password: false,
  });
  expect(answer.headers.get("etag")).toBe('"1"');
  expect(answer.trips).toBeLessThanOrEqual(2);
});

test("the capabilities say whether a Workspace can be created and a token issued now", async () => {
  const { owner, member } = await world(running);
  expect((await owner.call("GET", "/me")).body.capabilities).toEqual(["api_tokens:create"]);
  const guest = await member("viewer");
  expect((await guest.call("GET", "/me")).body.capabilities).toEqual(["workspace:create", "api_tokens:create"]);
  await running.sql("update memberships set state = 'suspended' where user_id = $1", [guest.userId]);
  expect((await guest.call("GET", "/me")).body.capabilities).toEqual(["workspace:create"]);
});

test("a native client reads the account, a personal or developer token does not", async () => {
  const { owner, workspaceId, token } = await world(running);
  const native = newSecret("nat");
  await insertCredential(running, "native", native, owner.userId, workspaceId, []);
  const answer = await owner.bearer(native, "GET", "/me");
  expect(answer.body).toMatchObject({ id: owner.userId, workspace_id: workspaceId, capabilities: [] });
  const developer = newSecret("dat");
  await insertCredential(running, "developer", developer, owner.userId, workspaceId, ["svc:read"]);
  for (const bearer of [await token(), developer]) {
    const refused = await owner.bearer(bearer, "GET", "/me");
    expect([refused.status, refused.body.code]).toEqual([401, "invalid_token"]);
  }
});
