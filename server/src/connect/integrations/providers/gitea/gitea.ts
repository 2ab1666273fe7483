// Gitea and Forgejo: always self-hosted.
import type { ProviderDefinition } from "../../client/provider.ts";
import { giteaActions, giteaTells } from "./actions.ts";
import { connection } from "./connection.ts";
import { webhook } from "./webhook.ts";

export const gitea: ProviderDefinition = {
  key: "gitea",
  name: "Gitea",
  authorization: "oauth",
  scopes: [],
  needs: ["url", "client_id", "client_secret"],
  base: null,
  selfHosted: true,
  identities: true,
  events: ["branch", "commit", "pull_request", "comment", "task_commented"],
  actions: giteaActions,
  tells: giteaTells,
  perMinute: 300,
  secretOf: "installation",
  connection,
  webhook,
};
