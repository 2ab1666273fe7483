// Creates and removes links, for every operation. Requires a locked Document, and that the caller sees both ends.
import { MOST_LINKS } from "@svc/contract/knowledge/documents/links/links.ts";
import type { Context } from "../../../platform/kernel/implement-operation.ts";
import { refuse } from "../../../platform/wire/problem.ts";
import { subjectOf } from "../events.ts";
import type { LinkTarget } from "./access.ts";
import { linkAdded, linkRemoved } from "./events.ts";
import * as store from "./store.ts";

const told = ({ to }: LinkTarget) => ({ target_kind: to.kind, target_id: to.id });

/** Requires that neither end is in the trash. */
export function requireStanding(target: LinkTarget): void {
  if (target.trashed) refuse("document_trashed");
  if (target.to.trashed) refuse("task_trashed");
}
/** Requires that both ends can be linked. */
export async function requireLinkable({ tx }: Context, target: LinkTarget): Promise<void> {
  requireStanding(target);
  if ((await store.countMade(tx, target.id)) >= MOST_LINKS) refuse("limit_reached");
}

/** Requires that requireLinkable has passed. */
export function link({ tx, member, record }: Context, target: LinkTarget) {
  record(linkAdded(subjectOf(target), told(target)));
  return store.insertLink(tx, member, target.id, target.to);
}

/** Removes only the manual link: references in the content stay. */
export function unlink({ tx, member, record, defer }: Context, target: LinkTarget): void {
  if (target.trashed) refuse("document_trashed");
  record(linkRemoved(subjectOf(target), told(target)));
  defer(store.deleteLink(tx, member.workspaceId, target.id, target.to));
}
