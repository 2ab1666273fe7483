// Generic webhook: any client that can send a signed request can request a Task. Signed as Standard Webhooks.
import { isSigned } from "../../../platform/wire/standard-webhooks.ts";
import type { ProviderDefinition, ResourceEvent } from "../client/provider.ts";
import { fieldsOf, textOf } from "./untrusted-fields.ts";

/** The one resource, at which its deliveries arrive. */
export const ENDPOINT = "endpoint";

function happened(body: unknown): ResourceEvent[] {
  const data = fieldsOf(fieldsOf(body).data ?? body);
  const title = textOf(data.title, 500);
  const externalId = textOf(data.id, 200);
  if (title === "" || externalId === "") return [];
  const url = textOf(data.url, 2000);
  const entity = { kind: "delivery" as const, externalId, title, url, state: textOf(data.state, 40) || "open" };
  return [
    {
      resource: ENDPOINT,
      kind: "message",
      by: null,
      what: "task_wanted",
      entity: { ...entity, changedAt: new Date().toISOString() },
      title,
      detail: textOf(data.text, 20_000),
      reply: null,
    },
  ];
}

export const webhook: ProviderDefinition = {
  key: "webhook",
  name: "Webhook",
  authorization: "credential",
  scopes: [],
  needs: [],
  base: null,
  selfHosted: false,
  identities: false,
  events: ["message"],
  actions: {},
  perMinute: 600,
  secretOf: "installation",
  connection: {
    authorize: () => ({}),
    api: (base) => base,
    opens: true,
    resources: async () => [{ externalId: ENDPOINT, kind: "endpoint", name: "Webhook", url: null }],
  },
  webhook: {
    age: 300,
    verify: isSigned,
    read: (headers, body) => ({
      key: String(headers["webhook-id"]).slice(0, 200),
      account: null,
      lane: ENDPOINT,
      kind: textOf(fieldsOf(body).type, 100) || "message",
    }),
    happened: (_kind, body) => happened(body),
  },
};
