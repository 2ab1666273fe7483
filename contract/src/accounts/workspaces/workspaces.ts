// Workspaces are the tenants: every other resource belongs to one.
import Type from "typebox";
import { list, M, op, S } from "../../kit.ts";
import { Name, nullable, object, Role, resource, Slug, single, Timestamp } from "../../types.ts";

export const WorkspaceRow = object({
  ...resource,
  name: Name(100),
  slug: Slug,
  plan: Type.Enum(["free", "team", "business"]),
  role: Role,
  has_icon: Type.Boolean({ description: "GET /workspaces/{workspace_id}/icon/content returns it." }),
  archived_at: nullable(Timestamp),
});
export const Workspace = single(WorkspaceRow);

export const listWorkspaces = list("GET /workspaces", "List the Workspaces you belong to", {
  description: "Lists the Workspaces of your active memberships, oldest first.",
  auth: [S, M],
  query: object({
    archived: Type.Optional(
      Type.Boolean({
        description: "true: only the archived Workspaces that you own. Omitted or false: none of them.",
      }),
    ),
  }),
  items: WorkspaceRow,
});

const creating = {
  status: 201,
  creates: "/workspaces/{id}",
  body: object({ name: Name(100), slug: Type.Optional(Slug) }),
  example: { name: "Analytical Engines" },
  returns: Workspace,
  errors: ["slug_taken", "free_workspace_claimed"],
} as const;
const bootstrapping = {
  status: 201,
  creates: "/workspaces/{id}",
  body: object({ name: Name(100), slug: Slug }),
  example: { name: "Analytical Engines", slug: "analytical-engines" },
  returns: Workspace,
  errors: ["slug_taken", "workspace_exists", "free_workspace_claimed"],
} as const;

export const createWorkspace = op("POST /workspaces", "Create your one active Free Workspace", {
  description:
    "Creates the Workspace with your owner membership and the default workflow. " +
    "You hold the claim to a Free Workspace while you are an active owner of it; " +
    "then it passes to another owner. The session is not switched.",
  auth: [S],
  ...creating,
});

export const bootstrapWorkspace = op("POST /workspaces/bootstrap", "Create your first Workspace and enter it", {
  description:
    "For an account without active memberships in unarchived Workspaces. Creates the Workspace with your owner " +
    "membership and the default workflow, moves the session into it and replaces both session cookies.",
  auth: [S],
  session: "rotates",
  ...bootstrapping,
});

export const createMobileWorkspace = op(
  "POST /mobile/workspaces",
  "Create your one active Free Workspace from a native application",
  {
    description:
      "Works like POST /workspaces. Name the new Workspace in the path or X-Svc-Workspace-ID of later requests.",
    auth: [M],
    ...creating,
  },
);

export const bootstrapMobileWorkspace = op(
  "POST /mobile/workspaces/bootstrap",
  "Create your first Workspace from a native application",
  {
    description:
      "Works like POST /workspaces/bootstrap, but without cookies: a native token is valid in every " +
      "Workspace of yours.",
    auth: [M],
    ...bootstrapping,
  },
);

export const getWorkspace = op("GET /workspaces/{workspace_id}", "Read a Workspace", {
  description: "Returns any Workspace you belong to, not only the session's. Only owners can read an archived one.",
  auth: [S],
  returns: Workspace,
});

/** A request sets exactly one field: changing the slug breaks links, and restoring must be a request of its own. */
const WorkspaceChange = Type.Partial(
  Type.Object({
    name: Name(100),
    slug: Slug,
    archived: Type.Unsafe<false>({
      type: "boolean",
      enum: [false],
      description: "Restores an archived Workspace; owners only.",
    }),
  }),
  { additionalProperties: false, minProperties: 1, maxProperties: 1 },
);

export const updateWorkspace = op("PATCH /workspaces/{workspace_id}", "Rename, move or restore a Workspace", {
  description:
    "Takes exactly one of name, slug and archived, for any Workspace you belong to. " +
    "An archived Workspace accepts only archived: false; archive one with DELETE. " +
    "Restoring a Free Workspace claims it, and is refused while you hold the claim to another.",
  auth: [S],
  ifMatch: "required",
  body: WorkspaceChange,
  example: { name: "Analytical Engines Ltd" },
  returns: Workspace,
  errors: ["slug_taken", "free_workspace_claimed"],
});

export const archiveWorkspace = op("DELETE /workspaces/{workspace_id}", "Archive a Workspace", {
  description:
    "Only owners can archive it, and nothing is deleted. Sessions in it end at once, tokens bound to it are " +
    "disabled, and everything in it answers 404 until an owner restores it with PATCH. " +
    "Your own last active Workspace cannot be archived. Archiving the Workspace of this session clears " +
    "both cookies.",
  auth: [S],
  ifMatch: "optional",
  recentAuth: true,
  errors: ["last_workspace"],
});
