// Inverses of adding or removing a link between a Document and a Task or Milestone: by the same code as any other
// change, while the link is as the command left it.
import { documentAndTarget } from "../../../knowledge/documents/links/access.ts";
import { link, requireLinkable, unlink } from "../../../knowledge/documents/links/change.ts";
import type { Context } from "../../../platform/kernel/implement-operation.ts";
import {
  conflict,
  each,
  gone,
  type Inverse,
  movedOn,
  type OrderedEffect,
  reach,
  withoutHindrance,
} from "../conflict.ts";

/** Loads both ends, and requires that a manual link exists or not, as `made` says. */
async function ends(context: Context, done: OrderedEffect, made: boolean, change: boolean) {
  const { target_kind, target_id } = done.payload as Partial<Record<string, string>>;
  // The events of a deleted Document have no payload.
  if (target_kind === undefined || target_id === undefined) return conflict([gone(done)]);
  const params = { document_id: done.id, target_kind, target_id };
  const target = await reach(context, done, documentAndTarget, params, change);
  if (target.origins.includes("manual") !== made) conflict([movedOn(done)]);
  return target;
}

export const undoLinksAdded: Inverse = each(async (context, done, change) => {
  const target = await ends(context, done, true, change);
  return () => unlink(context, target);
});
export const undoLinksRemoved: Inverse = each(async (context, done, change) => {
  const target = await ends(context, done, false, change);
  await withoutHindrance(done, () => requireLinkable(context, target));
  return () => context.defer(link(context, target));
});
