// What making and taking back a link does, whichever operation asks for it. The Document is locked, and both ends are seen.
import { MOST_LINKS } from "@svc/contract/knowledge/documents/links/links.ts";
import type { Context } from "../../../platform/kernel/implement.ts";
import { refuse } from "../../../platform/wire/problem.ts";
import { subjectOf } from "../events.ts";
import type { LinkTarget } from "./access.ts";
import { linkAdded, linkRemoved } from "./events.ts";
import * as store from "./store.ts";

const told = ({ to }: LinkTarget) => ({ target_kind: to.kind, target_id: to.id });

/** That neither of the two is in the trash. */
export function requireStanding(target: LinkTarget): void {
  if (target.trashed) refuse("document_trashed");
  if (target.to.trashed) refuse("task_trashed");
}
/** That nothing stands in the way of linking the two. */
export async function requireLinkable({ tx }: Context, target: LinkTarget): Promise<void> {
  requireStanding(target);
  if ((await store.countMade(tx, target.id)) >= MOST_LINKS) refuse("limit_reached");
}

/** Once it was found that they can be. */
export function link({ tx, member, record }: Context, target: LinkTarget) {
  record(linkAdded(subjectOf(target), told(target)));
  return store.insertLink(tx, member, target.id, target.to);
}

/** What the content names stays named. */
export function unlink({ tx, member, record, defer }: Context, target: LinkTarget): void {
  if (target.trashed) refuse("document_trashed");
  record(linkRemoved(subjectOf(target), told(target)));
  defer(store.deleteLink(tx, member.workspaceId, target.id, target.to));
}
