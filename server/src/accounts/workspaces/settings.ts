// Default settings shared by a Workspace. Creation statements read them directly.

import * as contract from "@svc/contract/accounts/workspaces/settings.ts";
import { canonicalLanguage } from "@svc/contract/types.ts";
import { implement } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { policyOf } from "./access.ts";
import { workspaceSettingsUpdated } from "./events.ts";
import { managing } from "./rules.ts";
import { decide, policySelect } from "./store.ts";

const SELECT = policySelect(contract.WorkspaceSettings, "workspace_settings", {
  timezone: "coalesce(s.timezone, 'UTC')",
  locale: "coalesce(s.locale, 'en')",
  week_start: "coalesce(s.week_start, 'monday')",
  default_project_visibility: "coalesce(s.default_project_visibility, 'workspace')",
});

export const getWorkspaceSettings = implement(
  contract.getWorkspaceSettings,
  policyOf("workspace:read", SELECT),
  async ({ member }, { target }) => render(target, managing(member.role)),
);

export const updateWorkspaceSettings = implement(
  contract.updateWorkspaceSettings,
  policyOf("workspace:manage", SELECT),
  async ({ tx, member, record }, { target, body }) => {
    const decided = body.locale === undefined ? body : { ...body, locale: canonicalLanguage(body.locale) };
    const { row, changed } = await decide(tx, "workspace_settings", target, decided, SELECT);
    if (changed.length > 0)
      record(workspaceSettingsUpdated({ kind: "workspace", id: member.workspaceId }, { fields: changed }));
    return render(row, managing(member.role));
  },
);
