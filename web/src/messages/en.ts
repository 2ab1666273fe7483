// English: what everything is called. German has the same keys; a test holds both equal. One file for each part of the application.

import { changes } from "./en/changes.ts";
import { documents } from "./en/documents.ts";
import { editor } from "./en/editor.ts";
import { inbox } from "./en/inbox.ts";
import { panel } from "./en/panel.ts";
import { plan } from "./en/plan.ts";
import { projects } from "./en/projects.ts";
import { settings } from "./en/settings.ts";
import { shell } from "./en/shell.ts";
import { tables } from "./en/tables.ts";
import { tasks } from "./en/tasks.ts";
import { time } from "./en/time.ts";

export const en = {
  ...shell,
  ...tasks,
  ...inbox,
  ...plan,
  ...time,
  ...projects,
  ...settings,
  ...changes,
  ...tables,
  ...panel,
  ...editor,
  ...documents,
};
