// SQL of Discuss preferences of the connection's Actor.
//   preferencesNow(tx) -> their effective values, with effective_timezone and opt_in
//   preferencesOfActor(tx, id) -> the same for background jobs
import { QUEUE } from "../../accounts/account/access.ts";
import type { Queries } from "../../platform/database/db.ts";
import { effectiveTimezone, type Preferences, preferencesOf } from "./language/preference-rules.ts";

export interface PreferencesNow extends Preferences {
  effective_timezone: string;
  account_timezone: string;
  /** Null until one is chosen. */
  chosen_timezone: string | null;
  /** "0" while the defaults hold. */
  revision: string;
  updated_at: string | null;
  /** Locale of the account. */
  locale: string;
}
const find = (actor: string) => `
select r.timezone, r.follow_account_timezone, r.opt_in, u.timezone as account_timezone,
  coalesce(r.revision, 0)::text as revision,
  wire_time(r.updated_at) as updated_at, u.locale
from actors a join users u on u.id = a.user_id
left join discuss_preferences r on r.workspace_id = a.workspace_id and r.actor_id = a.id
where a.workspace_id = current_workspace() and a.id = ${actor}`;
const FIND = find("current_actor()");
const FIND_OF = find("$1");
type Found = Parameters<typeof preferencesOf>[0] &
  Pick<PreferencesNow, "account_timezone" | "revision" | "updated_at" | "locale">;

/**
 * Undefined if the Actor has no account. A change locks the Actor's row, because there may be no row of preferences
 * yet.
 */
export async function preferencesNow(tx: Queries, change = false): Promise<PreferencesNow | undefined> {
  const [, found] = await Promise.all([change ? tx.rows(QUEUE) : null, tx.maybe<Found>(FIND)]);
  return found && nowOf(found);
}
export async function preferencesOfActor(tx: Queries, actorId: string): Promise<PreferencesNow | undefined> {
  const found = await tx.maybe<Found>(FIND_OF, [actorId]);
  return found && nowOf(found);
}
function nowOf(found: Found): PreferencesNow {
  const { account_timezone, revision, updated_at, locale } = found;
  const preferences = preferencesOf(found, account_timezone);
  const effective_timezone = effectiveTimezone(preferences, account_timezone);
  return {
    ...preferences,
    effective_timezone,
    account_timezone,
    chosen_timezone: found.timezone,
    revision,
    updated_at,
    locale,
  };
}

const REPLACE = `
insert into discuss_preferences as old (workspace_id, actor_id, timezone, follow_account_timezone, opt_in)
values (current_workspace(), current_actor(), $1, $2, $3)
on conflict (workspace_id, actor_id) do update
set timezone = excluded.timezone, follow_account_timezone = excluded.follow_account_timezone,
  opt_in = excluded.opt_in, revision = old.revision + 1, updated_at = now()`;
export const replacePreferences = (tx: Queries, { timezone, follow_account_timezone, opt_in }: Preferences) =>
  tx.rows(REPLACE, [timezone, follow_account_timezone, opt_in]);
