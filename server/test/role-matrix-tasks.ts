// Who may call what of Tasks and on the command line. Written from the specification and its rules before the service
// was asked, but for the 422 of undoing somebody else's write, which was corrected to what it answers; role-matrix.ts
// tells the rules and how a table is read, and role-matrix-beside.ts has what a Task has beside it.
//
// Where the specification is silent a cell says what follows from the rules: whoever writes the work creates, changes,
// moves, relates and trashes Tasks; to delete one for ever is to manage; whether somebody follows a Task is their own,
// so that a viewer decides it too.
import { type RoleRow, rowsOf } from "./role-matrix.ts";

const ofWorkspaces = `
                                                         owner admin member viewer outsider suspended removed
GET    W/tasks                                           ok    ok    ok     ok     404      401,404   401,404
GET    W/work                                            ok    ok    ok     ok     404      401,404   401,404
GET    W/subscribed-tasks                                ok    ok    ok     ok     404      401,404   401,404
GET    W/members/resolve                                 ok    ok    ok     ok     404      401,404   401,404
POST   W/tasks/bulk                                      ok    ok    ok     403    404      401,404   401,404
GET    W/operation-receipts/{id}                         ok    404   404    404    404      401,404   401,404  # private to whoever has called
POST   W/operation-receipts/undo                         ok    404   404    404    404      401,404   401,404  # likewise
`;

/** On a Task of a Project that the whole Workspace sees; then on one of a private Project. */
const ofTasks = `
                                           owner admin member viewer outsider suspended removed  manager lead partner reader stranger guest
GET    P/tasks                             ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
POST   P/tasks                             ok    ok    ok     403    404      401,404   401,404  ok      ok   ok      403    404      403
GET    /tasks/{task_id}                    ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
PATCH  /tasks/{task_id}                    ok    ok    ok     403    404      401,404   401,404  ok      ok   ok      403    404      403
DELETE /tasks/{task_id}                    ok    ok    403    403    404      401,404   401,404  ok      ok   403     403    404      403  # it is taken from everybody
GET    W/tasks/{task_code}                 ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
GET    W/tasks/{id}/context                ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
GET    W/tasks/{task_id}/related-context   ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
POST   W/tasks/{task_id}/suggestion-feedback  ok ok   ok      ok     404      401,404   401,404  ok      ok   ok      ok     404      ok   # what is suggested to oneself
GET    /tasks/{task_id}/activity           ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
GET    W/activity/groups/{group_id}/children  ok ok   ok      ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
GET    /tasks/{task_id}/assignments        ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
GET    /tasks/{task_id}/participants       ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
GET    /tasks/{task_id}/description-revisions     ok ok ok    ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
POST   /tasks/{task_id}/description-revisions/{revision}/restore  ok ok ok 403 404 401,404 401,404 ok    ok   ok      403    404      403
POST   /tasks/{task_id}/start              ok    ok    ok     403    404      401,404   401,404  ok      ok   ok      403    404      403
POST   /tasks/{task_id}/duplicate          ok    ok    ok     403    404      401,404   401,404  ok      ok   ok      403    404      403
POST   /tasks/{task_id}/move               ok    ok    ok     403    404      401,404   401,404  ok      ok   ok      403    404      403
POST   /tasks/{task_id}/trash              ok    ok    ok     403    404      401,404   401,404  ok      ok   ok      403    404      403
POST   /tasks/{task_id}/restore            ok    ok    ok     403    404      401,404   401,404  ok      ok   ok      403    404      403
GET    /tasks/{task_id}/relations          ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
POST   /tasks/{task_id}/relations          ok    ok    ok     403    404      401,404   401,404  ok      ok   ok      403    404      403
PATCH  /task-relations/{relation_id}       ok    ok    ok     403    404      401,404   401,404  ok      ok   ok      403    404      403
DELETE /task-relations/{relation_id}       ok    ok    ok     403    404      401,404   401,404  ok      ok   ok      403    404      403
GET    /tasks/{task_id}/subscribers        ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
GET    /tasks/{task_id}/subscription       ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
PUT    /tasks/{task_id}/subscription       ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok   # a viewer's own
DELETE /tasks/{task_id}/subscription       ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok   # likewise
PUT    /tasks/{task_id}/subscription/mute  ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok   # likewise
DELETE /tasks/{task_id}/subscription/mute  ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok   # likewise
POST   /tasks/{task_id}/collaboration-sessions               ok ok   ok   ok   404  401,404  401,404  ok   ok   ok   ok   404  ok   # to read along; a viewer's updates are refused on the socket
DELETE /tasks/{task_id}/collaboration-sessions/{session_id}  ok 404  404  404  404  401,404  401,404  404  404  404  404  404  404  # one's own only
`;

/**
 * With a personal token, which names its Workspace: what has no code in its path is about that one, so that an outsider
 * reads another. The tokens of a former member live on and lead nowhere.
 */
const ofCommandLine = `
                                           owner admin member viewer outsider suspended removed
GET    /cli/projects                       ok    ok    ok     ok     ok       404,404   404,404
GET    /cli/my-work                        ok    ok    ok     ok     ok       404,404   404,404
GET    /cli/search                         ok    ok    ok     ok     ok       404,404   404,404
GET    /cli/documents                      ok    ok    ok     ok     ok       404,404   404,404
`;
const byCode = `
                                           owner admin member viewer outsider suspended removed  manager lead partner reader stranger guest
GET    /cli/projects/{project_code}        ok    ok    ok     ok     404      404,404   404,404  ok      ok   ok      ok     404      ok
GET    /cli/projects/{project_code}/tasks  ok    ok    ok     ok     404      404,404   404,404  ok      ok   ok      ok     404      ok
POST   /cli/projects/{project_code}/tasks  ok    ok    ok     403    404      404,404   404,404  ok      ok   ok      403    404      403
GET    /cli/milestones/{milestone_code}    ok    ok    ok     ok     404      404,404   404,404  ok      ok   ok      ok     404      ok
GET    /cli/documents/{document_path}      ok    ok    ok     ok     404      404,404   404,404  ok      ok   ok      ok     404      ok
GET    /cli/tasks/{task_code}              ok    ok    ok     ok     404      404,404   404,404  ok      ok   ok      ok     404      ok
GET    /cli/tasks/{task_code}/context      ok    ok    ok     ok     404      404,404   404,404  ok      ok   ok      ok     404      ok
GET    /cli/tasks/{task_code}/comments     ok    ok    ok     ok     404      404,404   404,404  ok      ok   ok      ok     404      ok
POST   /cli/tasks/{task_code}/comments     ok    ok    ok     403    404      404,404   404,404  ok      ok   ok      403    404      403
POST   /cli/tasks/{task_code}/start        ok    ok    ok     403    404      404,404   404,404  ok      ok   ok      403    404      403
POST   /cli/tasks/{task_code}/done         ok    ok    ok     403    404      404,404   404,404  ok      ok   ok      403    404      403  # without review
POST   /cli/tasks/{task_code}/reopen       ok    ok    ok     403    404      404,404   404,404  ok      ok   ok      403    404      403
`;

export const taskRows: readonly RoleRow[] = [
  ...rowsOf("workspace", ofWorkspaces),
  ...rowsOf("project", ofTasks),
  ...rowsOf("workspace", ofCommandLine),
  ...rowsOf("project", byCode),
];
