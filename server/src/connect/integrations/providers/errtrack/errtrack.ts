// Error tracker with Sentry's API, self-hosted or not.
import type { ProviderDefinition } from "../../client/provider.ts";
import { errtrackActions, errtrackTells } from "./actions.ts";
import { connection } from "./connection.ts";
import { asSentrySecret } from "./requests.ts";
import { webhook } from "./webhook.ts";

export const errtrack: ProviderDefinition = {
  key: "errtrack",
  name: "Error tracker",
  authorization: "credential",
  scopes: ["org:read", "project:read", "event:read", "event:write"],
  needs: [],
  base: null,
  selfHosted: true,
  identities: false,
  events: ["error", "task_completed", "task_commented"],
  actions: errtrackActions,
  tells: errtrackTells,
  perMinute: 300,
  secretOf: "installation",
  ownSecret: asSentrySecret,
  connection,
  webhook,
};
