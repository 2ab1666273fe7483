// SQL of accounts and sessions.
import type { Queries } from "../kernel/db.ts";
import { newId, newSecret, sha256 } from "../kernel/ids.ts";

export interface NewAccount {
  id: string;
  email: string;
  displayName: string;
  username: string;
  passwordHash: string | null;
}
export const insertAccount = (tx: Queries, account: NewAccount) =>
  tx.rows("insert into users (id, email, display_name, username, password_hash) values ($1, $2, $3, $4, $5)", [
    account.id,
    account.email,
    account.displayName,
    account.username,
    account.passwordHash,
  ]);

/** A session lasts 30 days, or 48 hours where it is not to be remembered; the database's clock decides. */
export async function insertSession(tx: Queries, userId: string, workspaceId: string | null, remembered: boolean) {
  const secret = newSecret("ses");
  await tx.rows(
    `insert into credentials (id, kind, secret_hash, user_id, workspace_id, remembered, expires_at)
     values ($1, 'session', $2, $3, $4, $5, now() + case when $5 then interval '30 days' else interval '48 hours' end)`,
    [newId(), sha256(secret), userId, workspaceId, remembered],
  );
  return secret;
}
