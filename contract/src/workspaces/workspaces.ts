// Workspaces: the tenant. Everything else lives in one.
import Type from "typebox";
import { list, M, op, S } from "../kit.ts";
import { Name, nullable, object, Role, resource, Slug, single, Timestamp } from "../types.ts";

export const WorkspaceRow = object({
  ...resource,
  name: Name(100),
  slug: Slug,
  plan: Type.Enum(["free"]),
  role: Role,
  archived_at: nullable(Timestamp),
});
export const Workspace = single(WorkspaceRow);

export const listWorkspaces = list("GET /workspaces", "List the Workspaces you belong to", {
  description: "Those of your active memberships, oldest first.",
  auth: [S, M],
  query: object({
    archived: Type.Optional(
      Type.Boolean({
        description: "true: the archived ones that you own, and only those. Left out or false: none of them.",
      }),
    ),
  }),
  items: WorkspaceRow,
});

export const createWorkspace = op("POST /workspaces", "Create your one active Free Workspace", {
  description:
    "Creates the Workspace with your owner membership and the default workflow. The session is not switched.",
  auth: [S],
  status: 201,
  body: object({ name: Name(100), slug: Type.Optional(Slug) }),
  example: { name: "Analytical Engines" },
  returns: Workspace,
  errors: ["slug_taken", "free_workspace_claimed"],
});

export const bootstrapWorkspace = op("POST /workspaces/bootstrap", "Create your first Workspace and enter it", {
  description:
    "For an account without memberships. Creates the Workspace with your owner membership and the default workflow, moves the session into it and replaces both session cookies.",
  auth: [S],
  status: 201,
  session: "rotates",
  body: object({ name: Name(100), slug: Slug }),
  example: { name: "Analytical Engines", slug: "analytical-engines" },
  returns: Workspace,
  errors: ["slug_taken", "workspace_exists", "free_workspace_claimed"],
});

export const getWorkspace = op("GET /workspaces/{workspace_id}", "Read a Workspace", {
  description: "Any Workspace you belong to, not only the session's. An archived one is readable by its owners.",
  auth: [S],
  returns: Workspace,
});
