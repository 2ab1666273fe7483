// Plan limits: at the bound and one past it, under any interleaving; reading, leaving and paying always work.
import { afterAll, describe, expect, test } from "vitest";
import { buyers } from "../../../test/billing.ts";
import { newcomer } from "../../../test/fixtures/fixture.ts";
import type { Home } from "../../../test/home.ts";
import { stripeStandIn } from "../../../test/stripe.ts";
import { newKey, type Person, service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";
import { tellPlans } from "./plans.ts";

const stripe = await stripeStandIn();
const running = service(stripe.config);
const { settings } = buyers(running, stripe);
afterAll(() => stripe.close());

const FULL = 10;
const filled = async (left: number): Promise<World> => {
  const home = await world(running);
  for (let people = 1; people < FULL - left; people++) await home.member("member");
  return home;
};
const refused = [403, "plan_limit"];
const outcome = ({ status, body }: { status: number; body: { code?: string } }) => [status, body?.code];
const invite = ({ owner, workspaceId }: World, email = `${newId()}@example.com`) =>
  owner.call("POST", `/workspaces/${workspaceId}/invitations`, { body: { email, role: "member" }, key: newKey() });
const accept = (person: Person, token: string) =>
  person.call("POST", "/invitations/accept", { body: { token }, key: newKey() });
const guest = () => newcomer({ running, owner: {} } as unknown as Home);

describe("seats", () => {
  test("whoever is invited takes one, at the last of them nobody else is, and an invitation that ends gives it back", async () => {
    const home = await filled(1);
    const { status, body } = await invite(home);
    expect(status).toBe(201);
    expect(outcome(await invite(home))).toEqual(refused);
    const path = `/workspaces/${home.workspaceId}/invitations/${body.id}`;
    const again = await home.owner.call("POST", `${path}/resend`, { key: newKey() });
    expect(again.status).toBe(201);
    await home.owner.call("DELETE", path.replace(body.id, again.body.id));
    expect((await invite(home)).status).toBe(201);
  });

  test("of two who accept at the last seat one has it, and the other may when one is free again", async () => {
    const home = await filled(2);
    const guests = [await guest(), await guest()] as const;
    const tokens = await Promise.all(guests.map(async ({ email }) => (await invite(home, email)).body.token as string));
    await home.member("member");
    const answers = await Promise.all(guests.map((each, at) => accept(each, tokens[at] as string)));
    expect(answers.map(outcome).toSorted()).toEqual([[201, undefined], refused]);
    expect((await settings(home)).seats).toEqual({ used: FULL, limit: FULL });
    const members = (await home.owner.call("GET", `/workspaces/${home.workspaceId}/members`)).body.items;
    const leaving = members.find((each: { role: string }) => each.role === "member");
    expect((await home.owner.call("DELETE", `/workspaces/${home.workspaceId}/members/${leaving.id}`)).status).toBe(204);
    const late = answers.findIndex(({ status }) => status === 403);
    expect((await accept(guests[late] as Person, tokens[late] as string)).status).toBe(201);
    // Who comes back takes one too.
    const back = { body: { user_id: leaving.user_id }, key: newKey() };
    expect(outcome(await home.owner.call("POST", `/workspaces/${home.workspaceId}/members`, back))).toEqual(refused);
  });

  test("somebody who registers with an invitation finds no seat, and then has no account either", async () => {
    const home = await filled(1);
    const email = `${newId()}@example.com`;
    const { token } = (await invite(home, email)).body;
    await home.member("member");
    const body = { email, password: "correct horse battery staple 7", display_name: "New", invitation_token: token };
    const register = () => running.send("POST", "/auth/register", { body });
    expect(outcome(await register())).toEqual(refused);
    await running.sql("update workspaces set plan = 'team' where id = $1", [home.workspaceId]);
    expect((await register()).status).toBe(201);
  });

  test("who is suspended has none, and gets it back while there is one", async () => {
    const home = await filled(0);
    const members = `/workspaces/${home.workspaceId}/members`;
    const { items } = (await home.owner.call("GET", `${members}?role=member`)).body;
    const change = (state: string, ifMatch: string) =>
      home.owner.call("PATCH", `${members}/${items[0].id}`, { body: { state }, ifMatch });
    const suspended = await change("suspended", items[0].revision);
    expect(suspended.status).toBe(200);
    await home.member("viewer");
    expect(outcome(await change("active", suspended.body.revision))).toEqual(refused);
  });
});

test("storage: a file that fills it is taken, a byte more is not, and what was deleted leaves room", async () => {
  const home = await world(running);
  const upload = (size: number) =>
    home.owner.call("POST", "/attachment-uploads", {
      key: newKey(),
      body: { filename: "a.bin", content_type: "application/octet-stream", size, sha256: "0".repeat(64) },
    });
  const MEBIBYTE = 1024 ** 2;
  await running.sql(
    `insert into attachments (workspace_id, id, state, filename, content_type, size, sha256, uploaded_by_actor_id,
     expires_at, completed_at)
     values ($1, $2, 'stored', 'big', 'text/plain', $3, sha256('x'), $4, now(), now())`,
    [home.workspaceId, newId(), 1024 * MEBIBYTE - 10, home.owner.actorId],
    home.workspaceId,
  );
  expect(outcome(await upload(11))).toEqual(refused);
  const [one, two] = await Promise.all([upload(10), upload(10)]);
  expect([one, two].map(outcome).toSorted()).toEqual([[201, undefined], refused]);
  await running.sql(
    "update attachments set state = 'deleted' where workspace_id = $1",
    [home.workspaceId],
    home.workspaceId,
  );
  expect((await upload(MEBIBYTE)).status).toBe(201);
});

test("Agents: as many as the plan gives, and no more", async () => {
  const home = await world(running);
  const path = `/workspaces/${home.workspaceId}/agents`;
  const { items } = (await home.owner.call("GET", `${path}/definitions`)).body;
  const enable = (at: number) =>
    home.owner.call("POST", path, { body: { definition_id: items[at].definition_id ?? items[at].id }, key: newKey() });
  const answers = await Promise.all([enable(0), enable(1)]);
  expect(answers.map(outcome).toSorted()).toEqual([[201, undefined], refused]);
  await running.sql("update workspaces set plan = 'business' where id = $1", [home.workspaceId]);
  expect((await enable(answers[0].status === 201 ? 1 : 0)).status).toBe(201);
});

test("a Workspace that has more than its plan gives keeps it, reads it, and may leave and pay", async () => {
  const home = await world(running);
  await running.sql("update workspaces set plan = 'business' where id = $1", [home.workspaceId]);
  const people: Person[] = [];
  for (let count = 0; count < FULL + 2; count++) people.push(await home.member("member"));
  await running.sql("update workspaces set plan = 'free' where id = $1", [home.workspaceId]);
  const [person] = people as [Person];
  expect((await person.call("GET", `/workspaces/${home.workspaceId}/projects`)).status).toBe(200);
  expect((await settings(home)).seats).toEqual({ used: FULL + 3, limit: FULL });
  expect(outcome(await invite(home))).toEqual(refused);
  const members = `/workspaces/${home.workspaceId}/members`;
  const { items } = (await home.owner.call("GET", `${members}?role=member`)).body;
  const viewer = await home.owner.call("PATCH", `${members}/${items[0].id}`, {
    body: { role: "viewer" },
    ifMatch: items[0].revision,
  });
  expect(viewer.status).toBe(200);
  expect((await home.owner.call("DELETE", `${members}/${items[1].id}`)).status).toBe(204);
  const paying = { body: { plan: "team", return_path: "/" }, key: newKey() };
  expect((await home.owner.call("POST", `/workspaces/${home.workspaceId}/checkout-sessions`, paying)).status).toBe(201);
});

test("a start without a provider grants everything again, and one with it counts again", async () => {
  const home = await filled(0);
  await tellPlans(running.databaseUrl, null);
  expect((await invite(home)).status).toBe(201);
  expect(await settings(home)).toMatchObject({ provider: "none", seats: { limit: null }, credits: null });
  await tellPlans(running.databaseUrl, stripe.billing);
  expect(outcome(await invite(home))).toEqual(refused);
});
