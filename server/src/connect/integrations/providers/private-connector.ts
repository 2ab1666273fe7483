// A customer's own service: it declares what it can do, is asked for it by signed calls, and signs its answers. What it sends of its own is signed with the same secret, as a webhook's is.
import type { SentHeaders } from "../../../platform/wire/standard-webhooks.ts";
import { isSigned, signed } from "../../../platform/wire/standard-webhooks.ts";
import { type DeclaredSchema, faultsOfValue } from "../declared-schema.ts";
import type { Action, Provider } from "../provider.ts";
import { PRIVATE_CONNECTOR } from "../rules.ts";
import { fieldsOf, textOf, urlOf } from "./reading.ts";
import { ENDPOINT, webhook } from "./webhook.ts";

export interface DeclaredAction {
  key: string;
  name: string;
  input_schema: DeclaredSchema;
}

/** It recognises a call that is repeated by its id: `webhook-id`. */
const actionOf = ({ key, name, input_schema }: DeclaredAction): Action => ({
  name,
  input: input_schema as never,
  keyed: true,
  faults: (input) => faultsOfValue(input_schema, input, "/body/input"),
  async perform(ask, _resource, input: unknown, marker) {
    const json = { type: "action", id: marker, action: key, input };
    const { body } = await ask("POST", "", { json, headers: { "webhook-id": marker } });
    const { external_id, url } = fieldsOf(body);
    return { externalId: textOf(external_id, 200) || marker, url: urlOf(url) || null };
  },
});

export const privateConnector: Provider = {
  ...webhook,
  key: PRIVATE_CONNECTOR,
  name: "Private connector",
  perMinute: 120,
  actions: {},
  declares: (declared) => {
    const actions = fieldsOf(declared).actions as DeclaredAction[] | undefined;
    return Object.fromEntries((actions ?? []).map((action) => [action.key, actionOf(action)]));
  },
  connection: {
    authorize: () => ({}),
    api: (base) => base,
    signing: (secret) => ({
      sign: (body, { "webhook-id": id = "" }) => signed([secret], id, body, new Date()),
      // An id of its own: what was sent, sent back, is no answer.
      isAnswer: (sent, headers, body) =>
        headers.get("webhook-id") === `answer-${sent["webhook-id"]}` &&
        isSigned(Object.fromEntries(headers) as SentHeaders, body, secret, new Date()),
    }),
    resources: async () => [{ externalId: ENDPOINT, kind: "endpoint", name: "Private connector", url: null }],
  },
};
