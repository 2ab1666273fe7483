// English messages, one file for each part of the application. German has the same keys; a test asserts that. Messages
// that only some pages need load with those pages: see later/.

import { changes } from "./en/changes.ts";
import { editor } from "./en/editor.ts";
import { inbox } from "./en/inbox.ts";
import { panel } from "./en/panel.ts";
import { plan } from "./en/plan.ts";
import { told } from "./en/settings-outcomes.ts";
import { shell } from "./en/shell.ts";
import { tasks } from "./en/tasks.ts";
import { time } from "./en/time.ts";

export const en = {
  ...shell,
  ...tasks,
  ...inbox,
  ...plan,
  ...time,
  ...told,
  ...changes,
  ...panel,
  ...editor,
};
