// Access rules of attachments: an attachment is visible to everyone who can see what it is attached to, and before that
// only to its uploader. Reservations are visible only to their owner. Files of a private stream are not attachments and
// are never visible here.

import { may } from "../../accounts/workspaces/rules.ts";
import { locked } from "../../platform/database/sql.ts";
import type { Access, Context } from "../../platform/kernel/implement-operation.ts";
import {
  callerNarrowed,
  capabilities,
  type InProject,
  inProject,
  projectOfCaller,
  projectVisible,
  unlessArchived,
} from "../projects/access.ts";
import { workCapabilities } from "../projects/rules.ts";
import { available, mayDelete, type ScanState } from "./rules.ts";
import { attachmentView } from "./view.ts";

export interface AttachmentTarget extends InProject {
  id: string;
  revision: string;
  filename: string;
  content_type: string;
  scan_state: ScanState;
  has_thumbnail: boolean;
  undrawable: boolean;
  uploaded_by_actor_id: string;
  attached: boolean;
  task_id: string | null;
  document_id: string | null;
  project_id: string | null;
  json: string;
}

/** Joins the target of attachment a: the Task t or Document d, and its Project p. */
export const placeOfAttachment = `
left join tasks t on t.workspace_id = a.workspace_id and t.id = a.task_id
left join documents d on d.workspace_id = a.workspace_id and d.id = a.document_id
left join (projects p ${projectOfCaller}) on p.workspace_id = a.workspace_id
  and p.id = case when a.task_id is not null then t.project_id when a.document_id is not null then d.project_id
    else a.project_id end`;
export const attachmentVisible = `(a.state = 'stored' and not a.private and (
  (p.id is not null and ${projectVisible}) or (d.id is not null and d.project_id is null and not ${callerNarrowed})
    or (a.attached_at is null and a.uploaded_by_actor_id = current_actor())))`;
export const LOAD = `
select a.id, a.revision::text, a.filename, a.content_type, a.scan_state, a.has_thumbnail, a.undrawable,
  a.uploaded_by_actor_id,
  a.task_id, a.document_id, a.attached_at is not null as attached, p.id as project_id, ${inProject},
  ${attachmentView} as json
from attachments a ${placeOfAttachment}
where a.workspace_id = current_workspace() and a.id = $1 and ${attachmentVisible}`;
const CHANGE = `${LOAD} for no key update of a`;

type Caller = Pick<Context, "member">;
const isOwn = ({ member }: Caller, target: AttachmentTarget) => target.uploaded_by_actor_id === member.actorId;

export const attachment = (action: "read" | "delete"): Access<AttachmentTarget> => ({
  reach: "membership",
  load: (tx, { attachment_id }, change) =>
    change ? locked<AttachmentTarget>(tx, CHANGE, [attachment_id]) : tx.maybe<AttachmentTarget>(LOAD, [attachment_id]),
  permits: (context, target) =>
    action === "read" ||
    unlessArchived(
      mayDelete(workCapabilities(context.member.role, target.project_role), isOwn(context, target)),
      target,
    ),
});

export const attachmentCapabilities = (caller: Caller, target: AttachmentTarget) =>
  available(capabilities(caller, target), { ...target, own: isOwn(caller, target) });

export interface UploadTarget {
  id: string;
  state: "reserved" | "stored";
  is_private: boolean;
  expired: boolean;
  content_type: string;
  size: number;
  sha256: string;
}
/** One of the caller's own uploads, private or not. */
export const LOAD_UPLOAD = `
select a.id, a.state, a.private as is_private, a.expires_at <= now() as expired, a.content_type, a.size::float8 as size,
  encode(a.sha256, 'hex') as sha256
from attachments a
where a.workspace_id = current_workspace() and a.id = $1 and a.state <> 'deleted'
  and a.uploaded_by_actor_id = current_actor()`;

const writes = ({ member }: Context) => may(member.role, "work:write");
/** Any member who may write work. */
export const uploader = (): Access<null> => ({ reach: "membership", load: async () => null, permits: writes });
/**
 * One of the caller's own uploads, completed or not: of an attachment (requires `work:write`), or of a private file
 * (any member).
 */
export const upload = (isPrivate = false): Access<UploadTarget> => ({
  reach: "membership",
  load: async (tx, params, change) => {
    const sql = change ? `${LOAD_UPLOAD} for no key update` : LOAD_UPLOAD;
    const found = await tx.maybe<UploadTarget>(sql, [params.upload_id]);
    return found?.is_private === isPrivate ? found : undefined;
  },
  permits: isPrivate ? () => true : writes,
});
