// The signed-in person's own account.
import * as contract from "@svc/contract/account/account.ts";
import { canonicalLanguage } from "@svc/contract/types.ts";
import { account, implement } from "../kernel/implement.ts";
import { refuseAt } from "../kernel/problem.ts";
import { cachedSql, changes } from "../kernel/sql.ts";
import { render } from "../kernel/view.ts";
import { ownAccount } from "./access.ts";
import { accountUpdated, interfaceLanguageChanged } from "./events.ts";
import { isReservedUsername } from "./rules.ts";
import { type AccountRow, SELECT_ACCOUNT } from "./view.ts";

export const getMe = implement(contract.getMe, account(), async ({ tx, principal }) => {
  const row = await tx.one<AccountRow>(SELECT_ACCOUNT, [principal.userId, principal.workspaceId]);
  return render(row, row.capabilities);
});

const UPDATE = cachedSql(
  (assignments) => `update users set ${assignments}, revision = revision + 1, updated_at = now() where id = $1`,
);

export const updateMe = implement(contract.updateMe, ownAccount(), async ({ tx, principal, record }, { body }) => {
  const { userId, workspaceId } = principal;
  if (body.username !== undefined && isReservedUsername(body.username)) return refuseUsername();
  const locale = body.locale === undefined ? {} : { locale: canonicalLanguage(body.locale) };
  const { assignments, values, fields } = changes({ ...body, ...locale }, 1);
  const [, row] = await Promise.all([
    tx.rows(UPDATE(assignments), [userId, ...values]),
    tx.one<AccountRow>(SELECT_ACCOUNT, [userId, workspaceId]),
  ]);
  record(accountUpdated({ kind: "account", id: userId }, { fields }));
  return render(row, row.capabilities);
});

function refuseUsername(): never {
  return refuseAt("/body/username", "username_taken", "is taken or reserved");
}

const LANGUAGE = `
update credentials c set language = $2, updated_at = now() from users u
where c.id = $1 and u.id = c.user_id returning coalesce(c.language, u.locale) as interface_language`;

export const replaceInterfaceLanguage = implement(
  contract.replaceInterfaceLanguage,
  account(),
  async ({ tx, principal, record }, { body }) => {
    const { credentialId, userId } = principal;
    const language = body.language === null ? null : canonicalLanguage(body.language);
    record(interfaceLanguageChanged({ kind: "account", id: userId }, { credential_id: credentialId, language }));
    return tx.one<{ interface_language: string }>(LANGUAGE, [credentialId, language]);
  },
);
