// What people call a Milestone: the service numbers those of each Project, and says "1" for ENG-M1.
import type { Store } from "../store/store.ts";

/** As it is read aloud; null where its Project is not here. */
export function milestoneCode(store: Pick<Store, "get">, code: string, projectId: string | null | undefined) {
  const key = projectId ? store.get("project", projectId)?.key : undefined;
  return key === undefined ? null : `${key}-M${code}`;
}

interface Coded {
  kind: string;
  code: string | null;
  project_id?: string | null;
}
/** Of anything that an event names. */
export const codeOf = (store: Pick<Store, "get">, { kind, code, project_id }: Coded) =>
  kind === "milestone" && code !== null ? milestoneCode(store, code, project_id) : code;
