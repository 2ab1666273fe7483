// Wire representation of Workspaces, members and invitations. The query must provide the Workspace as w, the membership
// as m, the person as u and the invitation as i.
import { InvitationRow } from "@svc/contract/accounts/workspaces/invitations.ts";
import { McpServiceCredential } from "@svc/contract/accounts/workspaces/mcp-credentials.ts";
import { Member } from "@svc/contract/accounts/workspaces/members.ts";
import { WorkspaceRow } from "@svc/contract/accounts/workspaces/workspaces.ts";
import { view } from "../../platform/database/view.ts";
import { pictureUrl } from "../account/view.ts";

export const workspaceView = view(WorkspaceRow, "w", { role: "m.role", has_icon: "w.icon_key is not null" });

/**
 * `mayManage` is the SQL for whether the caller manages members: only then are addresses included, and only proved
 * ones.
 */
export const memberView = (mayManage: string) =>
  view(Member, "m", {
    display_name: "u.display_name",
    username: "u.username",
    picture_url: `case when m.state <> 'invited' then ${pictureUrl("m.workspace_id")} end`,
    email: `case when ${mayManage} and u.email_proved_at is not null then u.email end`,
  });

export const mcpServiceCredentialView = view(McpServiceCredential, "c");

/** State of an invitation: a stored pending one counts as expired once its time is over. */
export const invitationState =
  "case when i.state = 'pending' and i.expires_at <= now() then 'expired' else i.state end";
export const invitationView = view(InvitationRow, "i", { state: invitationState });
