// Members ask for a provider.
import { expect, test } from "vitest";
import { type Person, service, type World, world } from "../../test/world.ts";

const running = service();
const at = ({ workspaceId }: World, rest: string) => `/workspaces/${workspaceId}/${rest}`;

test("a member asks for a provider once, and connecting it closes what was asked", async () => {
  const home = await world(running);
  const [member, viewer] = [await home.member("member"), await home.member("viewer")];
  const ask = (person: Person, body: object) => person.call("POST", at(home, "integration-requests"), { body });
  const asked = await ask(member, { provider_key: "webhook", note: "Please" });
  expect([asked.status, asked.body.state, asked.body.requested_by_actor_id]).toEqual([201, "open", member.actorId]);
  expect((await ask(member, { provider_key: "webhook" })).body.code).toBe("integration_requested");
  expect((await ask(member, { provider_key: "nothing" })).body.code).toBe("invalid_reference");
  expect((await ask(viewer, { provider_key: "webhook" })).status).toBe(403);
  expect((await ask(await home.member("member"), { provider_key: "webhook" })).status).toBe(201);
  const connecting = { body: { provider_key: "webhook" } };
  await home.owner.call("POST", at(home, "integration-authorizations/credential"), connecting);
  const left = await running.sql("select state from integration_requests where state = 'open'", [], home.workspaceId);
  expect(left).toEqual([]);
  expect((await ask(member, { provider_key: "webhook" })).status, "it may be asked for anew").toBe(201);
});
