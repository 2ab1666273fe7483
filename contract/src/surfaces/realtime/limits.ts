// Limits of a realtime socket, and the reasons why one is refused, closed or reset. The server enforces these numbers;
// the reference, the welcome frame and the tests use the same constants.

/** Subprotocol that the client must offer. */
export const PROTOCOL = "svc.realtime.v1";
/** The only developer clients that may subscribe. */
export const ideClients: readonly string[] = ["svc-ide-a", "svc-ide-b"];

const bound = (most: number, what: string, beyond: string) => ({ most, what, beyond });
/** Each limit with the consequence of exceeding it. */
export const bounds = {
  frame_bytes: bound(32_768, "bytes of a frame that a client sends", "closed with 1009"),
  frames_per_second: bound(20, "frames that a client sends in a second, on average", "`bye` rate_limited, 4429"),
  frames_at_once: bound(200, "frames that a client sends at once", "`bye` rate_limited, 4429"),
  subscriptions: bound(64, "subscriptions of a socket", "`error` too_many_subscriptions"),
  observed_users: bound(256, "people whom a socket observes", "`error` invalid_frame"),
  sockets_per_person: bound(32, "sockets of a person at one process", "429 too_many_sockets"),
  sockets_per_workspace: bound(10_000, "sockets of a Workspace at one process", "429 too_many_sockets"),
  opened_at_once: bound(50, "sockets that are opened at one process at once", "they wait for their turn"),
  opened_per_second: bound(100, "sockets that are opened in a second behind those", "they wait for their turn"),
  opening_seconds: bound(10, "seconds that a socket waits to be opened", "503 overloaded"),
  sockets_per_process: bound(20_000, "sockets of one process", "503 overloaded"),
  unread_bytes: bound(1_048_576, "bytes that a client has not read yet", "`bye` slow_reader, 4408"),
  presence_seconds: bound(45, "seconds for which a `presence_renew` is valid", "offline"),
} as const;
export type Limits = { [name in keyof typeof bounds]: number };
export const limits = Object.fromEntries(Object.entries(bounds).map(([name, { most }]) => [name, most])) as Limits;

const ending = (close: number, detail: string) => ({ close, detail });
/** Reasons why the server ends a socket: the code of `bye`, and the close code. */
export const endings = {
  session_ended: ending(4401, "The session was signed out, revoked or has expired. Sign in, then connect again."),
  token_ended: ending(4401, "The access token was revoked or has expired. Connect with the next one and resume."),
  membership_ended: ending(4403, "You are no longer an active member of the Workspace, or it was archived."),
  workspace_changed: ending(4409, "The session is in another Workspace now. Connect again to follow that one."),
  rate_limited: ending(4429, "The socket received more frames than allowed. Connect again later and resume."),
  slow_reader: ending(4408, "You read more slowly than the server sends. Connect again and resume."),
  draining: ending(1012, "This server stops. Connect again and resume."),
} as const;
export type Ending = keyof typeof endings;

/** Faults of a single frame. The socket stays open. */
export const frameErrors = {
  invalid_frame: "It is not a JSON object of a known type with exactly its fields. Correct it.",
  subscription_exists: "Another subscription has this id. Choose another, or unsubscribe first.",
  unknown_subscription: "There is no subscription with this id. Subscribe first.",
  too_many_subscriptions: "Unsubscribe from something first.",
  scope_not_allowed: "This credential, or this socket without a Workspace, cannot follow this scope.",
  not_found: "The resource does not exist, or you cannot read it.",
  invalid_cursor: "Send a cursor that this subscription was sent, and nothing newer.",
  not_applied: "Acknowledge a cursor of a workspace subscription first, then send that.",
  not_a_member: "Name active members of the Workspace only, each of them a person, by user id.",
  unavailable: "The database does not answer now. Send the frame again.",
} as const;
export type FrameError = keyof typeof frameErrors;

/** Reasons why a subscription has ended and needs a new baseline. */
export const resetReasons = {
  invalid_cursor: "The cursor was not made for you, this session or grant, and this scope.",
  epoch_changed: "The journal has changed: the database was restored.",
  expired: "The cursor is older than 72 hours.",
  access_changed: "Your role, or what you may see, has changed.",
  access_ended: "You may no longer follow it.",
} as const;

export type ResetReason = keyof typeof resetReasons;

/** Reasons why online status is unknown. */
export const unknownReasons = {
  source: "The server has no connection to the other servers.",
  observer: "The workspace subscription of the observation has ended. Observe again.",
  authorization: "You may no longer observe.",
} as const;
