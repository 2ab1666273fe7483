// Attaches files to a Task, a Document or a Project, for every operation: all of them, or none. The target is locked,
// or was created by the same write.
import type { Context } from "../../platform/kernel/implement-operation.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { attachmentAdded } from "./events.ts";
import * as store from "./store.ts";

/**
 * Attaches the files; `pointer` locates each in the request. A file of somebody else, or one that is attached already,
 * is refused like a missing one.
 */
export async function attachFiles(
  { tx, member, record }: Context,
  to: store.AttachedTo,
  files: readonly { id: string; pointer: string }[],
) {
  const ids = [...new Set(files.map(({ id }) => id))];
  const found = await store.attach(tx, member.workspaceId, ids, to);
  const stateOf = new Map(found.map(({ id, scan_state }) => [id, scan_state]));
  const pointersOf = (state: string | undefined) => files.filter(({ id }) => stateOf.get(id) === state);
  const faults = (state: string | undefined, code: string, detail: string) =>
    pointersOf(state).map(({ pointer }) => ({ pointer, code, detail }));
  const missing = faults(undefined, "invalid_reference", "is no file of yours that is attached nowhere");
  if (missing.length > 0) refuse("invalid_reference", { errors: missing });
  const infected = faults("infected", "attachment_infected", "holds malware: delete it");
  if (infected.length > 0) refuse("attachment_infected", { errors: infected });
  if (found.some(({ room }) => !room)) refuse("limit_reached");
  const taskId = to.kind === "task" ? to.id : null;
  const told = to.kind === "document" ? { document_id: to.id } : {};
  for (const id of ids) record(attachmentAdded({ kind: "attachment", id, projectId: to.projectId, taskId }, told));
  return found;
}

/** Attaches a single file. */
export async function attachFile(context: Context, to: store.AttachedTo, id: string) {
  const [row] = await attachFiles(context, to, [{ id, pointer: "/body/attachment_id" }]);
  return row as NonNullable<typeof row>;
}
