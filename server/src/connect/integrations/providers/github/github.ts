// GitHub: an app that people install, at github.com or at the enterprise server that INTEGRATIONS_FILE names.
import type { ProviderDefinition } from "../../client/provider.ts";
import { githubActions, githubTells } from "./actions.ts";
import { connection, GITHUB } from "./connection.ts";
import { webhook } from "./webhook.ts";

export const github: ProviderDefinition = {
  key: "github",
  name: "GitHub",
  authorization: "app",
  scopes: ["metadata:read", "contents:read", "checks:read", "statuses:write", "issues:write", "pull_requests:write"],
  needs: ["app_id", "slug", "client_id", "client_secret", "private_key", "webhook_secret"],
  base: GITHUB,
  selfHosted: false,
  identities: true,
  events: ["branch", "commit", "pull_request", "comment", "task_commented"],
  actions: githubActions,
  tells: githubTells,
  perMinute: 80,
  secretOf: "app",
  appSecret: "webhook_secret",
  connection,
  webhook,
};
