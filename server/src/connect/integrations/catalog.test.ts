// Catalog of the providers that a Workspace can connect.
import { expect, test } from "vitest";
import { service, world } from "../../../test/world.ts";
import { isAvailable } from "./client/provider.ts";
import { providers } from "./providers/providers.ts";

const running = service();

test("every provider is listed, with what it needs to be authorised and what it can do", async () => {
  const { owner } = await world(running);
  const { status, body } = await owner.call("GET", "/integration-catalog");
  expect(status).toBe(200);
  expect(body.items.map((each: { provider_key: string }) => each.provider_key)).toEqual(
    providers.map(({ key }) => key),
  );
  expect(body.items.find((each: { provider_key: string }) => each.provider_key === "webhook")).toMatchObject({
    authorization: "credential",
    available: true,
    reason: null,
    event_kinds: ["message"],
    credential_fields: ["name"],
    base_url: null,
  });
});

test("a provider that the operator has not registered is shown and not available", () => {
  const app = { client_id: "1", client_secret: "2" };
  const connection = { authorize: () => ({}), api: (base: string) => base, resources: async () => [] };
  const provider = { key: "github", needs: ["client_id", "client_secret"], connection };
  expect(isAvailable(provider, {})).toBe(false);
  expect(isAvailable(provider, { github: { client_id: "1" } })).toBe(false);
  expect(isAvailable(provider, { gitlab: app })).toBe(false);
  expect(isAvailable(provider, { github: app })).toBe(true);
  const entered = { ...connection, enter: async () => ({ externalId: "1", name: "octo", managementUrl: null }) };
  expect(isAvailable({ ...provider, connection: entered }, {}), "with a credential alone").toBe(true);
});
