// Slack: an app with a bot.
import type { ProviderDefinition } from "../../client/provider.ts";
import { slackActions, slackTells } from "./actions.ts";
import { connection, SLACK, scopes } from "./connection.ts";
import { webhook } from "./webhook.ts";

export const slack: ProviderDefinition = {
  key: "slack",
  name: "Slack",
  authorization: "oauth",
  scopes,
  needs: ["client_id", "client_secret", "signing_secret"],
  base: SLACK,
  selfHosted: false,
  identities: true,
  events: ["message", "link", "task_created", "task_completed", "task_commented"],
  actions: slackActions,
  tells: slackTells,
  perMinute: 50,
  secretOf: "app",
  appSecret: "signing_secret",
  connection,
  webhook,
};
