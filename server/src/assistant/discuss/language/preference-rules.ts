// Default preferences of a member, and their effective time zone. Pure.

export interface Preferences {
  timezone: string;
  follow_account_timezone: boolean;
  opt_in: boolean;
}
type Stored = { [field in keyof Preferences]: Preferences[field] | null };

/** Conservative defaults: nothing is changed without approval. */
export const preferencesOf = (stored: Stored, accountTimezone: string): Preferences => ({
  timezone: stored.timezone ?? accountTimezone,
  follow_account_timezone: stored.follow_account_timezone ?? true,
  opt_in: stored.opt_in ?? false,
});
export const effectiveTimezone = (
  { timezone, follow_account_timezone }: Pick<Preferences, "timezone" | "follow_account_timezone">,
  accountTimezone: string,
) => (follow_account_timezone ? accountTimezone : timezone);
