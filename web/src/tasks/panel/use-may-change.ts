// True if the member may edit an open Task: it depends on the role in the Workspace and on the capabilities that the
// service returned for this Task, which consider its Project.
import { useMayWrite } from "../../store/current-member.ts";
import type { Task } from "../../store/rows.ts";

export function useMayChange({ trashed_at, capabilities }: Task): boolean {
  const mayWrite = useMayWrite();
  return mayWrite && trashed_at === null && (capabilities?.includes("work:write") ?? true);
}
