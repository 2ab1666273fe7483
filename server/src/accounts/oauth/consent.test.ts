// Nothing is granted without the explicit answer of the very person who was asked.
import { expect, test } from "vitest";
import { answered, asked, cli, codeFor, newVerifier, redeemed, registered } from "../../../test/oauth.ts";
import { newKey, service, sessionHeaders, world } from "../../../test/world.ts";

const running = service();
const grantsOf = async (userId: string) =>
  (await running.sql("select id from oauth_grants where user_id = $1", [userId])).length;

test("the question says who asks, how far to trust the name, where it leads, for what, and which Workspaces there are", async () => {
  const { owner, workspaceId } = await world(running);
  const request = await asked(owner, cli, newVerifier(), { scope: "svc:read svc:discuss" });
  const { body, trips } = await owner.call("GET", `/oauth/consent?request=${request}`);
  expect(trips).toBeLessThanOrEqual(2);
  expect(body).toMatchObject({
    family: "developer",
    client: { id: "svc-cli", name: "svc command line", verified: true },
    redirect_host: "127.0.0.1:49152",
    scopes: [
      { scope: "svc:read", description: expect.stringContaining("Read") },
      { scope: "svc:discuss", description: expect.stringContaining("Discuss") },
    ],
    chooses_workspace: true,
    served: true,
    workspaces: [{ id: workspaceId, name: "Test", role: "owner" }],
    workspace_id: workspaceId,
  });
  const mcp = await registered(running, { client_name: "svc command line" });
  const other = await asked(owner, mcp, newVerifier());
  const told = (await owner.call("GET", `/oauth/consent?request=${other}`)).body;
  expect(told.client).toEqual({ id: mcp.id, name: "svc command line", verified: false });
  expect(told.served).toBe(true);
  expect(told.scopes.map(({ scope }: { scope: string }) => scope)).toEqual(["svc:read", "svc:write"]);
});

test("asking and reading the question grant nothing; denying tells the client so", async () => {
  const { owner, workspaceId } = await world(running);
  const request = await asked(owner, cli, newVerifier());
  await owner.call("GET", `/oauth/consent?request=${request}`);
  const { body } = await answered(owner, request, workspaceId, "deny");
  const { searchParams } = new URL(body.redirect_to);
  expect(Object.fromEntries(searchParams)).toEqual({ error: "access_denied", state: "opaque", iss: running.url });
  expect(await grantsOf(owner.userId)).toBe(0);
});

test("a question is answered once: a second answer makes no second grant, and a retry with the key gets the same code", async () => {
  const { owner, workspaceId } = await world(running);
  const request = await asked(owner, cli, newVerifier());
  const [body, key] = [{ request, decision: "approve", workspace_id: workspaceId }, newKey()];
  const first = await owner.call("POST", "/oauth/consent", { body, key });
  const again = await owner.call("POST", "/oauth/consent", { body, key });
  expect([first.status, again.body.redirect_to]).toEqual([201, first.body.redirect_to]);
  expect((await answered(owner, request, workspaceId)).body.code).toBe("invalid_link");
  const many = await asked(owner, cli, newVerifier());
  const answers = await Promise.all(Array.from({ length: 20 }, () => answered(owner, many, workspaceId)));
  expect(answers.filter(({ status }) => status === 201).length).toBe(1);
  expect(await grantsOf(owner.userId)).toBe(2);
});

test("another person's, a changed, a made-up and an expired question are refused alike", async () => {
  const { owner, workspaceId, member } = await world(running);
  const other = await member("member");
  const request = await asked(owner, cli, newVerifier());
  const [key, nonce, data] = request.split(".") as [string, string, string];
  const flipped = `${data.slice(0, 10)}${data[10] === "A" ? "B" : "A"}${data.slice(11)}`;
  const foreign = await asked(other, cli, newVerifier());
  for (const wrong of [
    foreign,
    `${key}.${nonce}.${flipped}`,
    `${key}.${nonce}`,
    `other.${nonce}.${data}`,
    "x",
    "{}",
    `${request}A`,
  ]) {
    const read = await owner.call("GET", `/oauth/consent?request=${encodeURIComponent(wrong)}`);
    const answer = await answered(owner, wrong, workspaceId);
    expect([read.status, read.body.code, answer.status, answer.body.code]).toEqual([
      400,
      "invalid_link",
      400,
      "invalid_link",
    ]);
  }
  expect(await grantsOf(owner.userId)).toBe(0);
});

test("a question is open for ten minutes by the database's clock", async () => {
  const { secretBox } = await import("../../platform/wire/secret-box.ts");
  const { testKeys } = await import("../../../test/world.ts");
  const { owner, workspaceId } = await world(running);
  const box = secretBox(testKeys);
  const request = await asked(owner, cli, newVerifier());
  const question = JSON.parse(box.open(request, "oauth consent") as string);
  expect(Math.abs(question.expiresAt - Date.now() - 600_000)).toBeLessThan(30_000);
  const [{ now } = { now: "" }] = await running.sql<{ now: string }>("select now()::text as now");
  const expired = box.seal(JSON.stringify({ ...question, expiresAt: Date.parse(now) }), "oauth consent");
  expect((await answered(owner, expired, workspaceId)).body.code).toBe("invalid_link");
  const elsewhere = box.seal(JSON.stringify(question), "another row");
  expect((await answered(owner, elsewhere, workspaceId)).body.code).toBe("invalid_link");
  expect((await answered(owner, request, workspaceId)).status).toBe(201);
});

test("without the session's CSRF token, or without a session, nothing is granted", async () => {
  const { owner, workspaceId, token } = await world(running);
  const request = await asked(owner, cli, newVerifier());
  const body = { request, decision: "approve", workspace_id: workspaceId };
  const { cookie } = sessionHeaders(owner.session);
  const forged = await running.send("POST", "/oauth/consent", { body, headers: { cookie } });
  expect([forged.status, forged.body.code]).toEqual([403, "invalid_csrf_token"]);
  expect((await running.send("POST", "/oauth/consent", { body })).status).toBe(401);
  expect((await owner.bearer(await token(), "POST", "/oauth/consent", { body })).status).toBe(403);
  const posted = await running.send("POST", "/oauth/consent", {
    raw: new URLSearchParams(body).toString(),
    headers: { ...sessionHeaders(owner.session), "content-type": "application/x-www-form-urlencoded" },
  });
  expect(posted.status).toBe(415);
  expect(await grantsOf(owner.userId)).toBe(0);
});

test("consent opens exactly one Workspace, which must be named and be the person's own", async () => {
  const { owner, member } = await world(running);
  const foreign = await world(running);
  const request = await asked(owner, cli, newVerifier());
  const missing = await answered(owner, request);
  expect([missing.status, missing.body.errors[0].pointer]).toEqual([400, "/body/workspace_id"]);
  for (const id of [foreign.workspaceId, crypto.randomUUID()])
    expect((await answered(owner, request, id)).body.code).toBe("workspace_access_denied");
  const suspended = await member("member");
  const theirs = await asked(suspended, cli, newVerifier());
  await running.sql("update memberships set state = 'suspended' where user_id = $1", [suspended.userId]);
  const { workspaceId } = await world(running);
  expect((await answered(suspended, theirs, workspaceId)).body.code).toBe("workspace_access_denied");
  expect([await grantsOf(owner.userId), await grantsOf(suspended.userId)]).toEqual([0, 0]);
});

test("a native application is let in without a Workspace, also by an account that has none", async () => {
  const { owner, workspaceId } = await world(running);
  const mobile = { family: "native", id: "svc-mobile", redirectUri: "svc://oauth/callback" } as const;
  await running.sql("update memberships set state = 'removed' where user_id = $1", [owner.userId]);
  const code = await codeFor({ owner, workspaceId }, mobile);
  expect((await redeemed(running, code)).status).toBe(200);
  const request = await asked(owner, mobile, newVerifier());
  const { body } = await owner.call("GET", `/oauth/consent?request=${request}`);
  expect([body.chooses_workspace, body.workspaces, body.redirect_host]).toEqual([false, [], "svc:"]);
});
