// Private connector: a customer's own service that declares its actions, gets signed calls and signs its answers. The
// same secret signs the webhooks that it sends.
import type { SentHeaders } from "../../../platform/wire/standard-webhooks.ts";
import { isSigned, signed } from "../../../platform/wire/standard-webhooks.ts";
import type { ProviderAction, ProviderDefinition } from "../client/provider.ts";
import { type DeclaredSchema, faultsOfValue } from "../install/declared-schema.ts";
import { PRIVATE_CONNECTOR } from "../rules.ts";
import { fieldsOf, textOf, urlOf } from "./untrusted-fields.ts";
import { ENDPOINT, webhook } from "./webhook.ts";

export interface DeclaredAction {
  key: string;
  name: string;
  input_schema: DeclaredSchema;
}

/** The connector recognises a repeated call by its `webhook-id`. */
const actionOf = ({ key, name, input_schema }: DeclaredAction): ProviderAction => ({
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

export const privateConnector: ProviderDefinition = {
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
      // The answer has an id of its own, so that an echo of the request is not accepted.
      isAnswer: (sent, headers, body) =>
        headers.get("webhook-id") === `answer-${sent["webhook-id"]}` &&
        isSigned(Object.fromEntries(headers) as SentHeaders, body, secret, new Date()),
    }),
    resources: async () => [{ externalId: ENDPOINT, kind: "endpoint", name: "Private connector", url: null }],
  },
};
