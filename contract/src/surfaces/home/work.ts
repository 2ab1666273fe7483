// Home and My Work as one read each: all data that a page draws at its start, in one snapshot, with the snapshot's
// position in the journal. A read that cannot be complete fails.
import Type from "typebox";
import { AccountRow } from "../../accounts/account/account.ts";
import { WorkspaceRow } from "../../accounts/workspaces/workspaces.ts";
import { Included } from "../../included-schemas.ts";
import { C, M, op, S, T } from "../../kit.ts";
import { ProjectShortcuts } from "../../planning/projects/shortcuts.ts";
import { MyWorkView } from "../../planning/tasks/own-work/work.ts";
import { SubscribedTask } from "../../planning/tasks/subscriptions/subscriptions.ts";
import { TaskRow } from "../../planning/tasks/tasks.ts";
import { Id, nullable, object, Revision, Role } from "../../types.ts";

/** Items in a list or a catalog. */
export const MOST_IN_LIST = 100;
export const MOST_LABEL_REFERENCES = 1_000;

const BOUNDS =
  "The answer is complete or refused: at most two seconds (503 baseline_unavailable), 1,048,576 " +
  `bytes, ${MOST_IN_LIST} items to a list and to a catalog, and ${MOST_LABEL_REFERENCES} label ` +
  "references to a list (409 baseline_bounds).";

const standing = {
  cursor: Type.String({
    maxLength: 4096,
    description: "Cursor in the journal of changes, for you and this session, token or grant.",
  }),
  position: Type.String({
    pattern: "^\\d{1,20}$",
    description: "The same position as a decimal number.",
    examples: ["48151623"],
  }),
};
const pageOf = <Item extends Type.TSchema>(items: Item) =>
  object({
    items: Type.Array(items, { maxItems: MOST_IN_LIST }),
    next_cursor: nullable(Type.String()),
    has_more: Type.Boolean(),
  });

export const HomeWork = object({
  view: MyWorkView,
  work: {
    ...pageOf(TaskRow),
    description:
      "Page of My Work; next_cursor continues here, and with the same view on GET " +
      "/workspaces/{workspace_id}/work.",
  },
  following: {
    ...nullable(pageOf(SubscribedTask)),
    description: "Page of followed Tasks; next_cursor continues on GET /workspaces/{workspace_id}/subscribed-tasks.",
  },
  catalogs: { ...Included, description: "Resources that the Tasks refer to, by id, as far as you see them." },
  ...standing,
});

export const getHomeWorkBaseline = op(
  "GET /workspaces/{workspace_id}/home-work-baseline",
  "Read a baseline of My Work",
  {
    description:
      "Returns one view of My Work and, with following=true, the first page of the Tasks that you " +
      `follow, in one snapshot with its position in the journal of changes. ${BOUNDS}`,
    auth: [S, M, T, C],
    stage: "upcoming",
    baseline: "always",
    query: object({
      view: MyWorkView,
      cursor: Type.Optional(
        Type.String({ minLength: 1, maxLength: 2048, description: "next_cursor of the preceding page." }),
      ),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MOST_IN_LIST,
          default: MOST_IN_LIST,
          description: "Maximum number of items of My Work.",
        }),
      ),
      following: Type.Optional(Type.Boolean({ default: false, description: "false: following is null." })),
    }),
    returns: HomeWork,
    errors: ["invalid_cursor"],
  },
);

const { id, revision, display_name, username, timezone, locale, week_start } = AccountRow.properties;
export const OwnHome = object({
  account: object({ id, revision, display_name, username, timezone, locale, week_start }),
  membership: object({ id: Id, actor_id: Id, role: Role, revision: Revision }),
  workspaces: Type.Array(WorkspaceRow, {
    maxItems: MOST_IN_LIST,
    description: "Workspaces that you belong to, oldest first; with a token, the one that it is valid in.",
  }),
  project_shortcuts: { ...nullable(ProjectShortcuts), description: "Present with a browser session." },
  inbox: {
    ...nullable(object({ unread_count: Type.Integer({ minimum: 0 }), unread_count_capped: Type.Boolean() })),
    description: "Present with a browser session or a native token.",
  },
  ...standing,
});

export const getOwnHomeWorkBaseline = op("GET /me/home-work-baseline", "Read a baseline of your Home", {
  description:
    "Returns your identity in the given Workspace, which must be that of your session or token, in one " +
    `snapshot with its position in the journal of changes. ${BOUNDS}`,
  auth: [S, M, T, C],
  stage: "upcoming",
  baseline: "always",
  query: object({ workspace_id: Id }),
  returns: OwnHome,
  errors: ["not_found"],
});
