// Frames of the realtime socket, declared as data: sender, fields and an example of each. The parser, the types, the
// reference and the AsyncAPI document derive from them. Frames are JSON objects with `type`; frames of the server may
// gain fields, and clients ignore unknown ones.
import Type, { type Static, type TSchema } from "typebox";
import { exampleId } from "../../examples.ts";
import { Id, nullable, object, Revision, Timestamp } from "../../types.ts";
import { MOST_SEALED, namedScopes } from "./baseline.ts";
import { endings, frameErrors, limits, resetReasons, unknownReasons } from "./limits.ts";

export const scopes = ["workspace", ...namedScopes] as const;
export type Scope = (typeof scopes)[number];

const keys = <K extends string>(catalogue: Record<K, unknown>) => Object.keys(catalogue) as K[];
const SubscriptionId = Type.String({
  pattern: "^[\\w.:-]{1,64}$",
  maxLength: 64,
  description: "Chosen by the client, for this socket: 1 to 64 letters, digits and _ . : -",
});
const Cursor = Type.String({ minLength: 1, maxLength: MOST_SEALED });
const Position = Type.String({ pattern: "^\\d{1,20}$", maxLength: 20 });
const Scope = Type.Enum([...scopes]);

export const RealtimeChange = object({
  kind: Type.String({ maxLength: 64, description: "Kind of the resource, for example task." }),
  id: Id,
  revision: { ...nullable(Revision), description: "Current revision; null if the resource is deleted or has none." },
  content_revision: Type.Optional({
    ...Revision,
    description: "For a Document: current revision of its content, as in ETag and If-Match of the content.",
  }),
  action: Type.Enum(["created", "changed", "removed"], {
    description: "removed: the resource, with everything in it, is deleted or no longer visible to you.",
  }),
  project_id: Type.Optional(Id),
  task_id: Type.Optional(Id),
});
export type RealtimeChange = Static<typeof RealtimeChange>;

export const Health = object({
  state: Type.Enum(["live", "delayed", "unavailable"], {
    description:
      "live: changes are sent as they happen. delayed: a transaction that is still open holds them back. " +
      "unavailable: the database does not answer.",
  }),
  since: Timestamp,
});

export interface Frame<S extends TSchema = TSchema> {
  type: string;
  from: "client" | "server";
  summary: string;
  schema: S;
  example: Record<string, unknown>;
}
type Fields = Record<string, TSchema>;
const frame =
  (from: Frame["from"]) =>
  <const N extends string, P extends Fields>(
    type: N,
    summary: string,
    fields: P,
    example: Record<string, unknown>,
  ) => ({
    type,
    from,
    summary,
    schema: object({ type: Type.Literal(type), ...fields }),
    example: { type, ...example },
  });
const [says, hears] = [frame("client"), frame("server")];

const cursor = "q2fT0cY5n1eXk8Lw.4Zb7VdRk2pJx9sQm";
const workspace = { subscription_id: "w", cursor };

/** Frames that a client sends. */
export const clientFrames = {
  subscribe: says(
    "subscribe",
    "Subscribes to a scope. With the cursor of a baseline, of the last change that you applied, or of " +
      "a read with X-Svc-Realtime-Baseline (scope workspace), the server sends all changes since; " +
      "without one, changes from now on. Answered with subscribed, reset or error.",
    {
      subscription_id: SubscriptionId,
      scope: Scope,
      resource_id: Type.Optional({
        ...Id,
        description: "Id of the Task; required with task_comments, refused otherwise.",
      }),
      cursor: Type.Optional(Cursor),
    },
    { subscription_id: "w", scope: "workspace", cursor },
  ),
  unsubscribe: says(
    "unsubscribe",
    "Ends a subscription. The server sends nothing more about it.",
    { subscription_id: SubscriptionId },
    { subscription_id: "w" },
  ),
  ack: says(
    "ack",
    "Acknowledges all changes up to this cursor as applied. Each subscription is acknowledged on its own.",
    { subscription_id: SubscriptionId, cursor: Cursor },
    workspace,
  ),
  presence_renew: says(
    "presence_renew",
    `Renews your presence for ${limits.presence_seconds} seconds. Needs a workspace subscription and a ` +
      "cursor of it that you have acknowledged: a client that applies no changes is not present. Neither " +
      "ping nor the pongs of the transport renew it.",
    { subscription_id: SubscriptionId, cursor: Cursor },
    workspace,
  ),
  presence_observe: says(
    "presence_observe",
    "Sets the people whose presence you observe, replacing the previous ones; an empty list ends it. " +
      "Only active members who are people. Answered with presence, and again whenever one of them comes " +
      "or goes.",
    {
      subscription_id: SubscriptionId,
      cursor: Cursor,
      user_ids: Type.Array(Id, { maxItems: limits.observed_users, uniqueItems: true }),
    },
    { ...workspace, user_ids: [exampleId("user_id")] },
  ),
  ping: says("ping", "Answered with pong.", {}, {}),
};

/** Frames that the server sends. */
export const serverFrames = {
  welcome: hears(
    "welcome",
    "First frame: the Workspace of this socket, the scopes that it can follow, and the limits.",
    {
      user_id: Id,
      workspace_id: nullable(Id),
      scopes: Type.Array(Scope),
      health: Health,
      limits: object({
        frame_bytes: Type.Integer(),
        frames_per_second: Type.Integer(),
        subscriptions: Type.Integer(),
        observed_users: Type.Integer(),
        presence_seconds: Type.Integer(),
      }),
    },
    {
      user_id: exampleId("user_id"),
      workspace_id: exampleId("workspace_id"),
      scopes: [...scopes],
      health: { state: "live", since: "2026-05-04T09:30:00.000Z" },
      limits: {
        frame_bytes: limits.frame_bytes,
        frames_per_second: limits.frames_per_second,
        subscriptions: limits.subscriptions,
        observed_users: limits.observed_users,
        presence_seconds: limits.presence_seconds,
      },
    },
  ),
  subscribed: hears(
    "subscribed",
    "Confirms the subscription, from this cursor on.",
    { subscription_id: SubscriptionId, cursor: Cursor },
    workspace,
  ),
  change: hears(
    "change",
    "Reports changes: ids and revisions, without content. Read again what you show of them, then ack " +
      "the cursor. A change may be sent twice. Without changes, the frame only advances the cursor.",
    { subscription_id: SubscriptionId, cursor: Cursor, changes: Type.Array(RealtimeChange) },
    {
      ...workspace,
      changes: [
        {
          kind: "task",
          id: exampleId("task_id"),
          revision: "3",
          action: "changed",
          project_id: exampleId("project_id"),
        },
      ],
    },
  ),
  reset: hears(
    "reset",
    "Ends the subscription, because the changes since its cursor cannot be sent. Read a new baseline " +
      "and subscribe with its cursor.",
    {
      subscription_id: SubscriptionId,
      reason: Type.Enum(keys(resetReasons)),
    },
    { subscription_id: "w", reason: "expired" },
  ),
  health: hears(
    "health",
    "Reports the state of the source of changes whenever it changes; and, separately, the positions " +
      "that each subscription was sent and has acknowledged.",
    {
      source: Health,
      subscriptions: Type.Array(
        object({ subscription_id: SubscriptionId, told: Position, applied: nullable(Position) }),
      ),
    },
    {
      source: { state: "delayed", since: "2026-05-04T09:30:00.000Z" },
      subscriptions: [{ subscription_id: "w", told: "48151623", applied: null }],
    },
  ),
  presence: hears(
    "presence",
    "Reports whether each observed person is online: all of them, every time. Within an epoch, the " +
      "higher revision is newer; another epoch replaces all earlier reports.",
    {
      epoch: Id,
      revision: Revision,
      online: Type.Record(Id, Type.Boolean(), { description: "Online state by user id." }),
    },
    { epoch: exampleId("epoch"), revision: "7", online: { [exampleId("user_id")]: true } },
  ),
  presence_unknown: hears(
    "presence_unknown",
    "Invalidates all earlier presence reports.",
    { reason: Type.Enum(keys(unknownReasons)) },
    { reason: "source" },
  ),
  error: hears(
    "error",
    "Reports that a frame was not understood or not allowed, and had no effect.",
    {
      code: Type.Enum(keys(frameErrors)),
      detail: Type.String({ maxLength: 2000 }),
      subscription_id: Type.Optional(SubscriptionId),
    },
    { code: "not_applied", detail: frameErrors.not_applied, subscription_id: "w" },
  ),
  bye: hears(
    "bye",
    "Last frame: the server closes the socket. Reconnect after the given seconds, with your cursors.",
    { code: Type.Enum(keys(endings)), retry_after: Type.Integer({ minimum: 1 }) },
    { code: "draining", retry_after: 3 },
  ),
  pong: hears("pong", "Answers ping.", {}, {}),
};

export const frames: readonly Frame[] = [...Object.values(clientFrames), ...Object.values(serverFrames)];
export type ClientFrame = {
  [N in keyof typeof clientFrames]: Static<(typeof clientFrames)[N]["schema"]>;
}[keyof typeof clientFrames];
export type ServerFrame = {
  [N in keyof typeof serverFrames]: Static<(typeof serverFrames)[N]["schema"]>;
}[keyof typeof serverFrames];
