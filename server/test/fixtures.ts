// One line an operation: how the checks over all operations make a valid call of it. An operation without a line fails
// them. A path parameter is made by its name; a body is the contract's example unless it must be unique or name
// something that exists.

import { agentRunFixtures, agentRunMakers } from "./fixtures/agent-runs.ts";
import { agentFixtures, agentMakers } from "./fixtures/agents.ts";
import { attachmentFixtures, attachmentMakers } from "./fixtures/attachments.ts";
import { billingFixtures, billingMakers } from "./fixtures/billing.ts";
import { nativeFixtures } from "./fixtures/captures.ts";
import { cliFixtures, cliMakers } from "./fixtures/cli.ts";
import { collaborationFixtures } from "./fixtures/collaboration.ts";
import { commandFixtures, commandMakers } from "./fixtures/commands.ts";
import { currentWorkFixtures } from "./fixtures/current-work.ts";
import { discussFixtures, discussMakers } from "./fixtures/discuss.ts";
import { privateFixtures, privateMakers } from "./fixtures/discuss-private.ts";
import { documentFixtures, documentMakers } from "./fixtures/documents.ts";
import type { Fixture, Makers } from "./fixtures/fixture.ts";
import { identityFixtures, identityMakers } from "./fixtures/identity.ts";
import { inboxFixtures, inboxMakers } from "./fixtures/inbox.ts";
import { integrationFixtures, integrationMakers } from "./fixtures/integrations.ts";
import { labelFixtures, labelMakers } from "./fixtures/labels.ts";
import { listFixtures } from "./fixtures/lists.ts";
import { changeFixtures } from "./fixtures/proposals.ts";
import { realtimeFixtures } from "./fixtures/realtime.ts";
import { relationFixtures, relationMakers } from "./fixtures/relations.ts";
import { repositoryFixtures, repositoryMakers } from "./fixtures/repository.ts";
import { taskFixtures, taskMakers } from "./fixtures/tasks.ts";
import { timeFixtures, timeMakers } from "./fixtures/time.ts";
import { webhookFixtures, webhookMakers } from "./fixtures/webhooks.ts";
import { workFixtures, workMakers } from "./fixtures/work.ts";
import { workspaceFixtures, workspaceMakers } from "./fixtures/workspaces.ts";

/** Makes one of what a path parameter names. */
export const makers: Makers = {
  ...attachmentMakers,
  ...billingMakers,
  ...cliMakers,
  ...commandMakers,
  ...identityMakers,
  ...workspaceMakers,
  ...workMakers,
  ...relationMakers,
  ...repositoryMakers,
  ...integrationMakers,
  ...timeMakers,
  ...taskMakers,
  ...labelMakers,
  ...inboxMakers,
  ...documentMakers,
  ...privateMakers,
  ...discussMakers,
  ...agentMakers,
  ...agentRunMakers,
  ...webhookMakers,
};
/** Parameters that name something of the caller's account and not of a Workspace. */
export const ofAccount = new Set([
  "checkout_id",
  "credential_id",
  "grant_id",
  "identity_id",
  "passkey_id",
  "session_id",
  "token_id",
]);

export const fixtures: Record<string, Fixture> = {
  ...attachmentFixtures,
  ...billingFixtures,
  ...changeFixtures,
  ...cliFixtures,
  ...commandFixtures,
  ...identityFixtures,
  ...workspaceFixtures,
  ...workFixtures,
  ...relationFixtures,
  ...integrationFixtures,
  ...repositoryFixtures,
  ...timeFixtures,
  ...taskFixtures,
  ...labelFixtures,
  ...inboxFixtures,
  ...listFixtures,
  ...currentWorkFixtures,
  ...documentFixtures,
  ...collaborationFixtures,
  ...realtimeFixtures,
  ...webhookFixtures,
  ...nativeFixtures,
  ...privateFixtures,
  ...discussFixtures,
  ...agentFixtures,
  ...agentRunFixtures,
};
