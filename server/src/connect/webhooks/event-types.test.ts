// The catalogue of what webhooks tell of: all of it is heard by somebody, and each schema holds for what is sent.
import { TEST_ACTION, webhookActions } from "@svc/contract/connect/webhooks/event-types.ts";
import { expect, test } from "vitest";
import { service, world } from "../../../test/world.ts";
import { hearing } from "../../history/feed/audience.ts";

const running = service();

test("every action is told to those who see it, or to those who manage; none is somebody's own", () => {
  const heard = new Set([...hearing].flatMap(([type, line]) => (line && line.who !== "owner" ? [type] : [])));
  expect(webhookActions.filter((action) => !heard.has(action))).toEqual([]);
  expect(new Set(webhookActions).size).toBe(webhookActions.length);
  // What is left out is left out on purpose: nobody could have chosen it before it happened.
  expect([...heard].filter((type) => !webhookActions.includes(type))).toContain("workspace.created");
});

test("each has a version and the schema of what is sent; whoever is signed in reads them", async () => {
  const { owner } = await world(running);
  const { status, body } = await owner.call("GET", "/webhook-event-types");
  expect(status).toBe(200);
  expect(body.items.map(({ action }: { action: string }) => action)).toEqual([...webhookActions, TEST_ACTION]);
  for (const { action, version, schema } of body.items) {
    expect([version, schema.properties.type, schema.properties.version]).toEqual([1, { const: action }, { const: 1 }]);
    expect(Object.keys(schema.properties.data.properties)).toEqual(schema.properties.data.required);
  }
  expect((await running.send("GET", "/webhook-event-types")).status).toBe(401);
});
