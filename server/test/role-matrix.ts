// Who may call what, one row for each operation, written down from the specification and from the permissions of the
// interface's conventions, and not from what the service does; role-matrix.test.ts holds the service against it.
//
// The verbs: workspace:read|manage|archive, members:manage, work:read|write|manage, documents:read|write|manage,
// time:read|write|manage, integrations:manage, agents:read|run|manage, knowledge:read|manage, billing:manage,
// audit:read. A viewer has every read; a member read, write and run; an admin all but workspace:archive; an owner all.
// So a viewer and a member may not list invitations or MCP service credentials: of members and of integrations there is
// nothing but to manage, and addresses are told to managers only. A member makes and changes Milestones, which are
// work; what is taken from everybody's Tasks, and a Project with its workflow, is managed.
//
// The rules: a viewer reads the Workspace and writes nothing; an admin may do all that an owner may, save archiving the
// Workspace; a member reads and writes the work; the Project's lead manages that Project; a private Project is there
// for its members, owners and admins alone; 403 is said only of what the caller can read, anything else is 404.
//
// A cell is "ok" or the status. Somebody whose membership was suspended or removed is asked for twice, as in "401,404":
// with the session of that time, which has ended, and signed in again. W stands for /workspaces/{workspace_id}, P for
// /projects/{project_id}.

/** What any account may do: nobody is not signed in, a newcomer belongs to no Workspace, an outsider to another one. */
const ofAccounts = `
                                             nobody newcomer owner admin member viewer outsider suspended removed
GET    /lifecycle-behaviors                  401    ok       ok    ok    ok     ok     ok       401,ok    401,ok
GET    /workspace-creation-options           401    ok       ok    ok    ok     ok     ok       401,ok    401,ok
POST   /workspaces                           401    ok       409   ok    ok     ok     ok       401,ok    401,ok  # the owner has its one Free Workspace
POST   /workspaces/bootstrap                 401    ok       409   409   409    409    409      401,409   401,ok  # of no Workspace; a former member is of none
GET    /mobile/workspace-creation-options    401    ok       ok    ok    ok     ok     ok       ok,ok     ok,ok   # a native token is of no Workspace and does not end
POST   /mobile/workspaces                    401    ok       409   ok    ok     ok     ok       ok,ok     ok,ok
POST   /mobile/workspaces/bootstrap          401    ok       409   409   409    409    409      409,409   ok,ok
GET    /realtime/baseline                    401    403      ok    ok    ok     ok     ok       401,403   401,403 # without a scope: the Workspace of the session, which only these have
GET    /realtime                             401    ok       ok    ok    ok     ok     ok       401,ok    401,ok  # whoever is signed in; what may be followed is told then
GET    /me/billing-plans                     401    ok       ok    ok    ok     ok     ok       401,ok    401,ok
POST   /workspace-checkouts                  401    409      409   409   409    409    409      401,409   401,409 # whoever is signed in, where something is sold
POST   /invitations/accept                   401    ok       ok    ok    ok     ok     ok       401,ok    401,ok  # into yet another Workspace, at the caller's own address
GET    /public/projects/{public_id}          ok     ok       ok    ok    ok     ok     ok       ok,ok     ok,ok
GET    /public/documents/{public_id}         ok     ok       ok    ok    ok     ok     ok       ok,ok     ok,ok
POST   /public/documents/{public_id}/attachments/{attachment_id}/download  ok ok ok ok ok ok ok ok,ok ok,ok
POST   /public/documents/{public_id}/attachments/{attachment_id}/preview   ok ok ok ok ok ok ok ok,ok ok,ok
`;

const ofWorkspaces = `
                                                        owner admin member viewer outsider suspended removed
GET    W                                                ok    ok    ok     ok     404      401,404   401,404
PATCH  W                                                ok    ok    403    403    404      401,404   401,404
DELETE W                                                ok    403   403    403    404      401,404   401,404  # the one operation that is an owner's
GET    W/members                                        ok    ok    ok     ok     404      401,404   401,404
POST   W/members                                        ok    ok    403    403    404      401,404   401,404
PATCH  W/members/{member_id}                            ok    ok    403    403    404      401,404   401,404
DELETE W/members/{member_id}                            ok    ok    403    403    404      401,404   401,404
GET    W/invitations                                    ok    ok    403    403    404      401,404   401,404  # members:manage, as there is no members:read
POST   W/invitations                                    ok    ok    403    403    404      401,404   401,404
DELETE W/invitations/{invitation_id}                    ok    ok    404    404    404      401,404   401,404  # whoever may not list them learns of none
POST   W/invitations/{invitation_id}/resend             ok    ok    404    404    404      401,404   401,404
GET    W/activity                                       ok    ok    ok     ok     404      401,404   401,404
GET    W/activity/groups                                ok    ok    ok     ok     404      401,404   401,404
GET    /me/home-work-baseline                           ok    ok    ok     ok     404      401,404   401,404  # of the Workspace that the query names
GET    W/home-work-baseline                             ok    ok    ok     ok     404      401,404   401,404
GET    W/settings                                       ok    ok    ok     ok     404      401,404   401,404
PATCH  W/settings                                       ok    ok    403    403    404      401,404   401,404
POST   W/icon                                           ok    ok    403    403    404      401,404   401,404
DELETE W/icon                                           ok    ok    403    403    404      401,404   401,404
GET    W/icon/content                                   ok    ok    ok     ok     404      401,404   401,404
GET    W/ai-access-policy                               ok    ok    ok     ok     404      401,404   401,404
PUT    W/ai-access-policy                               ok    ok    403    403    404      401,404   401,404
GET    W/knowledge-settings                             ok    ok    ok     ok     404      401,404   401,404
PATCH  W/knowledge-settings                             ok    ok    403    403    404      401,404   401,404
GET    /workspace-checkouts/{checkout_id}               ok    404   404    404    404      401,404   401,404  # whoever began it
GET    W/billing-settings                               ok    ok    ok     ok     404      401,404   401,404
POST   W/checkout-sessions                              409   409   403    403    404      401,404   401,404  # billing:manage; nothing is sold here
POST   W/billing-portal-sessions                        409   409   403    403    404      401,404   401,404
POST   W/billing/knowledge-credit-top-ups               409   409   403    403    404      401,404   401,404
GET    W/knowledge/search                               ok    ok    ok     ok     404      401,404   401,404
GET    W/knowledge/answer                               ok    ok    ok     ok     404      401,404   401,404
GET    W/knowledge-repository                           ok    ok    403    403    404      401,404   401,404  # documents:manage, on all Documents
PUT    W/knowledge-repository                           ok    ok    403    403    404      401,404   401,404
PATCH  W/knowledge-repository                           ok    ok    403    403    404      401,404   401,404
GET    W/knowledge-repository/runs                      ok    ok    403    403    404      401,404   401,404
POST   W/knowledge-repository/sync                      ok    ok    403    403    404      401,404   401,404
POST   W/knowledge-repository/import                    ok    ok    403    403    404      401,404   401,404
GET    W/knowledge-repository/conflicts                 ok    ok    403    403    404      401,404   401,404
POST   W/knowledge-repository/conflicts/{conflict_id}/resolve ok    ok    404    404    404      401,404   401,404  # whoever may not list them learns of none
GET    W/mcp-service-credentials                        ok    ok    403    403    404      401,404   401,404  # integrations:manage, likewise
POST   W/mcp-service-credentials                        ok    ok    403    403    404      401,404   401,404
DELETE W/mcp-service-credentials/{credential_id}        ok    ok    404    404    404      401,404   401,404  # whoever may not list them learns of none
GET    W/statuses                                       ok    ok    ok     ok     404      401,404   401,404
POST   W/statuses                                       ok    ok    403    403    404      401,404   401,404
GET    W/lifecycle-definitions                          ok    ok    ok     ok     404      401,404   401,404
GET    W/lifecycle-completion-targets                   ok    ok    ok     ok     404      401,404   401,404
POST   W/lifecycle-definitions/{definition_id}/mapping-previews      ok ok 403 403 404 401,404 401,404  # it counts work in Projects that others do not see
POST   W/lifecycle-definitions/{definition_id}/mapping-applications  ok ok 403 403 404 401,404 401,404
GET    W/lifecycle-migrations/{job_id}                  ok    ok    ok     ok     404      401,404   401,404
POST   W/lifecycle-migrations/{job_id}/retry            ok    ok    403    403    404      401,404   401,404
GET    W/milestone-lifecycle                            ok    ok    ok     ok     404      401,404   401,404
PUT    W/milestone-lifecycle                            ok    ok    403    403    404      401,404   401,404
GET    W/project-lifecycle                              ok    ok    ok     ok     404      401,404   401,404
PATCH  W/project-lifecycle                              ok    ok    403    403    404      401,404   401,404
GET    W/project-states                                 ok    ok    ok     ok     404      401,404   401,404
POST   W/project-states                                 ok    ok    403    403    404      401,404   401,404
PATCH  /project-states/{state_id}                       ok    ok    403    403    404      401,404   401,404
DELETE /project-states/{state_id}                       ok    ok    403    403    404      401,404   401,404
POST   /project-states/{state_id}/archive-and-replace   ok    ok    403    403    404      401,404   401,404
POST   /project-states/{state_id}/move                  ok    ok    403    403    404      401,404   401,404
GET    W/projects                                       ok    ok    ok     ok     404      401,404   401,404
POST   W/projects                                       ok    ok    ok     403    404      401,404   401,404
GET    W/notification-preferences                       ok    ok    ok     ok     404      401,404   401,404
PATCH  W/notification-preferences/{category}            ok    ok    ok     ok     404      401,404   401,404  # a viewer's own, and nothing of the Workspace
GET    W/project-display-preferences                    ok    ok    ok     ok     404      401,404   401,404
PUT    W/project-display-preferences                    ok    ok    ok     ok     404      401,404   401,404  # likewise
GET    W/project-shortcuts                              ok    ok    ok     ok     404      401,404   401,404
PUT    W/project-shortcuts                              ok    ok    ok     ok     404      401,404   401,404  # likewise
`;

/**
 * First on a Project that the whole Workspace sees (or on a Status of the Workspace), by people who are not in the
 * Project; then on a private one (or on a Status of its own): by an admin who is not in it, its lead, a member and a
 * viewer of it, a stranger, who is a member of the Workspace only, and a guest, who leads it but is a viewer of the
 * Workspace.
 */
const ofProjects = `
                                           owner admin member viewer outsider suspended removed  manager lead partner reader stranger guest
GET    P                                   ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
PATCH  P                                   ok    ok    403    403    404      401,404   401,404  ok      ok   403     403    404      403
DELETE P                                   ok    ok    403    403    404      401,404   401,404  ok      ok   403     403    404      403
POST   P/move                              ok    ok    403    403    404      401,404   401,404  ok      403  403     403    404      403  # the order is everybody's, not this Project's
GET    P/members                           ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
POST   P/members                           ok    ok    403    403    404      401,404   401,404  ok      ok   403     403    404      403
PATCH  P/members/{actor_id}                ok    ok    403    403    404      401,404   401,404  ok      ok   403     403    404      403
DELETE P/members/{actor_id}                ok    ok    403    403    404      401,404   401,404  ok      ok   403     403    404      403
GET    P/completion-policy                 ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
PUT    P/completion-policy                 ok    ok    403    403    404      401,404   401,404  ok      ok   403     403    404      403
GET    P/overview                          ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
GET    P/activity                          ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
GET    P/statuses                          ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
POST   P/statuses                          ok    ok    403    403    404      401,404   401,404  ok      ok   403     403    404      403
GET    /statuses/{status_id}               ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
PATCH  /statuses/{status_id}               ok    ok    403    403    404      401,404   401,404  ok      ok   403     403    404      403
DELETE /statuses/{status_id}               ok    ok    403    403    404      401,404   401,404  ok      ok   403     403    404      403
POST   /statuses/{status_id}/archive-and-replace  ok ok 403   403    404      401,404   401,404  ok      ok   403     403    404      403
POST   /statuses/{status_id}/move          ok    ok    403    403    404      401,404   401,404  ok      ok   403     403    404      403
GET    /statuses/{status_id}/lifecycle-preview    ok ok ok    ok     404      401,404   401,404  ok      ok   ok      ok     404      ok   # of Tasks that the caller sees
GET    P/milestones                        ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
POST   P/milestones                        ok    ok    ok     403    404      401,404   401,404  ok      ok   ok      403    404      403
GET    P/milestones/by-code/{milestone_code}      ok ok ok    ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
GET    /milestones/{milestone_id}          ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
PATCH  /milestones/{milestone_id}          ok    ok    ok     403    404      401,404   401,404  ok      ok   ok      403    404      403
DELETE /milestones/{milestone_id}          ok    ok    403    403    404      401,404   401,404  ok      ok   403     403    404      403  # it is taken from everybody's Tasks
`;

export type Level = "account" | "workspace" | "project";
export interface RoleRow {
  /** "GET /workspaces/{workspace_id}", below /api/v1. */
  route: string;
  level: Level;
  /** By who calls. */
  cells: Record<string, string>;
}

const LONG: Record<string, string> = { W: "/workspaces/{workspace_id}", P: "/projects/{project_id}" };

/** Throws where a row is not as wide as its heading. */
export function rowsOf(level: Level, table: string): RoleRow[] {
  const [heading = "", ...lines] = table.trim().split("\n");
  const callers = heading.trim().split(/\s+/);
  return lines.map((line) => {
    const [method = "", path = "", ...told] = line.replace(/#.*/, "").trim().split(/\s+/);
    if (told.length !== callers.length)
      throw new Error(`a row of ${told.length} cells, not ${callers.length}: ${line}`);
    const cells = Object.fromEntries(callers.map((caller, at) => [caller, told[at] as string]));
    return { route: `${method} ${path.replace(/^[WP]\b/, (letter) => LONG[letter] as string)}`, level, cells };
  });
}

export const ofWorkspacesAndProjects: readonly RoleRow[] = [
  ...rowsOf("account", ofAccounts),
  ...rowsOf("workspace", ofWorkspaces),
  ...rowsOf("project", ofProjects),
];

const TAGS = /^(Workspaces|Projects|Tasks|Comments|Activity|Labels|Attachments|Search|Commands|CLI|Time tracking)$/;
const OWN =
  /\/(notification-preferences|project-display-preferences|project-shortcuts|inbox|inbox-items|current-work|evidence-collections|task-result-sets|task-selections|task-saved-views|discuss\/(?:preferences|reminders|specialist-runs|references|uploads|files|voice)|people\/\{username\}\/activity)\b/;
/**
 * Whether an operation that the specification names must have a row: it is about the work, or about what an account has
 * in a Workspace.
 */
export const needsRow = ({ tag, path }: { tag: string; path: string }) =>
  TAGS.test(tag) ? !/\/(collaboration-sessions|cli\/documents|cli\/mcp)\b/.test(path) : OWN.test(path);
