// Sweeps expired rows from the kernel's own tables.
import { SWEEP_ATTEMPTS } from "../database/attempt-limits.ts";
import { SWEEP_EXHAUSTED } from "./exhausted-jobs.ts";
import type { Background, Jobs } from "./jobs.ts";

/** Single-use links, challenges, codes and tokens: an expired one proves nothing, used or not. */
const SINGLE_USE = [
  ...["email_links", "sign_in_challenges", "passkey_ceremonies", "provider_requests"],
  ...["oauth_codes", "oauth_refresh_tokens"],
];

/** Grants without any remaining credential, and registered clients that were never granted anything. */
const FORGOTTEN = [
  `delete from oauth_grants g where updated_at < now() - interval '90 days'
    and not exists (select from credentials where grant_id = g.id)
    and not exists (select from oauth_refresh_tokens where grant_id = g.id)
    and not exists (select from oauth_codes where grant_id = g.id)
    and not exists (select from push_endpoints where grant_id = g.id)`,
  `delete from oauth_clients c where reviewed_at is null and created_at < now() - interval '30 days'
    and not exists (select from oauth_grants where client_id = c.id)`,
];

/** Operations whose idempotency keys live as long as the resources they created. */
const KEPT = ["postDiscussMessage", "createDiscussTurn"];

/** Idempotency keys live 24 hours, dead credentials 30 days; a journal place is valid for three days. */
const SWEEPS = {
  sweep_idempotency_keys: `delete from idempotency_keys
    where created_at < now() - interval '24 hours' and operation <> all ('{${KEPT.join()}}')`,
  sweep_mail: "delete from mail_outbox where created_at < now() - interval '30 days'",
  sweep_single_use: SINGLE_USE.map((table) => `delete from ${table} where expires_at < now() - interval '1 day'`).join(
    ";",
  ),
  sweep_attempt_limits: SWEEP_ATTEMPTS,
  sweep_jobs: SWEEP_EXHAUSTED,
  sweep_oauth: FORGOTTEN.join(";"),
  sweep_credentials: "delete from credentials where expires_at < now() - interval '30 days'",
  sweep_private_changes: "delete from private_changes where occurred_at < now() - interval '7 days'",
  // Proofs begin at the last mark, so it is never deleted.
  sweep_journal_marks: `delete from journal_marks
      where marked_at < now() - interval '4 days' and position < (select max(position) from journal_marks)`,
};

export const background: Background = {
  schedule: `
23 * * * * sweep_idempotency_keys
41 * * * * sweep_credentials
47 * * * * sweep_mail
53 * * * * sweep_single_use
11 * * * * sweep_private_changes
9 * * * * sweep_journal_marks
*/10 * * * * sweep_attempt_limits
3 4 * * * sweep_jobs
17 4 * * * sweep_oauth`,
  jobs: () =>
    Object.fromEntries(
      Object.entries(SWEEPS).map(([name, sql]): [string, Jobs[string]] => [
        name,
        (_payload, { query }) => query(sql).then(() => {}),
      ]),
    ),
};
