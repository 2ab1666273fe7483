// Name of the open Workspace, empty until the member is known.
import type { Home } from "../../store/current-member.ts";
import { useFact, useReplica } from "../../store/react.ts";

export function useWorkspaceName(): string {
  const home = useFact<Home>("home");
  const { member } = useReplica();
  return home?.workspaces.find(({ id }) => id === member.workspaceId)?.name ?? "";
}
