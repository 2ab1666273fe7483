// Workspaces and members on the wire. A query gives the Workspace as w, the membership as m and the person as u.
import { Member } from "@svc/contract/workspaces/members.ts";
import { WorkspaceRow } from "@svc/contract/workspaces/workspaces.ts";
import { view } from "../kernel/view.ts";

export const workspaceView = view(WorkspaceRow, "w", { role: "m.role" });

/** `mayManage` is the SQL of whether the caller manages members: addresses are for those who do. */
export const memberView = (mayManage: string) =>
  view(Member, "m", {
    display_name: "u.display_name",
    username: "u.username",
    email: `case when ${mayManage} then u.email end`,
  });
