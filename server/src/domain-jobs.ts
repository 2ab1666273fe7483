// Background work of all domains: one import line per domain.
import { background as account } from "./accounts/account/jobs.ts";
import { background as identity } from "./accounts/identity/jobs.ts";
import { background as workspaces } from "./accounts/workspaces/jobs.ts";
import { background as reminders } from "./assistant/discuss/reminder/reminder-jobs.ts";
import { background as billing } from "./connect/billing/jobs.ts";
import { background as integrations } from "./connect/integrations/jobs.ts";
import { background as native } from "./history/captures/jobs.ts";
import { background as inbox } from "./history/inbox/jobs.ts";
import { background as changes } from "./history/proposals/jobs.ts";
import { background as collaboration } from "./knowledge/collaboration/jobs.ts";
import { background as repository } from "./knowledge/repository/jobs.ts";
import { background as knowledge } from "./knowledge/retrieval/jobs.ts";
import { background as search } from "./knowledge/search/jobs.ts";
import { background as attachments } from "./planning/attachments/jobs.ts";
import { background as labels } from "./planning/labels/jobs.ts";
import { background as lifecycle } from "./planning/lifecycle/jobs.ts";
import { background as projects } from "./planning/projects/deletion/jobs.ts";
import { background as audit } from "./platform/background/audit-jobs.ts";
import type { Background } from "./platform/background/jobs.ts";
import { background as maintenance } from "./platform/background/maintenance.ts";
import { background as backup } from "./surfaces/backup/schedule.ts";

export const background: readonly Background[] = [
  maintenance,
  audit,
  account,
  attachments,
  backup,
  billing,
  changes,
  collaboration,
  reminders,
  identity,
  inbox,
  integrations,
  knowledge,
  labels,
  lifecycle,
  native,
  projects,
  repository,
  search,
  workspaces,
];
