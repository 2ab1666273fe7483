// The one catalogue of error codes: status, title, and a sentence that names the next step. A handler can refuse only
// with a code from here; the reference lists the same codes, and a test compares both.

import { grantErrors } from "./accounts/oauth/errors.ts";
import { agentErrors } from "./assistant/agents/errors.ts";
import { discussErrors } from "./assistant/discuss/errors.ts";
import { privateErrors } from "./assistant/discuss/private-errors.ts";
import { billingErrors } from "./connect/billing/errors.ts";
import { integrationErrors } from "./connect/integrations/errors.ts";
import { webhookErrors } from "./connect/webhooks/errors.ts";
import { entry } from "./error-entry.ts";
import { changeErrors } from "./history/proposals/errors.ts";
import { workErrors } from "./history/undo/errors.ts";
import { documentErrors } from "./knowledge/documents/errors.ts";

export const errors = {
  invalid_request: entry(
    400,
    "Invalid request",
    "Correct the parts that `errors` points to and send the request again.",
  ),
  invalid_cursor: entry(
    400,
    "Invalid cursor",
    "Start again without a cursor: this one was not issued for this list, caller and filter.",
  ),
  idempotency_key_required: entry(
    400,
    "Idempotency-Key required",
    "Send an Idempotency-Key header of 16 to 200 characters, the same one on every retry of this write.",
  ),
  if_match_required: entry(400, "If-Match required", "Read the resource and send its ETag in If-Match."),
  invalid_link: entry(
    400,
    "Link not valid any more",
    "It was used, has expired or was replaced by a newer one; ask for a new one.",
  ),
  ...grantErrors,
  invalid_invitation: entry(400, "Invalid invitation", "Ask for a new invitation, or register without one."),

  authentication_required: entry(
    401,
    "Sign in first",
    "Send a valid credential of a kind that this operation accepts.",
  ),
  invalid_token: entry(
    401,
    "Invalid token",
    "The bearer token is malformed, unknown, expired, revoked, sent twice or of a kind that this interface does " +
      "not accept.",
  ),
  invalid_client: entry(401, "Unknown client", "Register the client, or correct its client_id."),
  invalid_code: entry(401, "Wrong code", "Enter the current code of your authenticator, or an unused recovery code."),
  invalid_challenge: entry(
    401,
    "Sign in again",
    "The second step has expired or failed too often; start with your password.",
  ),
  invalid_credentials: entry(401, "Wrong email or password", "Check the address and the password and try again."),

  forbidden: entry(403, "Not allowed", "You can read this, but your role does not permit this change."),
  credential_kind_not_allowed: entry(
    403,
    "Wrong kind of credential",
    "Use a credential of a kind that this operation accepts: `errors` says which.",
  ),
  insufficient_scope: entry(403, "Scope missing", "Use a token that holds one of `required_scopes`."),
  invalid_csrf_token: entry(
    403,
    "CSRF token missing or wrong",
    "Copy the value of the cookie __Host-svc_csrf into the header X-CSRF-Token.",
  ),
  recent_authentication_required: entry(
    403,
    "Prove again who you are",
    "This needs a proof within the last 15 minutes: call POST /auth/reauthenticate, then repeat the request.",
  ),
  sign_in_provider_unavailable: entry(
    503,
    "The sign-in provider does not answer",
    "Retry after Retry-After seconds, or sign in another way.",
  ),
  second_factor_required: entry(
    403,
    "Code required",
    "The account has a second factor: send its code, or a passkey, instead of a password or a provider.",
  ),
  workspace_access_denied: entry(403, "No access to that Workspace", "Choose a Workspace that GET /workspaces lists."),
  ai_access_disabled: entry(
    403,
    "AI access is off",
    "This Workspace lets no AI clients in. An owner or an admin can turn AI access on again; " +
      "what was allowed before then works again.",
  ),
  invitation_recipient_mismatch: entry(
    403,
    "Invitation for another address",
    "Sign out, then sign in or register with the invited address, and accept again.",
  ),

  not_found: entry(404, "Not found", "It does not exist, or you cannot read it."),
  operator_secret_required: entry(
    401,
    "Key required",
    "Open the mailbox address that svc printed when it started. On a published service, send the secret in " +
      "DATA_DIR/operator-secret as the password (HTTP Basic authentication).",
  ),
  method_not_allowed: entry(405, "Method not allowed", "Use one of the methods in the Allow header."),

  request_timeout: entry(408, "Request not finished in time", "Send the whole request at once, and then again."),

  email_taken: entry(409, "Address already registered", "Sign in with this address, or use another one."),
  username_taken: entry(409, "Username already taken", "Choose another username."),
  identity_taken: entry(409, "Already linked", "This identity belongs to an account already; remove it there first."),
  last_sign_in_method: entry(
    409,
    "Last way to sign in",
    "Set a password, or add another passkey or identity, before you remove this one.",
  ),
  mfa_already_enabled: entry(
    409,
    "Second factor already enabled",
    "Remove it first if you want to set up another one.",
  ),
  mfa_not_enabled: entry(409, "No second factor", "Set one up first."),
  password_not_set: entry(409, "Account has no password", "Set one with a reset link: POST /auth/password/forgot."),
  slug_taken: entry(409, "Slug already taken", "Choose another slug."),
  free_workspace_claimed: entry(
    409,
    "Free Workspace already claimed",
    "This account already has its one active Free Workspace. Go on in that one, or archive it first.",
  ),
  workspace_exists: entry(
    409,
    "A Workspace exists already",
    "Bootstrap is for an account without memberships; use POST /workspaces.",
  ),
  workspace_required: entry(
    409,
    "No Workspace chosen",
    "Create or choose a Workspace first: POST /workspaces/bootstrap or PUT /auth/session/workspace.",
  ),
  project_key_taken: entry(
    409,
    "Project key already taken",
    "Choose another key: a key is never used twice in a Workspace, even after deletion.",
  ),
  last_workspace: entry(
    409,
    "Your last Workspace",
    "Create or join another Workspace first: an account keeps at least one active one.",
  ),
  membership_state_conflict: entry(
    409,
    "Not possible in this state",
    "An active or suspended membership is changed with PATCH; one that was removed or left is restored with POST " +
      "/workspaces/{workspace_id}/members.",
  ),
  last_owner: entry(409, "Last active owner", "Make another active member an owner first."),
  invitation_pending: entry(
    409,
    "Already invited",
    "A live invitation for this address exists; resend or revoke that one.",
  ),
  already_member: entry(409, "Already a member", "Change the role of the existing membership instead."),
  invitation_not_pending: entry(
    409,
    "Invitation not pending",
    "It was accepted, has expired or was revoked; create a new one.",
  ),
  project_closed: entry(
    409,
    "Closed to new work",
    "Restore it or move it to a state or stage that accepts new work first.",
  ),
  project_archived: entry(
    409,
    "Project is archived",
    "Restore the Project first: while it is archived, it and what is in it are only read.",
  ),
  review_required: entry(
    409,
    "Review required",
    "Tasks of this Project are reviewed before they are done: put it into a Status that awaits review; " +
      "somebody who manages the work completes it from there.",
  ),
  project_private: entry(409, "Project is private", "Make the Project visible to the Workspace before you publish it."),
  status_in_use: entry(409, "Still in use", "Use archive-and-replace: it moves what is in it first."),
  status_archived: entry(409, "Archived", "An archived one is only read; use another one, or add a new one."),
  last_status: entry(409, "Last one of its kind", "Add another one that new work can start in first."),
  completion_target_required: entry(
    409,
    "Several ways to complete",
    "Choose one of `choices` and send its id in the query, as target_status_id.",
  ),
  lifecycle_preview_stale: entry(
    409,
    "Preview out of date",
    "The definition or a destination has changed since; preview again and apply that.",
  ),
  lifecycle_acknowledgement_required: entry(
    409,
    "Acknowledgement required",
    "This changes how work behaves; look at the preview and send acknowledged: true.",
  ),
  lifecycle_migration_pending: entry(
    409,
    "A migration is running",
    "Wait until the job that is applying in this Workspace has finished.",
  ),
  milestone_stage_in_use: entry(
    409,
    "Stage still in use",
    "Name a replacement for the stage, or move its Milestones first.",
  ),
  name_taken: entry(409, "Name already taken", "Choose another name."),
  catalog_incomplete: entry(
    409,
    "Too many to list whole",
    "This list is not paged and there are more than 100; remove some of them first.",
  ),
  limit_reached: entry(409, "Limit reached", "Remove one before you add another."),
  too_many_kept: entry(409, "Too many kept", "Use what you have, or wait until the oldest expires: see expires_at."),
  relation_exists: entry(
    409,
    "Already related",
    "These two are related in this way already; read the relations again.",
  ),
  relation_cycle: entry(
    409,
    "Would make a circle",
    "A Task can neither block nor contain itself, also not through others; remove one of the relations first.",
  ),
  parent_exists: entry(409, "Already has a parent", "A Task has at most one parent; remove that relation first."),
  comment_deleted: entry(
    409,
    "Comment is deleted",
    "A deleted comment stays as an empty tombstone and cannot be changed.",
  ),
  task_not_trashed: entry(409, "Task is not in the trash", "Put the Task into the trash first: POST .../trash."),
  task_not_completed: entry(409, "Task is not done", "Only a Task that is done is reopened; start it instead."),
  time_tracking_disabled: entry(
    409,
    "Time is not tracked",
    "Ask somebody with time:manage to enable it: PATCH /workspace/time-tracking.",
  ),
  time_entry_voided: entry(409, "Entry is voided", "A voided entry stays as it is; record the time again."),
  task_trashed: entry(409, "Task is in the trash", "Restore the Task first: in the trash it is only read."),
  named_in_content: entry(409, "The content names it", "Take it out of the content: the link goes with it."),
  ...workErrors,
  ...privateErrors,
  ...agentErrors,
  ...billingErrors,
  ...changeErrors,
  ...discussErrors,
  ...documentErrors,
  ...webhookErrors,
  ...integrationErrors,
  revision_conflict: entry(
    409,
    "Changed by someone else",
    "Read the resource again and repeat the change on `current_revision`.",
  ),
  baseline_bounds: entry(
    409,
    "Too much for a baseline",
    "Ask for fewer with a smaller limit, or read the lists page by page: a baseline is whole or nothing.",
  ),
  idempotency_key_conflict: entry(
    409,
    "Idempotency-Key already used",
    "This key belongs to a different request; use a new key.",
  ),
  idempotency_in_progress: entry(
    409,
    "Still in progress",
    "The first request with this key is still running; retry after Retry-After seconds.",
  ),
  upload_completed: entry(409, "Upload already completed", "It is a file now: delete that instead."),
  scan_pending: entry(
    409,
    "Not scanned yet",
    "The file is not given out until the scanner has looked into it; try again in a few seconds, " +
      "or later where the scanner is down.",
  ),
  scan_failed: entry(
    409,
    "Could not be scanned",
    "The scanner does not take a file like this, because it is too large or too deeply packed, so it is not given " +
      "out; upload a smaller one.",
  ),
  attachment_infected: entry(409, "Infected", "The file was found to be harmful and is not given out; delete it."),
  preview_unavailable: entry(409, "No preview", "There is none for this type of file; download it instead."),

  upload_expired: entry(410, "Upload expired", "Reserve the upload again and send the file to its new URL."),
  upload_closed: entry(
    410,
    "Upload closed",
    "It was completed or cancelled, or has expired, and nothing was stored; reserve another upload.",
  ),
  invitation_expired: entry(410, "Invitation expired", "Ask for a new invitation."),

  upload_too_large: entry(413, "File too large", "Send a smaller file: `errors` says how large one may be."),
  payload_too_large: entry(413, "Body too large", "Send a smaller body."),
  retained_limit_exceeded: entry(
    413,
    "Too many entries",
    "At most 800 entries are read at once: choose a shorter range, or read the totals.",
  ),
  unsupported_media_type: entry(
    415,
    "Unsupported media type",
    "Send a Content-Type that this operation accepts: application/json in UTF-8, unless it says otherwise.",
  ),
  repository_inactive: entry(409, "Repository not active", "Connect one with PUT, or set state to active with PATCH."),
  repository_synchronized: entry(409, "Imported already", "A run has succeeded since it was connected; use sync."),
  repository_conflict_stale: entry(409, "Conflict has changed", "Sync, list the conflicts and decide again."),
  expectation_failed: entry(417, "Expectation failed", "Send no Expect header, or Expect: 100-continue."),
  password_breached: entry(
    422,
    "Password is known to be breached",
    "Choose another password: this one is in a list of stolen passwords, or is your own address.",
  ),
  invalid_resolution: entry(422, "Not a resolution", "Choose a side that this conflict has, or send a merged file."),
  upload_incomplete: entry(422, "Nothing uploaded yet", "Send the file to the upload's URL first."),
  invalid_upload: entry(
    422,
    "Not what was announced",
    "The file differs from the reservation in length, checksum or type: send the right one, or reserve anew.",
  ),
  invalid_picture: entry(422, "Not a usable picture", "Send a JPEG, PNG, WebP or GIF of at most 40 megapixels."),
  self_membership_mutation: entry(
    422,
    "Your own membership",
    "Ask another owner or admin: nobody changes their own membership.",
  ),
  completion_target_invalid: entry(
    422,
    "Does not complete",
    "Choose a Status that counts as completed and applies here.",
  ),
  workflow_status_unavailable: entry(
    422,
    "No Status for this step",
    "The Project has no Status that this step leads to; add one, or name it in the completion policy.",
  ),
  completion_target_unavailable: entry(
    422,
    "Nothing completes",
    "Add a Status that counts as completed for this kind first.",
  ),
  lifecycle_migration_too_large: entry(
    422,
    "Too many to move at once",
    "At most 1,000 are moved in one step: move them with POST .../mapping-applications first.",
  ),
  invalid_dates: entry(422, "Dates out of order", "The start date must not be after the date that ends it."),
  invalid_duration: entry(
    422,
    "Not a usable duration",
    "Write it as 1h 30m, 90m, 1.5h, 1:30 or PT1H30M: more than nothing and at most 24 hours.",
  ),
  invalid_range: entry(422, "Not a usable range", "Choose from and to in order, and at most 366 days."),
  invalid_expiry: entry(422, "Expiry out of range", "Choose a time in the future, at most 366 days away."),
  invalid_reference: entry(
    422,
    "Refers to something unusable",
    "Correct the identifiers that `errors` points to: each must exist here and be usable for this.",
  ),

  headers_too_large: entry(431, "Headers too large", "Send a shorter address and fewer or smaller headers."),
  rate_limited: entry(429, "Too many requests", "Wait for Retry-After seconds."),
  too_many_sockets: entry(
    429,
    "Too many sockets",
    "You, or your Workspace, have as many open as there may be: close one, or wait for Retry-After seconds.",
  ),
  internal: entry(
    500,
    "Internal error",
    "This is our fault. Retry with the same Idempotency-Key, and tell us the correlation_id if it stays.",
  ),
  storage_full: entry(
    507,
    "No room to store it",
    "This is our fault, and nothing was stored. Retry after Retry-After seconds, and tell the operator " +
      "if it stays.",
  ),
  maintenance: entry(503, "Under maintenance", "Retry after Retry-After seconds."),
  delivery_unavailable: entry(
    503,
    "Mail cannot be delivered now",
    "Retry after Retry-After seconds; nothing was changed.",
  ),
  baseline_unavailable: entry(503, "No baseline now", "Retry after Retry-After seconds: it took longer than two."),
  overloaded: entry(503, "Busy", "Retry after Retry-After seconds, with the same Idempotency-Key."),
} as const satisfies Record<string, ReturnType<typeof entry>>;

export type ErrorCode = keyof typeof errors;
