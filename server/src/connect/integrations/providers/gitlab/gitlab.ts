// GitLab: gitlab.com, or a self-hosted server.
import type { ProviderDefinition } from "../../client/provider.ts";
import { gitlabActions, gitlabTells } from "./actions.ts";
import { connection, GITLAB } from "./connection.ts";
import { webhook } from "./webhook.ts";

export const gitlab: ProviderDefinition = {
  key: "gitlab",
  name: "GitLab",
  authorization: "oauth",
  scopes: ["api"],
  needs: ["client_id", "client_secret"],
  base: GITLAB,
  selfHosted: true,
  identities: true,
  events: ["branch", "commit", "pull_request", "comment", "task_commented"],
  actions: gitlabActions,
  tells: gitlabTells,
  perMinute: 300,
  secretOf: "installation",
  connection,
  webhook,
};
