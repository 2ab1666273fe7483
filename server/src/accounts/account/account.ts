// Operations on the signed-in account.
import * as contract from "@svc/contract/accounts/account/account.ts";
import { canonicalLanguage } from "@svc/contract/types.ts";
import { cachedSql, changes, differing } from "../../platform/database/sql.ts";
import { type Access, account, implement } from "../../platform/kernel/implement-operation.ts";
import { refuseAt } from "../../platform/wire/problem.ts";
import { ownAccount } from "./access.ts";
import { accountUpdated, interfaceLanguageChanged } from "./events.ts";
import { isReservedUsername } from "./rules.ts";
import { type AccountRow, accountAnswer, SELECT_ACCOUNT, SELECT_OWN_ACCOUNT } from "./view.ts";

const ownAccountRow: Access<AccountRow> = {
  reach: "anywhere",
  load: (tx) => tx.maybe<AccountRow>(SELECT_OWN_ACCOUNT),
  permits: () => true,
};

export const getMe = implement(contract.getMe, ownAccountRow, async ({ principal }, { target }) =>
  accountAnswer(target, principal),
);

const UPDATE = cachedSql(
  (assignments) => `update users set ${assignments}, revision = revision + 1, updated_at = now() where id = $1`,
);

export const updateMe = implement(contract.updateMe, ownAccount(), async (context, { target, body }) => {
  const { tx, principal, record } = context;
  const { userId, workspaceId } = principal;
  const locale = body.locale === undefined ? {} : { locale: canonicalLanguage(body.locale) };
  const changed = differing({ ...body, ...locale }, target);
  if (changed?.username !== undefined && isReservedUsername(changed.username)) return refuseUsername();
  const { assignments, values, fields } = changes(changed ?? {}, 1);
  const [, row] = await Promise.all([
    changed && tx.rows(UPDATE(assignments), [userId, ...values]),
    tx.one<AccountRow>(SELECT_ACCOUNT, [userId, workspaceId]),
  ]);
  if (changed) record(accountUpdated({ kind: "account", id: userId }, { fields }));
  return accountAnswer(row, principal);
});

function refuseUsername(): never {
  return refuseAt("/body/username", "username_taken", "is taken or reserved");
}

const LANGUAGE = `
with changed as (
  update credentials set language = $2, updated_at = now() where id = $1 and language is distinct from $2 returning id
)
select coalesce($2, u.locale) as interface_language, exists (select from changed) as changed from users u
where u.id = $3`;

export const replaceInterfaceLanguage = implement(
  contract.replaceInterfaceLanguage,
  account(),
  async ({ tx, principal, record }, { body }) => {
    const { credentialId, userId } = principal;
    const language = body.language === null ? null : canonicalLanguage(body.language);
    const { interface_language, changed } = await tx.one<{ interface_language: string; changed: boolean }>(LANGUAGE, [
      ...[credentialId, language, userId],
    ]);
    if (changed)
      record(interfaceLanguageChanged({ kind: "account", id: userId }, { credential_id: credentialId, language }));
    return { interface_language };
  },
);
