// Who may call what of Documents. Written from the specification and its rules before the service was asked;
// role-matrix.ts tells the rules and how a table is read. A Document in a Project is seen by who sees the Project, and
// written, moved and thrown away by who writes there; to delete it for ever, and to publish it, is to manage
// (documents:manage).
import { type RoleRow, rowsOf } from "./role-matrix.ts";

const ofWorkspaces = `
                                                owner admin member viewer outsider suspended removed
GET    W/documents                              ok    ok    ok     ok     404      401,404   401,404
POST   W/documents                              ok    ok    ok     403    404      401,404   401,404
`;

/** On a Document of a Project that the whole Workspace sees; then on one of a private Project. */
const ofDocuments = `
                                                owner admin member viewer outsider suspended removed  manager lead partner reader stranger guest
GET    /documents/{document_id}                 ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
PATCH  /documents/{document_id}                 ok    ok    ok     403    404      401,404   401,404  ok      ok   ok      403    404      403
DELETE /documents/{document_id}                 ok    ok    ok     403    404      401,404   401,404  ok      ok   ok      403    404      403
POST   /documents/{document_id}/restore         ok    ok    ok     403    404      401,404   401,404  ok      ok   ok      403    404      403
DELETE /documents/{document_id}/permanent       ok    ok    403    403    404      401,404   401,404  ok      ok   403     403    404      403  # documents:manage
GET    /documents/{document_id}/children        ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
GET    /documents/{document_id}/attachments     ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
POST   /documents/{document_id}/attachments     ok    ok    ok     403    404      401,404   401,404  ok      ok   ok      403    404      403
GET    /documents/{document_id}/links           ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
POST   /documents/{document_id}/links/{target_kind}/{target_id}    ok ok ok 403 404 401,404 401,404  ok ok ok 403 404 403  # to a Task of the same Project
DELETE /documents/{document_id}/links/{target_kind}/{target_id}    ok ok ok 403 404 401,404 401,404  ok ok ok 403 404 403
GET    /tasks/{task_id}/documents               ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
GET    /milestones/{milestone_id}/documents     ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
GET    /documents/{document_id}/content         ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
PUT    /documents/{document_id}/content         ok    ok    ok     403    404      401,404   401,404  ok      ok   ok      403    404      403
GET    /documents/{document_id}/markdown        ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
PUT    /documents/{document_id}/markdown        ok    ok    ok     403    404      401,404   401,404  ok      ok   ok      403    404      403
GET    /documents/{document_id}/revisions       ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
GET    /documents/{document_id}/revisions/{revision} ok ok  ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
POST   /documents/{document_id}/revisions/{revision}/restore ok ok ok 403  404     401,404   401,404  ok      ok   ok      403    404      403
GET    /documents/{document_id}/revisions/compare ok  ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
GET    W/documents/by-path/{document_path}      ok    ok    ok     ok     404      401,404   401,404  ok      ok   ok      ok     404      ok
POST   /documents/{document_id}/collaboration-sessions               ok ok   ok   ok   404  401,404  401,404  ok   ok   ok   ok   404  ok   # to read along; a viewer's updates are refused on the socket
DELETE /documents/{document_id}/collaboration-sessions/{session_id}  ok 404  404  404  404  401,404  401,404  404  404  404  404  404  404  # one's own only
`;

export const documentRows: RoleRow[] = [...rowsOf("workspace", ofWorkspaces), ...rowsOf("project", ofDocuments)];
