// What every domain does in the background: one import line a domain.
import { background as account } from "./account/jobs.ts";
import { background as attachments } from "./attachments/jobs.ts";
import { background as audit } from "./background/audit-jobs.ts";
import type { Background } from "./background/jobs.ts";
import { background as maintenance } from "./background/maintenance.ts";
import { background as backup } from "./backup/schedule.ts";
import { background as billing } from "./billing/jobs.ts";
import { background as changes } from "./changes/jobs.ts";
import { background as collaboration } from "./collaboration/jobs.ts";
import { background as reminders } from "./discuss/reminder-jobs.ts";
import { background as identity } from "./identity/jobs.ts";
import { background as inbox } from "./inbox/jobs.ts";
import { background as integrations } from "./integrations/jobs.ts";
import { background as knowledge } from "./knowledge/jobs.ts";
import { background as labels } from "./labels/jobs.ts";
import { background as lifecycle } from "./lifecycle/jobs.ts";
import { background as native } from "./native/jobs.ts";
import { background as projects } from "./projects/jobs.ts";
import { background as repository } from "./repository/jobs.ts";
import { background as search } from "./search/jobs.ts";
import { background as workspaces } from "./workspaces/jobs.ts";

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
