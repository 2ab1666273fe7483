// Email about an endpoint that the service has disabled: to its creator while they manage webhooks, else to everybody
// who does.
import { inWorkspace } from "../../platform/background/jobs.ts";
import type { Database } from "../../platform/database/db.ts";
import type { ExternalSystems } from "../../platform/outside/external-systems.ts";
import { isolated, letter } from "../../platform/outside/letter.ts";
import { isFinal } from "../../platform/outside/mail.ts";

export interface NoticePayload {
  id: string;
  workspace_id: string;
  endpoint_id: string;
  actor_id: string;
}
const DISABLED = `
select w.name, w.disabled_reason as reason, s.name as workspace_name, u.email from webhook_endpoints w
join workspaces s on s.id = w.workspace_id
join memberships m on m.workspace_id = w.workspace_id and m.actor_id = $2 and m.state = 'active'
join users u on u.id = m.user_id and u.email_proved_at is not null
where w.workspace_id = current_workspace() and w.id = $1 and not w.enabled and w.deleted_at is null
  and w.disabled_reason is not null`;
interface Disabled {
  name: string;
  reason: keyof typeof reasons;
  workspace_name: string;
  email: string;
}
const reasons = {
  failing: "Nothing that was sent to it has been accepted for three days.",
  gone: "It answered that it is gone (410).",
  creator_left:
    "Its creator is no longer an active member, and it sends only what its creator sees. " +
    "Take it over in the settings to use it again.",
};
const KNOWN = "select from mail_outbox where id = $1";

export async function tellDisabled(
  { reader }: Pick<Database, "reader">,
  outside: ExternalSystems,
  payload: NoticePayload,
) {
  const { id, workspace_id, endpoint_id, actor_id } = payload;
  const [known, disabled] = await inWorkspace(reader, workspace_id, (tx) =>
    Promise.all([tx.rows(KNOWN, [id]), tx.maybe<Disabled>(DISABLED, [endpoint_id, actor_id])]),
  );
  if (known.length > 0 || !disabled) return;
  try {
    await outside.mail.send(letterAbout(outside.origin(), disabled), id);
  } catch (error) {
    if (!isFinal((error as Error).cause)) throw error;
  }
}

const letterAbout = (origin: string, { name, reason, workspace_name, email }: Disabled) =>
  letter({
    to: email,
    subject: `The webhook endpoint ${name} was disabled`,
    paragraphs: [
      `The webhook endpoint ${isolated(name)} of ${isolated(workspace_name)} was disabled.`,
      reasons[reason],
      "What happens from now on is not sent to it. What it missed so far is in its log, from which it can be sent " +
        "again once it is enabled.",
    ],
    action: { label: "Open the webhooks", url: `${origin}/settings/webhooks` },
    closing: ["You get this email because you manage the webhooks of this Workspace."],
  });
