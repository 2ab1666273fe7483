// Inverses of changes to labels and to how Projects show them. A label that was removed from resources is not put back
// on them: no receipt records which had it.
import { anyOverride, deletedLabel, label, removedLabel } from "../../../planning/labels/access.ts";
import { changeLabel, dropUnused, reviveLabel, showLabel } from "../../../planning/labels/definition-change.ts";
import { isUsed, type Override, roomFor } from "../../../planning/labels/store.ts";
import { settle } from "../../../platform/kernel/context.ts";
import { refuse } from "../../../platform/wire/problem.ts";
import {
  conflict,
  each,
  hindered,
  type Inverse,
  movedOn,
  type OrderedEffect,
  reach,
  requireNone,
  same,
} from "../conflict.ts";
import { undoFields } from "./field-inverse.ts";

const nameTaken = (done: OrderedEffect) => hindered(done, "name", "name_taken", "is the name of another one");

export const undoLabelChanges: Inverse = undoFields({
  access: label("work:manage"),
  param: "label_id",
  fields: ({ json }) => JSON.parse(json),
  async hindrances({ tx, member }, done, { name }) {
    const room = name === undefined ? undefined : await roomFor(tx, member.workspaceId, done, name as string);
    return room?.taken ? [nameTaken(done)] : [];
  },
  write: (context, target, before, was) => context.defer(changeLabel(context, target, before, was)),
});

export const undoLabelsCreated: Inverse = each(async (context, done, change) => {
  const { tx, member } = context;
  const [target, used] = await settle([
    reach(context, done, removedLabel("work:write"), { label_id: done.id }, change),
    isUsed(tx, member.workspaceId, done.id),
  ]);
  if (used) conflict([movedOn(done)]);
  return () => dropUnused(context, target);
});
export const undoLabelsDeleted: Inverse = each(async (context, done, change) => {
  if (done.payload.stripped !== false) refuse("not_undoable");
  const { tx, member } = context;
  const [target, room] = await settle([
    reach(context, done, deletedLabel, { label_id: done.id }, change),
    roomFor(tx, member.workspaceId, done, null),
  ]);
  requireNone([
    ...(room?.taken ? [nameTaken(done)] : []),
    ...(room?.full ? [hindered(done, "", "limit_reached", "there are as many as there can be")] : []),
  ]);
  return () => reviveLabel(context, target);
});

export const undoOverrides: Inverse = each(async (context, done, change) => {
  const { from, to } = done.payload as { from: Override | null; to: Override | null };
  const params = { project_id: done.project_id as string, label_id: done.id };
  const target = await reach(context, done, anyOverride(), params, change);
  if (!same(target.before, to)) conflict([movedOn(done)]);
  return () => context.defer(showLabel(context, target, from));
});
