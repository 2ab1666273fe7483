// Who may call what beside Workspaces and Projects: comments, labels, attachments, search, time, a person's activity,
// inbox, present work, what members keep for themselves, and commands. Written from the specification and its rules
// before the service was asked; role-matrix.ts tells the rules and how a table is read. One row was settled with the
// code and proves nothing by itself: who changes label definitions.
//
// What a Task or Project has beside it is seen with it. Where the specification is silent a cell says what follows from
// the rules: whoever writes the work comments, labels, attaches and records time; what is somebody's own (a text, a
// file, a record of time) is changed by them or by those who manage; what is taken from everybody's Tasks is taken by
// those who manage. The owner of the Workspace has made whatever a row is about, unless the row says otherwise.
import { type RoleRow, rowsOf } from "./role-matrix.ts";

/**
 * Those without a Workspace in their path are about the session's own, so that an outsider reads and writes another
 * one.
 */
const ofWorkspaces = `
                                              owner admin member viewer outsider suspended removed
GET    W/reference-options                    ok    ok    ok     ok     404      401,404   401,404
GET    W/search                               ok    ok    ok     ok     404      401,404   401,404
GET    W/people/{username}/activity           ok    ok    ok     ok     404      401,404   401,404
GET    W/label-definitions                    ok    ok    ok     ok     404      401,404   401,404
POST   W/label-definitions                    ok    ok    ok     403    404      401,404   401,404  # who writes the work names what it is about
GET    /workspace/time-tracking               ok    ok    ok     ok     ok       401,404   401,404
PATCH  /workspace/time-tracking               ok    ok    403    403    403      401,404   401,404  # time:manage
GET    /timesheets/me                         ok    ok    ok     ok     ok       401,404   401,404
GET    /timesheets/me/export                  ok    ok    ok     ok     ok       401,404   401,404
POST   /attachment-uploads                    ok    ok    ok     403    ok       401,404   401,404
DELETE /attachment-uploads/{upload_id}        ok    404   404    404    404      401,404   401,404  # whose it is, and nobody else sees it
POST   /attachment-uploads/{upload_id}/complete  ok 404   404    404    404      401,404   401,404  # likewise
GET    W/inbox                                ok    ok    ok     ok     404      401,404   401,404  # a viewer's own, and nothing of the Workspace
POST   W/inbox/read-state                     ok    ok    ok     ok     404      401,404   401,404  # likewise
PATCH  /inbox-items/{inbox_item_id}           ok    404   404    404    404      401,404   401,404  # whose it is
GET    /me/current-work                       ok    ok    ok     ok     ok       401,404   401,404
PUT    /me/current-work                       ok    ok    ok     ok     422      401,404   401,404  # of a Task that the caller sees
DELETE /me/current-work                       ok    ok    ok     ok     ok       401,404   401,404
GET    /me/current-work/candidates            ok    ok    ok     ok     ok       401,404   401,404
POST   W/document-patches                     ok    ok    ok     ok     404      401,404   401,404  # a draft is its author's own, and writes nothing
GET    W/document-patches/{id}                ok    404   404    404    404      401,404   401,404  # whose it is
POST   W/change-sets                          ok    ok    ok     ok     404      401,404   401,404  # a proposal says what the caller may not do
GET    W/change-sets/{id}                     ok    404   404    404    404      401,404   401,404  # whose it is
POST   W/change-sets/{id}/review              ok    404   404    404    404      401,404   401,404  # likewise
POST   W/change-sets/apply                    ok    404   404    404    404      401,404   401,404  # likewise
GET    W/evidence-collections/{id}            ok    404   404    404    404      401,404   401,404  # whose it is, and an owner of the Workspace sees no other's
GET    W/evidence-collections/{id}/hydrate    ok    404   404    404    404      401,404   401,404  # likewise
POST   W/evidence-collections                 ok    ok    ok     ok     404      401,404   401,404  # a viewer's own, and nothing of the Workspace
POST   W/evidence-collections/exclusions      ok    ok    ok     ok     404      401,404   401,404  # likewise
GET    W/task-result-sets/{id}                ok    404   404    404    404      401,404   401,404  # whose it is
GET    W/task-result-sets/{id}/hydrate        ok    404   404    404    404      401,404   401,404  # likewise
POST   W/task-result-sets                     ok    ok    ok     ok     404      401,404   401,404  # a viewer's own
GET    W/task-selections/{id}                 ok    404   404    404    404      401,404   401,404  # whose it is
GET    W/task-selections/{id}/hydrate         ok    404   404    404    404      401,404   401,404  # likewise
POST   W/task-selections                      ok    ok    ok     ok     404      401,404   401,404  # a viewer's own
GET    W/task-saved-views                     ok    ok    ok     ok     404      401,404   401,404  # likewise
POST   W/task-saved-views                     ok    ok    ok     ok     404      401,404   401,404  # likewise
POST   W/task-saved-views/delete              ok    ok    ok     ok     404      401,404   401,404  # likewise
GET    W/discuss/preferences                  ok    ok    ok     ok     404      401,404   401,404  # a viewer's own, and nothing of the Workspace
PATCH  W/discuss/preferences                  ok    ok    ok     ok     404      401,404   401,404  # likewise
POST   W/discuss/references/resolve           ok    ok    ok     ok     404      401,404   401,404  # it reads
GET    W/discuss/reminders                    ok    ok    ok     ok     404      401,404   401,404  # a viewer's own
POST   W/discuss/reminders                    ok    ok    ok     ok     404      401,404   401,404  # likewise
PATCH  W/discuss/reminders/{reminder_id}      ok    404   404    404    404      401,404   401,404  # whose it is, and an owner of the Workspace sees no other's
POST   W/discuss/uploads                      ok    ok    ok     ok     404      401,404   401,404  # a viewer's own
POST   W/discuss/uploads/{upload_id}/complete ok    404   404    404    404      401,404   401,404  # whose it is, and nobody else sees it
DELETE W/discuss/uploads/{upload_id}          ok    404   404    404    404      401,404   401,404  # likewise
GET    W/discuss/specialist-runs              ok    ok    ok     ok     404      401,404   401,404  # a viewer's own
GET    W/discuss/specialist-runs/{specialist_run_id} ok    404   404    404    404      401,404   401,404  # whose it is, and an owner of the Workspace sees no other's
POST   W/discuss/specialist-runs/{specialist_run_id}/cancel ok    404   404    404    404      401,404   401,404  # likewise
POST   W/discuss/specialist-runs/{specialist_run_id}/resume ok    404   404    404    404      401,404   401,404  # likewise
GET    W/discuss/files/{file_id}              ok    404   404    404    404      401,404   401,404  # likewise
DELETE W/discuss/files/{file_id}              ok    404   404    404    404      401,404   401,404  # likewise
POST   W/discuss/files/{file_id}/download     ok    404   404    404    404      401,404   401,404  # likewise
POST   W/discuss/files/{file_id}/preview      ok    404   404    404    404      401,404   401,404  # likewise
POST   W/discuss/voice/sessions               ok    ok    ok     ok     404      401,404   401,404  # a viewer talks, too
GET    W/discuss/availability                 ok    ok    ok     ok     404      401,404   401,404  # a viewer talks, too
GET    W/discuss/messages                     ok    ok    ok     ok     404      401,404   401,404  # a viewer's own
GET    W/discuss/messages/search              ok    ok    ok     ok     404      401,404   401,404  # likewise
POST   W/discuss/messages                     ok    ok    ok     ok     404      401,404   401,404  # likewise
POST   W/discuss/turns                        ok    ok    ok     ok     404      401,404   401,404  # likewise
GET    W/discuss/messages/{message_id}        ok    404   404    404    404      401,404   401,404  # whose it is, and an owner of the Workspace sees no other's
POST   W/discuss/messages/{message_id}/cancel ok    404   404    404    404      401,404   401,404  # likewise
GET    W/discuss/messages/{message_id}/run-events ok    404   404    404    404      401,404   401,404  # likewise
GET    W/discuss/events                       ok    ok    ok     ok     404      401,404   401,404
POST   W/discuss/interactions/{interaction_id}/decision ok    404   404    404    404      401,404   401,404  # whose it is
POST   W/discuss/read-state                   ok    ok    ok     ok     404      401,404   401,404
GET    W/agents/definitions                   ok    ok    ok     ok     404      401,404   401,404  # agents:read
GET    W/agents/studio/definitions            ok    ok    ok     ok     404      401,404   401,404  # likewise
POST   W/agents/studio/definitions            ok    ok    ok     403    404      401,404   401,404  # agents:run drafts
GET    W/agents/studio/definitions/{definition_id} ok    ok    ok     ok     404      401,404   401,404
PATCH  W/agents/studio/definitions/{definition_id} ok    ok    403    403    404      401,404   401,404  # whose draft it is, and agents:manage
GET    W/agents/studio/definitions/{definition_id}/profile ok    ok    ok     ok     404      401,404   401,404
GET    W/agents/studio/definitions/{definition_id}/requests ok    ok    ok     ok     404      401,404   401,404  # a member's own, and all for agents:manage
POST   W/agents/studio/definitions/{definition_id}/requests ok    ok    ok     403    404      401,404   401,404  # agents:run
GET    W/agents/studio/definitions/{definition_id}/usage ok    ok    ok     ok     404      401,404   401,404
GET    W/agents                               ok    ok    ok     ok     404      401,404   401,404
POST   W/agents                               ok    ok    403    403    404      401,404   401,404  # agents:manage
GET    W/agents/{agent_id}                    ok    ok    ok     ok     404      401,404   401,404
PATCH  W/agents/{agent_id}                    ok    ok    403    403    404      401,404   401,404  # agents:manage
DELETE W/agents/{agent_id}                    ok    ok    403    403    404      401,404   401,404  # likewise
POST   W/agents/{agent_id}/quarantine         ok    ok    ok     403    404      401,404   401,404  # whoever may run it may stop it
POST   W/agents/{agent_id}/rollback           ok    ok    403    403    404      401,404   401,404  # agents:manage
GET    W/agents/{agent_id}/runs               ok    ok    ok     ok     404      401,404   401,404  # state, times and cost are everybody's
POST   W/agents/{agent_id}/runs               ok    ok    ok     403    404      401,404   401,404  # agents:run
GET    W/agents/{agent_id}/runs/{run_id}      ok    ok    ok     ok     404      401,404   401,404
POST   W/agents/{agent_id}/runs/{run_id}/cancel ok    ok    403    403    404      401,404   401,404  # whose it is, and agents:manage
GET    W/agents/{agent_id}/runs/{run_id}/actions ok    ok    ok     ok     404      401,404   401,404  # empty for everybody but whose it is
GET    W/agents/{agent_id}/runs/{run_id}/outputs ok    ok    ok     ok     404      401,404   401,404  # likewise
POST   W/agents/{agent_id}/runs/{run_id}/actions/{action_id}/approvals/{approval_id}/decision ok    404   404    404    404      401,404   401,404  # nobody else decides
POST   W/agents/studio/definitions/{definition_id}/delegations/{task_id} ok    ok    ok     403    404      401,404   401,404  # agents:run
POST   W/integration-authorizations/credential ok    ok    403    403    404      401,404   401,404  # integrations:manage
GET    W/integration-installations            ok    ok    ok     ok     404      401,404   401,404
GET    /integration-installations/{installation_id} ok    ok    ok     ok     404      401,404   401,404
DELETE /integration-installations/{installation_id} ok    ok    403    403    404      401,404   401,404  # integrations:manage
POST   /integration-installations/{installation_id}/management-link ok    ok    403    403    404      401,404   401,404  # likewise
GET    /integration-installations/{installation_id}/resources ok    ok    ok     ok     404      401,404   401,404
POST   /integration-installations/{installation_id}/resources/refresh ok    ok    403    403    404      401,404   401,404  # integrations:manage
POST   W/integration-authorizations           ok    ok    403    403    404      401,404   401,404  # an installation: integrations:manage; everybody links who they are
GET    /integration-installations/{installation_id}/actions ok    ok    ok     ok     404      401,404   401,404
POST   /integration-actions                   ok    ok    ok     403    422      401,404   401,404  # work:write in a bound Project; elsewhere there is no such installation
GET    /integration-actions/{action_id}       ok    ok    404    404    404      401,404   401,404  # whose it is, and integrations:manage
POST   W/integration-private-connectors       ok    ok    403    403    404      401,404   401,404  # integrations:manage
POST   W/integration-requests                 ok    ok    ok     403    404      401,404   401,404  # work:write
POST   /commands/{command_id}/undo            ok    404   404    404    404      401,404   401,404  # whose it is
POST   /commands/{command_id}/redo            ok    404   404    404    404      401,404   401,404  # likewise
`;

/** On a Task or a label of a Project that the whole Workspace sees; then on one of a private Project. */
const ofProjects = `
                                           owner admin member viewer outsider suspended removed  manager lead partner reader stranger guest
GET    /tasks/{task_id}/comments           ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
POST   /tasks/{task_id}/comments           ok    ok    ok     403    404      401,404   401,404  ok      ok   ok      403    404      403
GET    /comments/{comment_id}              ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
PATCH  /comments/{comment_id}              ok    403   403    403    404      401,404   401,404  403     403  403     403    404      403  # nobody puts words into another's mouth
DELETE /comments/{comment_id}              ok    ok    403    403    404      401,404   401,404  ok      ok   403     403    404      403
PUT    /comments/{comment_id}/reactions/{reaction}    ok ok ok 403   404      401,404   401,404  ok      ok   ok      403    404      403
DELETE /comments/{comment_id}/reactions/{reaction}    ok ok ok 403   404      401,404   401,404  ok      ok   ok      403    404      403
GET    /{target_kind}/{target_id}/labels   ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
PUT    /{target_kind}/{target_id}/labels   ok    ok    ok     403    404      401,404   401,404  ok      ok   ok      403    404      403  # of a Task
GET    /label-definitions/{label_id}       ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
PATCH  /label-definitions/{label_id}       ok    ok    403    403    404      401,404   401,404  ok      ok   403     403    404      403  # it is on everybody's Tasks
DELETE /label-definitions/{label_id}       ok    ok    403    403    404      401,404   401,404  ok      ok   403     403    404      403  # it is taken from everybody's Tasks
GET    P/label-definitions                 ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
POST   P/label-definitions                 ok    ok    ok     403    404      401,404   401,404  ok      ok   ok      403    404      403
GET    P/label-overrides                   ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
PUT    P/label-overrides/{label_id}        ok    ok    403    403    404      401,404   401,404  ok      ok   403     403    404      403  # how the Project is for everybody
DELETE P/label-overrides/{label_id}        ok    ok    403    403    404      401,404   401,404  ok      ok   403     403    404      403
GET    P/integration-bindings              ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
POST   P/integration-bindings              ok    ok    403    403    404      401,404   401,404  ok      ok   403     403    404      403  # work:manage
DELETE /integration-bindings/{binding_id}  ok    ok    403    403    404      401,404   401,404  ok      ok   403     403    404      403  # likewise
GET    /integration-bindings/{binding_id}/subscriptions ok ok ok ok  404      401,404   401,404  ok      ok   ok      ok     404      ok
POST   /integration-bindings/{binding_id}/subscriptions ok ok 403 403 404     401,404   401,404  ok      ok   403     403    404      403
PATCH  /integration-subscriptions/{subscription_id} ok ok 403 403    404      401,404   401,404  ok      ok   403     403    404      403
POST   /integration-bindings/{binding_id}/errtrack-readiness ok ok 403 403 404      401,404   401,404  ok      ok   403     403    404      403  # likewise
GET    P/attachments                       ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
POST   P/attachments                       ok    ok    ok     403    404      401,404   401,404  ok      ok   ok      403    404      403
GET    P/task-attachments                  ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
GET    /tasks/{task_id}/attachments        ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
POST   /tasks/{task_id}/attachments        ok    ok    ok     403    404      401,404   401,404  ok      ok   ok      403    404      403
GET    /attachments/{attachment_id}        ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
DELETE /attachments/{attachment_id}        ok    ok    403    403    404      401,404   401,404  ok      ok   403     403    404      403
POST   /attachments/{attachment_id}/download  ok ok   ok      ok     404      401,404   401,404  ok      ok   ok      ok     404      ok   # it reads
POST   /attachments/{attachment_id}/preview   ok ok   ok      ok     404      401,404   401,404  ok      ok   ok      ok     404      ok   # likewise
GET    /tasks/{task_id}/time-entries       ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
POST   /tasks/{task_id}/time-entries       ok    ok    ok     403    404      401,404   401,404  ok      ok   ok      403    404      403
PATCH  /time-entries/{entry_id}            ok    ok    403    403    404      401,404   401,404  ok      ok   403     403    404      403
DELETE /time-entries/{entry_id}            ok    ok    403    403    404      401,404   401,404  ok      ok   403     403    404      403
GET    /tasks/{task_id}/time-totals        ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
GET    P/time-totals                       ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
GET    P/time-task-breakdown               ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
GET    P/time-task-entries                 ok    ok    403    403    404      401,404   401,404  ok      ok   403     403    404      403  # Project managers only
GET    P/time-contributor-breakdown        ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok   # without rows for those who do not manage
`;

export const besideRows: readonly RoleRow[] = [...rowsOf("workspace", ofWorkspaces), ...rowsOf("project", ofProjects)];
