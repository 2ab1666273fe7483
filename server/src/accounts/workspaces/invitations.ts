// Invitations: send, list, revoke, resend, accept. The mail server must accept the email before anything is written,
// and nothing is written if the Workspace no longer permits the invitation by then. There are two tokens, stored only
// as hashes: one is shown once to the creator, the other is only in the email, so that using it proves access to the
// mailbox.
import * as contract from "@svc/contract/accounts/workspaces/invitations.ts";
import { type Role, requireRecent } from "../../platform/kernel/authentication.ts";
import {
  type EffectsContext,
  implement,
  implementList,
  implementWithEffects,
  open,
} from "../../platform/kernel/implement-operation.ts";
import { extended, render } from "../../platform/kernel/view.ts";
import { LAST_ID, newId, newSecret } from "../../platform/wire/ids.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { ownAccount } from "../account/access.ts";
import { normalisedEmail } from "../account/rules.ts";
import { lockAccount } from "../account/store.ts";
import { invitation, ownWorkspaces, workspace } from "./access.ts";
import { addressVerified, invitationCreated, invitationResent, invitationRevoked } from "./events.ts";
import { findInvitation, join } from "./invite/accept-invitation.ts";
import { invitationLetter } from "./invite/invitation-letter.ts";
import {
  findOffer,
  type InvitationContext,
  putInvitation,
  type RequestedInvitation,
  revoke,
  standingOf,
} from "./invite/invitation-store.ts";
import { may, toldName, workspaceCapabilities } from "./rules.ts";
import { invitationView, workspaceView } from "./view.ts";

const LIST = `
select ${invitationView} as json, json_build_array(i.id)::text as key from invitations i
where i.workspace_id = current_workspace() and i.id < $1 order by i.id desc limit $2`;

export const listInvitations = implementList(contract.listInvitations, workspace("members:manage"), (tx, { page }) =>
  tx.rows(LIST, [page.after?.[0] ?? LAST_ID, page.limit + 1]),
);

export const createInvitation = implementWithEffects(
  contract.createInvitation,
  workspace("members:manage"),
  (context, { body }) => send(context, { email: normalisedEmail(body.email), role: body.role, replaces: null }),
);

export const resendInvitation = implementWithEffects(
  contract.resendInvitation,
  invitation(),
  async (context, { target }) => {
    if (target.state !== "pending" && target.state !== "expired") refuse("invitation_not_pending");
    return send(context, { email: target.email, role: target.role, replaces: target.id });
  },
);

async function send({ principal, read, limit, finish, outside }: EffectsContext, wanted: RequestedInvitation) {
  const { email, role, replaces } = wanted;
  if (role === "admin") requireRecent(principal);
  const before = await read((tx) => standingOf(tx, email, replaces));
  refuseUnless(before, wanted);
  // Limits per account and per mailbox, so that neither one account nor many can flood a recipient.
  await limit("mail", `from ${principal?.userId}`, `to ${email}`);
  const tokens = { answered: newSecret("inv"), mailed: newSecret("inv") };
  const { workspace_name: workspaceName, inviter } = before;
  await outside.mail.send(
    invitationLetter({ origin: outside.origin(), to: email, token: tokens.mailed, workspaceName, inviter }),
    newId(),
  );
  return finish(async ({ tx, record }) => {
    const [, { standing, replaced, row }] = await Promise.all([
      lockAccount(tx, principal?.userId ?? refuse("authentication_required")),
      putInvitation(tx, wanted, tokens),
    ]);
    refuseUnless(standing, wanted);
    if (replaces !== null && !replaced) refuse("invitation_not_pending");
    const made = { kind: "invitation", id: row.id };
    record(replaces === null ? invitationCreated(made) : invitationResent(made, { replaces }));
    return extended(render(row, ["invitation:resend", "invitation:revoke"]), { token: tokens.answered });
  });
}

function refuseUnless(
  { caller_role, member, pending, full }: InvitationContext,
  { replaces }: RequestedInvitation,
): void {
  if (caller_role === null) refuse("not_found");
  else if (!may(caller_role, "members:manage")) refuse(replaces === null ? "forbidden" : "not_found");
  const code = member ? "already_member" : pending ? "invitation_pending" : null;
  if (code === null && full) refuse("plan_limit");
  if (code === null) return;
  const detail = member ? "belongs to a member already" : "has a live invitation already";
  refuse(code, replaces === null ? { errors: [{ pointer: "/body/email", code, detail }] } : {});
}

export const revokeInvitation = implement(
  contract.revokeInvitation,
  invitation(),
  async ({ tx, record, defer }, { target: { id, state } }) => {
    if (state === "revoked") return;
    if (state !== "pending") refuse("invitation_not_pending");
    defer(revoke(tx, id));
    record(invitationRevoked({ kind: "invitation", id }));
  },
);

export const readInvitation = implementWithEffects(contract.readInvitation, open(), (context, { body }) =>
  context.transaction(async ({ tx }) => {
    const { expired, ...offer } = (await findOffer(tx, body.token)) ?? refuse("not_found");
    if (expired) refuse("invitation_expired");
    return { ...offer, workspace_name: toldName(offer.workspace_name), inviter_name: toldName(offer.inviter_name) };
  }),
);

const ENTERED = `
select ${workspaceView} as json, w.revision::text, m.role from ${ownWorkspaces} where w.id = current_workspace()`;
type Entered = { json: string; revision: string; role: Role };

export const acceptInvitation = implement(
  contract.acceptInvitation,
  ownAccount(),
  async (context, { body, target }) => {
    const { tx, principal, record } = context;
    const { userId } = principal;
    const found = (await findInvitation(tx, body.token, userId)) ?? refuse("not_found");
    const before = found.accepted_by_user_id;
    if (before !== null && before !== userId) refuse("not_found");
    if (before === null && found.email !== target.email) refuse("invitation_recipient_mismatch");
    if (before === null && found.expired) refuse("invitation_expired");
    const [joined, entered] = await join(context, found, userId, (joining) =>
      Promise.all([joining(), tx.maybe<Entered>(ENTERED)]),
    );
    if (!joined.again && (joined.former === "suspended" || joined.former === "invited"))
      refuse("membership_state_conflict");
    // An invitation that was used before does not readmit a member whose membership has ended since.
    if (!(joined.used || joined.again) || !entered) return refuse("not_found");
    if (joined.proved !== null) record(addressVerified({ kind: "account", id: userId }, { proved: joined.proved }));
    return render(entered, workspaceCapabilities(entered.role));
  },
);
