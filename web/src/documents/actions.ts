// Document commands of the pages. Each is one operation of the service, applied optimistically.
import type { Replica } from "../store/replica.ts";
import type { Document } from "../store/rows.ts";
import { byParent, groupOf } from "./tree-rows.ts";

type Fields = Partial<Pick<Document, "title" | "icon" | "parent_id" | "project_id">> & {
  archived?: boolean;
  published?: boolean;
};
export const change = (replica: Replica, { id }: Pick<Document, "id">, fields: Fields) =>
  replica.make("updateDocument", { ids: [id], input: { document_id: replica.store.real(id), ...fields } });

export function create(
  replica: Replica,
  place: Pick<Document, "parent_id" | "project_id">,
  fields: { title: string; markdown?: string },
): string {
  const { store, member } = replica;
  const ids = store.group("document", byParent, groupOf(place)).ids;
  const last = ids.at(-1);
  return replica.make("createDocument", {
    input: {
      workspace_id: member.workspaceId,
      ...(place.parent_id === null ? { project_id: place.project_id } : { parent_id: place.parent_id }),
      ...fields,
    },
    guess: {
      workspace_id: member.workspaceId,
      created_by_actor_id: member.actorId,
      project_id: place.project_id,
      position: (last ? (store.get("document", last)?.position ?? 0) : 0) + 1,
    },
    creates: true,
  });
}

export interface Spot {
  parent_id: string | null;
  project_id: string | null;
  /** Sibling to insert after; null inserts first. */
  after: string | null;
}
/** Moves a Document with its subtree. Returns false if the target is inside that subtree. */
export function move(replica: Replica, id: string, spot: Spot): boolean {
  const { store } = replica;
  const row = store.get("document", id);
  if (!row || spot.after === id) return false;
  for (let above = spot.parent_id; above; above = store.get("document", above)?.parent_id ?? null)
    if (above === row.id) return false;
  const ids = store.group("document", byParent, groupOf(spot)).ids.filter((each) => each !== row.id);
  const at = spot.after === null ? 0 : ids.indexOf(spot.after) + 1;
  const [before, behind] = [ids[at - 1], ids[at]].map((each) =>
    each ? store.get("document", each)?.position : undefined,
  );
  const position = before === undefined ? (behind ?? 1) - 1 : behind === undefined ? before + 1 : (before + behind) / 2;
  const moves = row.parent_id !== spot.parent_id;
  const leaves = row.project_id !== spot.project_id;
  replica.make("updateDocument", {
    ids: [row.id],
    input: {
      document_id: row.id,
      ...(moves && { parent_id: spot.parent_id }),
      ...(leaves && spot.parent_id === null && { project_id: spot.project_id }),
      after_document_id: ids[at - 1] ?? null,
    },
    guess: { position, project_id: spot.project_id },
  });
  return true;
}

export const trash = (replica: Replica, { id }: Document) =>
  replica.make("trashDocument", { ids: [id], input: { document_id: id } });
export const restore = (replica: Replica, { id }: Document) =>
  replica.make("restoreDocument", { ids: [id], input: { document_id: id } });
