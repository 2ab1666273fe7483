// Registry of all providers: an import and an entry in the list for each.
import type { ProviderDefinition } from "../client/provider.ts";
import { errtrack } from "./errtrack/errtrack.ts";
import { figma } from "./figma/figma.ts";
import { gitea } from "./gitea/gitea.ts";
import { github } from "./github/github.ts";
import { gitlab } from "./gitlab/gitlab.ts";
import { privateConnector } from "./private-connector.ts";
import { slack } from "./slack/slack.ts";
import { webhook } from "./webhook.ts";

export const providers: readonly ProviderDefinition[] = [
  errtrack,
  figma,
  gitea,
  github,
  gitlab,
  privateConnector,
  slack,
  webhook,
];
export const providerOf = new Map(providers.map((provider) => [provider.key, provider]));
