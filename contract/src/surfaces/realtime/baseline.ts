// The baseline of a realtime client: ids and revisions of the resources in a scope, and the position in the journal
// from which to subscribe.
import Type from "typebox";
import { C, M, op, S } from "../../kit.ts";
import { Id, nullable, object, Revision } from "../../types.ts";

/** Scopes that a query can name. Without one, the baseline covers the Workspace itself. */
export const namedScopes = [
  "projects",
  "task_comments",
  "account",
  "account_security",
  "inbox",
  "personal_projects",
  "discuss",
] as const;
/** Items in one page. */
export const MOST_ITEMS = 100;
export const MOST_COMMENTS = 2;
export const MOST_SEALED = 4096;

export const BaselineItem = object({
  kind: Type.String({ description: "For example project, comment or inbox_item." }),
  id: Id,
  revision: Revision,
  task_id: Type.Optional(Id),
});

export const Baseline = object({
  scope: Type.Enum(["workspace", ...namedScopes]),
  items: Type.Array(BaselineItem, {
    maxItems: MOST_ITEMS,
    description: "Ids and revisions of what you see in the scope, without content.",
  }),
  cursor: Type.String({
    maxLength: MOST_SEALED,
    description:
      "Cursor in the journal of changes, for you, this session or grant, and this scope. Every page has " +
      "that of the first.",
  }),
  position: Type.String({
    pattern: "^\\d{1,20}$",
    description: "The same position as a decimal number.",
    examples: ["48151623"],
  }),
  continuation: { ...nullable(Type.String({ maxLength: MOST_SEALED })), description: "Token of the next page." },
  has_more: Type.Boolean(),
});

export const getRealtimeBaseline = op("GET /realtime/baseline", "Read a realtime baseline", {
  description:
    "Returns one snapshot. Without scope it covers the Workspace itself: its own revision and that of " +
    "your membership. projects: those that are not archived, by key. task_comments: those of the Task " +
    "resource_id, in creation order. account: your own. account_security: your sessions, tokens, " +
    "grants, passkeys and identities. inbox: the items that are not archived, newest first. " +
    "personal_projects: your shortcuts and display preferences. discuss: your messages, newest first; " +
    "its position is a number of the conversation. continuation reads the next page of projects and " +
    "task_comments; if a page's content has changed since, it is refused with 409 revision_conflict: " +
    "start again. A native client names the Workspace in X-Svc-Workspace-ID; without it, only account " +
    "and account_security are available. The IDEs (svc-ide-a, svc-ide-b) are the only developer " +
    "clients that may read it: the Workspace, projects and task_comments.",
  auth: [S, M, C],
  stage: "upcoming",
  baseline: "always",
  workspaceHeader: true,
  query: object({
    scope: Type.Optional(Type.Enum([...namedScopes])),
    resource_id: Type.Optional({
      ...Id,
      description: "Id of the Task; required with task_comments, refused otherwise.",
    }),
    continuation: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MOST_SEALED,
        description: "Token of the next page, for projects and task_comments only.",
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MOST_ITEMS,
        description: "Maximum number of items in a page; for task_comments 1 or 2.",
      }),
    ),
  }),
  returns: Baseline,
  errors: ["invalid_cursor", "workspace_access_denied", "revision_conflict"],
});
