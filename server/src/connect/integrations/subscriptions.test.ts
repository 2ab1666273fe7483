// Subscriptions of a binding to kinds of events.
import { expect, test } from "vitest";
import { plantInstallation, plantResource } from "../../../test/integrations.ts";
import { newProject } from "../../../test/work.ts";
import { service, world } from "../../../test/world.ts";
import { MOST_SUBSCRIPTIONS } from "./subscriptions.ts";

const running = service();
async function stage() {
  const home = await world(running);
  const { id: projectId } = await newProject(home);
  const { workspaceId, owner } = home;
  const { id } = await plantInstallation(running, workspaceId, owner.actorId);
  const resource = await plantResource(running, workspaceId, id);
  const body = { installation_id: id, resource_id: resource.id };
  const binding = (await owner.call("POST", `/projects/${projectId}/integration-bindings`, { body })).body;
  return { home, at: `/integration-bindings/${binding.id}/subscriptions` };
}

test("a subscription names kinds that the provider has, and is stopped and resumed", async () => {
  const { home, at } = await stage();
  const made = await home.owner.call("POST", at, { body: { event_kinds: ["message"] } });
  expect(made.body).toMatchObject({
    event_kinds: ["message"],
    enabled: true,
    capabilities: ["integration_subscription:update"],
  });
  const unknown = await home.owner.call("POST", at, { body: { event_kinds: ["message", "pull_request"] } });
  expect([unknown.body.code, unknown.body.errors[0].pointer]).toEqual(["invalid_reference", "/body/event_kinds/1"]);
  for (const event_kinds of [[], ["message", "message"], ["nothing"]])
    expect((await home.owner.call("POST", at, { body: { event_kinds } })).status).toBe(400);
  const one = `/integration-subscriptions/${made.body.id}`;
  const change = (body: object, ifMatch: string) => home.owner.call("PATCH", one, { body, ifMatch });
  expect((await change({ enabled: false }, "1")).body).toMatchObject({ enabled: false, revision: "2" });
  expect((await change({ enabled: true }, "1")).body.code).toBe("revision_conflict");
  expect((await change({ event_kinds: ["error"] }, "2")).body.code).toBe("invalid_reference");
  expect((await home.owner.call("GET", at)).body.items).toMatchObject([{ id: made.body.id, enabled: false }]);
  expect(
    (await (await world(running)).owner.call("PATCH", one, { body: { enabled: true }, ifMatch: "2" })).status,
  ).toBe(404);
});

test("a binding has so many and no more", async () => {
  const { home, at } = await stage();
  const subscribe = () => home.owner.call("POST", at, { body: { event_kinds: ["message"] } });
  const answers = await Promise.all(Array.from({ length: MOST_SUBSCRIPTIONS + 2 }, subscribe));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(MOST_SUBSCRIPTIONS);
  expect((await subscribe()).body.code).toBe("limit_reached");
});
