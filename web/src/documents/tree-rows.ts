// Flattens the Document tree into visible lines: each expanded Document is followed by its children in order. Pure.
import type { Document } from "../store/rows.ts";
import type { Index } from "../store/sorted-index.ts";
import type { Store } from "../store/store.ts";

/** Sibling group of a Document: its parent, the top level of its Project, or the top level of the Workspace. */
export const groupOf = ({ parent_id, project_id }: Pick<Document, "parent_id" | "project_id">) =>
  parent_id ?? project_id ?? "workspace";

export const byParent: Index<Document> = {
  groups: (row) => (row.trashed_at || row.archived_at ? [] : [groupOf(row)]),
  compare: (one, other) => one.position - other.position,
};

export interface TreeRow {
  id: string;
  level: number;
  /** True if it has children and is expanded. */
  open: boolean;
  hasChildren: boolean;
  parentId: string | null;
  /** Ids of all siblings, itself included. */
  siblings: readonly string[];
  at: number;
}
export function linesOf(store: Store, group: string, open: ReadonlySet<string>): TreeRow[] {
  const lines: TreeRow[] = [];
  const add = (name: string, parentId: string | null, level: number) => {
    const { ids } = store.group("document", byParent, name);
    for (const [at, id] of ids.entries()) {
      const hasChildren = store.group("document", byParent, id).ids.length > 0;
      const isOpen = hasChildren && open.has(id);
      lines.push({ id, level, open: isOpen, hasChildren, parentId, siblings: ids, at });
      if (isOpen) add(id, id, level + 1);
    }
  };
  add(group, null, 1);
  return lines;
}

/** Ancestors, from the root to the direct parent. */
export function ancestorsOf(store: Store, id: string): Document[] {
  const found: Document[] = [];
  for (let above = store.get("document", id)?.parent_id ?? null; above; ) {
    const row = store.get("document", above);
    if (!row) break;
    found.unshift(row);
    above = row.parent_id;
  }
  return found;
}
