// German messages, with the same keys as English.
import { agents } from "./de/agents.ts";
import { billing } from "./de/billing.ts";
import { changes } from "./de/changes.ts";
import { documents } from "./de/documents.ts";
import { editor } from "./de/editor.ts";
import { inbox } from "./de/inbox.ts";
import { integrations } from "./de/integrations.ts";
import { panel } from "./de/panel.ts";
import { plan } from "./de/plan.ts";
import { projects } from "./de/projects.ts";
import { settings } from "./de/settings.ts";
import { told } from "./de/settings-outcomes.ts";
import { shell } from "./de/shell.ts";
import { tables } from "./de/tables.ts";
import { talk } from "./de/talk.ts";
import { tasks } from "./de/tasks.ts";
import { time } from "./de/time.ts";
import { tools } from "./de/tools.ts";
import { webhooks } from "./de/webhooks.ts";
import type { Messages } from "./keys.ts";

export const de: Messages = {
  ...shell,
  ...tasks,
  ...inbox,
  ...plan,
  ...time,
  ...projects,
  ...settings,
  ...billing,
  ...told,
  ...changes,
  ...tables,
  ...talk,
  ...tools,
  ...agents,
  ...integrations,
  ...webhooks,
  ...panel,
  ...editor,
  ...documents,
};
export { account } from "./de/account/account.ts";
