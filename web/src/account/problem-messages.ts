// Error messages for people: what happened and what to do next, without blame or jargon. One entry for each error code
// that a page can meet; a test compares the list with the contract.
import type { Problem } from "@svc/client";
import type { ErrorCode } from "@svc/contract/errors.ts";
import { say } from "../messages/t.ts";

export interface ProblemMessage {
  title: string;
  text: string;
  /** Form field that the message belongs to, if the form has it. */
  field?: string;
  /** Link to the next step. */
  next?: { label: string; to: string };
}
/** Codes beside those of the service: results of the provider's callback, and errors that only a browser meets. */
type Code =
  | ErrorCode
  | "authentication_failed"
  | "unreachable"
  | "passkey_failed"
  | "passkey_present"
  | "passkey_refused"
  | "first_code_wrong";

const ours: ProblemMessage = {
  title: "Something went wrong on our side",
  text: "It was not your doing. Please try again in a moment.",
};
const reload: ProblemMessage = {
  title: "This page is out of date",
  text: "Reload the page and try again. Nothing was changed.",
};
const signInAgain: ProblemMessage = {
  title: "Please sign in again",
  text: "Your session has ended. Sign in and you can go on where you were.",
  next: { label: "Sign in", to: "/login" },
};
const badRequestOfClient: ProblemMessage = {
  title: "The application asked in a way we cannot accept",
  text: "Go back to the application and start again. If it stays, tell the people who make it.",
};

export const messages: Partial<Record<Code, ProblemMessage>> = {
  invalid_request: { title: "Please check what you entered", text: "Some of it is not in the form that we can take." },
  invalid_cursor: reload,
  invalid_link: {
    title: "This link does not work any more",
    text: "It was used already, has expired or was replaced by a newer one. Ask for a new one and open the newest mail.",
    next: { label: "Get a new link", to: "/forgot" },
  },
  invalid_invitation: {
    title: "This invitation does not work",
    text: "It was accepted already, withdrawn or replaced by a newer one, or it is for another address. Open the newest mail, or ask the person who invited you for a new one.",
  },

  idempotency_key_required: reload,
  invalid_reference: reload,
  digest_mismatch: {
    title: "This is not what was shown",
    text: "Reload the page and look at it again. Nothing was changed.",
  },
  change_set_not_approved: { title: "It is not approved", text: "Approve it first. Nothing was changed." },
  change_set_closed: {
    title: "It cannot be decided any more",
    text: "It is done, rejected, expired or replaced by a newer version. Look at the newest one.",
  },
  change_set_stale: {
    title: "Things have moved on",
    text: "What it builds on has changed since it was proposed, so nothing was changed. Ask for a new version.",
  },
  change_set_refused: {
    title: "A part of it cannot be done",
    text: "So nothing was changed. Ask for a new version without it.",
  },
  undo_conflict: { title: "Things have moved on", text: "What it made is not so any more, so nothing was taken back." },
  not_undoable: { title: "There is no way back from it", text: "Make the change by hand. Nothing was changed." },
  already_undone: {
    title: "It is taken back already",
    text: "Nothing was changed. Reload the page to see how it is now.",
  },
  evidence_unavailable: {
    title: "Its evidence cannot be read",
    text: "You cannot see everything that it rests on any more, so it cannot be decided. Ask for a new version.",
  },

  authentication_required: signInAgain,
  credential_kind_not_allowed: signInAgain,
  invalid_token: signInAgain,
  authentication_failed: {
    title: "Signing in did not work",
    text: "The provider did not confirm who you are, or it took too long. Please try again, or sign in another way.",
  },
  invalid_credentials: {
    title: "That did not match",
    text: "Check the address and the password and try again. Capital letters count.",
    next: { label: "Forgot your password?", to: "/forgot" },
  },
  invalid_code: {
    title: "That code did not match",
    text: "Enter the code that your authenticator shows now, or a recovery code that you have not used.",
    field: "code",
  },
  first_code_wrong: {
    title: "That code did not match",
    text: "That code did not match. Enter the six digits that your authenticator shows now. If it stays wrong, check the clock of your phone.",
    field: "code",
  },
  invalid_challenge: {
    title: "Please start again",
    text: "The second step has expired or failed too often. Your password is needed once more.",
    next: { label: "Back to sign in", to: "/login" },
  },

  forbidden: { title: "You may not change this", text: "You can see it, but your role does not allow this change." },
  invalid_csrf_token: reload,
  recent_authentication_required: {
    title: "We did not confirm that it is you",
    text: "Nothing was changed. Try again and confirm it, or sign in again and you come back here.",
    next: { label: "Sign in again", to: "/login" },
  },
  second_factor_required: {
    title: "Your code is needed",
    text: "Your account has a second factor since a moment ago. Try again, and enter its code.",
  },
  workspace_access_denied: {
    title: "You do not belong to that Workspace",
    text: "You may have been removed from it. Choose another one.",
    next: { label: "Your Workspaces", to: "/" },
  },

  invitation_recipient_mismatch: {
    title: "This invitation is for another address",
    text: "You are signed in with another one. Sign out, then sign in or create an account with the address to which the mail was sent.",
  },
  invitation_expired: {
    title: "This invitation has expired",
    text: "It was good for seven days. Ask the person who invited you to send it again.",
  },
  membership_state_conflict: {
    title: "Your membership is suspended",
    text: "Ask an owner or an admin of that Workspace to make it active again.",
  },

  not_found: {
    title: "This does not exist",
    text: "It may have been removed, or you may not see it with this account.",
    next: { label: "Home", to: "/" },
  },

  email_taken: {
    title: "This address has an account already",
    text: "This address has an account already. Sign in with it, or use another address.",
    field: "email",
    next: { label: "Sign in", to: "/login" },
  },
  identity_taken: {
    title: "Linked to another account",
    text: "This sign-in belongs to another account already. Remove it there first.",
  },
  last_sign_in_method: {
    title: "This is your last way to sign in",
    text: "Set a password or add another passkey before you remove this one, or you could not get in any more.",
  },
  plan_limit: {
    title: "The Workspace is full",
    text: "Its plan gives no more seats. Ask one of its owners or admins for one.",
  },
  limit_reached: { title: "There is no room for another one", text: "Remove one that you no longer use first." },
  mfa_already_enabled: {
    title: "The second factor is on already",
    text: "Remove it first if you want to set up another authenticator.",
  },
  mfa_not_enabled: { title: "There is no second factor", text: "Set one up first." },
  password_not_set: {
    title: "Your account has no password",
    text: "Set one with a link that we send you by mail.",
    next: { label: "Get a link", to: "/forgot" },
  },
  slug_taken: {
    title: "This address is taken",
    text: "This address is taken or reserved. Choose another one.",
    field: "slug",
  },
  free_workspace_claimed: {
    title: "You have your free Workspace already",
    text: "An account has one free Workspace. Go on in the one that you have.",
    next: { label: "Your Workspaces", to: "/" },
  },
  billing_not_configured: { title: "Nothing is sold here", text: "In this installation everything is included." },
  billing_unavailable: {
    title: "The payment provider does not answer",
    text: "Nothing was paid. Please try again in a moment.",
  },
  checkout_settling: {
    title: "An earlier payment is being confirmed",
    text: "Look among your Workspaces in a few seconds.",
    next: { label: "Your Workspaces", to: "/" },
  },
  workspace_exists: {
    title: "You have a Workspace already",
    text: "Somebody added you to one in the meantime.",
    next: { label: "Your Workspaces", to: "/" },
  },
  revision_conflict: {
    title: "It was changed in the meantime",
    text: "Reload the page to see how it is now, then try again.",
  },
  idempotency_key_conflict: reload,
  idempotency_in_progress: { title: "Still working on it", text: "Your first click is still being handled." },
  request_timeout: { title: "That took too long", text: "Check your connection and try again. Nothing was changed." },
  payload_too_large: { title: "That is too long", text: "Please enter less." },
  unsupported_media_type: reload,
  password_breached: {
    title: "Please choose another password",
    text: "This password is in a list of stolen ones, or is your own address. Anybody could try it: choose another one.",
    field: "password",
  },

  rate_limited: { title: "Too many attempts", text: "This protects your account from guessing." },
  internal: ours,
  overloaded: { title: "We are very busy just now", text: "Nothing was changed." },
  sign_in_provider_unavailable: { title: "The sign-in provider does not answer", text: "Nothing was changed." },
  maintenance: { title: "We are doing maintenance", text: "The service is back soon. Nothing was changed." },
  delivery_unavailable: { title: "We cannot send mail just now", text: "Nothing was changed." },
  unreachable: {
    title: "We cannot reach the service",
    text: "Check your connection and try again. If you had pressed a button, look first whether it was done.",
  },

  passkey_failed: {
    title: "The passkey could not be used",
    text: "Your device did not complete it. Try again, or sign in with your password.",
  },
  passkey_present: {
    title: "This device has a passkey already",
    text: "It is in the list. Remove it first if you want to make it anew.",
  },
  passkey_refused: {
    title: "We do not know this passkey",
    text: "It may have been removed from your account, or took too long. Try again, or sign in with your password.",
  },

  invalid_client: badRequestOfClient,
  invalid_grant: badRequestOfClient,
  invalid_redirect_uri: {
    title: "The application asked to send you to an address that it has not registered",
    text: "We did not send you there. Be careful: if you do not know the application, close this page.",
  },
  invalid_scope: badRequestOfClient,
  invalid_target: badRequestOfClient,
  unauthorized_client: badRequestOfClient,
  unsupported_response_type: badRequestOfClient,
};

/** Unknown codes get a generic message: a stranger may have put the code into a link. */
export function messageOf(code: string): ProblemMessage {
  const { title, text, next, ...rest } = (Object.hasOwn(messages, code) && messages[code as Code]) || ours;
  return { ...rest, title: say(title), text: say(text), ...(next && { next: { ...next, label: say(next.label) } }) };
}

/** Relative time, such as "in a moment", "in 42 seconds" or "in 3 minutes". */
export function inTime(seconds: number): string {
  if (seconds <= 1) return say("in a moment");
  if (seconds < 120) return say("in {count} seconds", { count: seconds });
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120
    ? say("in {count} minutes", { count: minutes })
    : say("in {count} hours", { count: Math.ceil(minutes / 60) });
}

/** Shared text for every invalid email address. */
export const NO_ADDRESS = "Enter an email address, like ada@example.com.";

export interface FieldErrors {
  /** Errors by field. */
  fields: Record<string, string>;
  /** Problem that belongs to no field of the form. */
  rest: Problem | null;
}

/** Assigns a problem to the fields that it is about. */
export function place(problem: Problem, known: readonly string[]): FieldErrors {
  const fields: Record<string, string> = {};
  const { field, text } = messageOf(problem.code);
  const own = known.find((name) => name === field || (field === "password" && name === "new_password"));
  if (own) return { fields: { [own]: text }, rest: null };
  if (problem.code === "invalid_credentials" && known.includes("current_password"))
    return { fields: { current_password: say("That is not your password. Please try again.") }, rest: null };
  for (const { pointer, code, detail } of problem.faults) {
    const name = pointer.split("/").at(-1) as string;
    if (known.includes(name))
      fields[name] ??= name === "email" && code !== "unchanged" ? say(NO_ADDRESS) : sentence(detail);
  }
  return { fields, rest: Object.keys(fields).length > 0 ? null : problem };
}

/** Turns the contract's "must be shorter" into "This must be shorter." */
const sentence = (detail: string) => say("This {fault}", { fault: detail.replace(/[.]?$/, ".") });
