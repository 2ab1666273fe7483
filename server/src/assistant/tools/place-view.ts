// Display names of places in the index.
import type { OperationCaller } from "./operation-calls.ts";

/** A place in the index, with the resource that contains it. */
export interface PassagePlace {
  kind: string;
  id: string;
  revision: string;
  start: number;
  end: number;
}
export interface PlaceName {
  title: string;
  url: string | null;
  /** Code of the Task that it is, or is part of. */
  code: string | null;
}
const referenceKind = (kind: string) => (kind.startsWith("task_") ? "task" : kind);
const CODE_OF_URL = /\/tasks\/([A-Z][A-Z0-9]{0,9}-\d+)$/;
/** Names of places by id, under the caller's rights; a hidden one has no name. */
export async function namesOf(call: OperationCaller, places: readonly PassagePlace[]): Promise<Map<string, PlaceName>> {
  const references = [...new Map(places.map(({ kind, id }) => [id, { kind: referenceKind(kind), id }])).values()];
  const found = new Map<string, PlaceName>();
  if (references.length === 0) return found;
  const { body } = await call("resolveReferences", { body: { references: references.slice(0, 20) } });
  for (const { id, state, title, url } of body.items)
    if (state === "available") found.set(id, { title, url, code: CODE_OF_URL.exec(url ?? "")?.[1] ?? null });
  return found;
}
