// Whether one may change an open Task: by the role in the Workspace, and by what the service said of this Task, which knows of Projects, too.
import { useMayWrite } from "../../store/me.ts";
import type { Task } from "../../store/rows.ts";

export function useMayChange({ trashed_at, capabilities }: Task): boolean {
  const mayWrite = useMayWrite();
  return mayWrite && trashed_at === null && (capabilities?.includes("work:write") ?? true);
}
