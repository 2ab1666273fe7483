// What a caller may do in a Project: the Workspace role, narrowed or widened by the Project role. Pure.
import type { Role } from "../kernel/authenticate.ts";
import { may } from "../workspaces/rules.ts";

export type ProjectRole = "lead" | "member" | "viewer";
export type WorkCapability = "work:read" | "work:write" | "work:manage";

/** A Workspace viewer writes nothing anywhere; a Project viewer reads only; a lead manages this Project. */
export function workCapabilities(role: Role, projectRole: ProjectRole | null): WorkCapability[] {
  if (may(role, "work:manage")) return ["work:read", "work:write", "work:manage"];
  if (!may(role, "work:write") || projectRole === "viewer") return ["work:read"];
  return projectRole === "lead" ? ["work:read", "work:write", "work:manage"] : ["work:read", "work:write"];
}
