// Attachments of Tasks and Projects: attach, list, read, give out for five minutes, delete. What waits for the scanner is not given out, and what a
// caller cannot see is not told of.
import * as contract from "@svc/contract/attachments/attachments.ts";
import { type EffectsContext, implement, implementList, implementWithEffects } from "../kernel/implement.ts";
import { render } from "../kernel/view.ts";
import type { Grant } from "../outside/outside.ts";
import { PICTURE } from "../outside/picture.ts";
import { capabilities, type InProject, insideProject, project } from "../projects/access.ts";
import { insideTask, task } from "../tasks/access.ts";
import { LAST_ID } from "../wire/ids.ts";
import { refuse, refuseAt } from "../wire/problem.ts";
import { type AttachmentTarget, attachment, attachmentCapabilities } from "./access.ts";
import { attachmentAdded, attachmentDeleted } from "./events.ts";
import { available, isGiven, isShown, URL_SECONDS } from "./rules.ts";
import * as store from "./store.ts";

const after = (page: { after: readonly unknown[] | null }) => (page.after ?? ["infinity", LAST_ID]) as [string, string];

export const listTaskAttachments = implementList(
  contract.listTaskAttachments,
  insideTask("work:read"),
  (tx, { params, page }) => store.list(tx, "task_id", params.task_id, after(page), page.limit + 1),
);
export const listProjectAttachments = implementList(
  contract.listProjectAttachments,
  insideProject("work:read"),
  (tx, { params, page }) => store.list(tx, "project_id", params.project_id, after(page), page.limit + 1),
);
export const listProjectTaskAttachments = implementList(
  contract.listProjectTaskAttachments,
  insideProject("work:read"),
  (tx, { params, page }) => store.list(tx, "task_project_id", params.project_id, after(page), page.limit + 1),
);

/** Refuses unless it was attached. Of one that is not the caller's, or attached already, no more is said than of one that is not there. */
function attached(row: Awaited<ReturnType<typeof store.attachToTask>>) {
  const { found, room, id } = row;
  if (found === null)
    return refuseAt("/body/attachment_id", "invalid_reference", "is no file of yours that is attached nowhere");
  if (found === "infected") return refuse("attachment_infected");
  if (!room || id === null) return refuse("limit_reached");
  return { ...row, id };
}
const shown = (row: ReturnType<typeof attached>, work: ReturnType<typeof capabilities>) =>
  render(row, available(work, { ...row, attached: true, own: true }));

export const attachToTask = implement(contract.attachToTask, task("work:write"), async (context, { target, body }) => {
  const { tx, member, record } = context;
  const { id: taskId, project_id: projectId } = target;
  if (target.trashed) refuse("task_trashed");
  const row = attached(await store.attachToTask(tx, member.workspaceId, body.attachment_id, taskId, projectId));
  record(attachmentAdded({ kind: "attachment", id: row.id, projectId, taskId }));
  return shown(row, capabilities(context, target));
});

export const attachToProject = implement(
  contract.attachToProject,
  project("work:write"),
  async (context, { target, body }) => {
    const { tx, member, record } = context;
    const row = attached(await store.attachToProject(tx, member.workspaceId, body.attachment_id, target.id));
    record(attachmentAdded({ kind: "attachment", id: row.id, projectId: target.id }));
    return shown(row, capabilities(context, target as InProject));
  },
);

export const getAttachment = implement(contract.getAttachment, attachment("read"), async (context, { target }) =>
  render(target, attachmentCapabilities(context, target)),
);

export const deleteAttachment = implement(
  contract.deleteAttachment,
  attachment("delete"),
  async ({ tx, member, record, enqueue, defer }, { target }) => {
    const { id, project_id: projectId, task_id: taskId } = target;
    defer(store.discard(tx, member.workspaceId, id));
    enqueue("discard_attachment", { workspace_id: member.workspaceId, id });
    record(
      attachmentDeleted({ kind: "attachment", id, projectId, taskId }, { task_id: taskId, project_id: projectId }),
    );
  },
);

const withheld = { pending: "scan_pending", infected: "attachment_infected", failed: "scan_failed" } as const;
function requireGiven({ scan_state }: AttachmentTarget): void {
  if (!isGiven(scan_state)) refuse(withheld[scan_state]);
}

/** By the clock of the process, which is the one that the URL is signed with. */
async function give({ outside, finish }: EffectsContext, key: string, contentType: string, more: Partial<Grant> = {}) {
  const expires_at = new Date(Date.now() + URL_SECONDS * 1000).toISOString();
  const url = await outside.storage.signedUrl({ method: "GET", key, seconds: URL_SECONDS, ...more });
  return finish(async () => ({ url, content_type: contentType, expires_at }));
}

export const downloadAttachment = implementWithEffects(
  contract.downloadAttachment,
  attachment("read"),
  async (context, { target }) => {
    requireGiven(target);
    const { file } = store.objectKeys(context.member.workspaceId, target.id);
    return give(context, file, target.content_type, { filename: target.filename });
  },
);

export const previewAttachment = implementWithEffects(
  contract.previewAttachment,
  attachment("read"),
  async (context, { target }) => {
    requireGiven(target);
    if (!isShown(target)) refuse("preview_unavailable");
    const { file, thumbnail } = store.objectKeys(context.member.workspaceId, target.id);
    return target.has_thumbnail ? give(context, thumbnail, PICTURE.type) : give(context, file, target.content_type);
  },
);
