// A member's preferences in Discuss: read, and replaced at an exact revision. Nobody else reads them, not even an owner
// of the Workspace.
import * as contract from "@svc/contract/assistant/discuss/preferences.ts";
import { differing } from "../../platform/database/sql.ts";
import { type Access, implement } from "../../platform/kernel/implement-operation.ts";
import { effectiveTimezone, type Preferences } from "./language/preference-rules.ts";
import { type PreferencesNow, preferencesNow, replacePreferences } from "./preference-store.ts";

const own: Access<PreferencesNow> = {
  reach: "membership",
  load: (tx, _params, change) => preferencesNow(tx, change),
  permits: () => true,
};
const shown = (preferences: Preferences, { account_timezone }: PreferencesNow, revision: string, at: string | null) => {
  const { timezone, follow_account_timezone, opt_in } = preferences;
  const effective_timezone = effectiveTimezone(preferences, account_timezone);
  const fields = { timezone, follow_account_timezone, opt_in, effective_timezone, revision, updated_at: at };
  return { json: JSON.stringify(fields), revision };
};

export const getDiscussPreferences = implement(contract.getDiscussPreferences, own, async (_context, { target }) =>
  shown(target, target, target.revision, target.updated_at),
);

export const updateDiscussPreferences = implement(
  contract.updateDiscussPreferences,
  own,
  async ({ tx, principal, defer }, { target, body }) => {
    // Choosing the effective time zone explicitly is a change.
    if (!differing(body, { ...target, timezone: target.chosen_timezone }))
      return shown(target, target, target.revision, target.updated_at);
    const preferences = { ...target, ...body };
    defer(replacePreferences(tx, preferences));
    return shown(preferences, target, String(BigInt(target.revision) + 1n), principal.now);
  },
);
