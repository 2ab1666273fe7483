// ChangeSets: changes proposed by an assistant or a person, previewed exactly, approved by the person on whose behalf
// they were proposed, then applied atomically. A version is immutable; its digest covers everything in it.
import Type, { type TSchema } from "typebox";
import { exampleId } from "../../examples.ts";
import { list, op, S, takesIfMatch } from "../../kit.ts";
import { BlockDifference } from "../../knowledge/documents/content/revisions.ts";
import { Id, MarkdownText, nullable, object, Revision, single, Timestamp, Title } from "../../types.ts";
import { type ActionName, actionNames, actionOf, places } from "./actions.ts";
import { Version } from "./document-patches.ts";

export const MOST_CHANGES = 100;
const MOST_EVIDENCE = 20;

export const states = ["draft", "proposed", "approved", "rejected", "applied", "stale", "expired"] as const;
export const Digest = Type.String({
  minLength: 64,
  maxLength: 64,
  pattern: "^[0-9a-f]{64}$",
  examples: ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
  description: "SHA-256 of the canonical JSON (RFC 8785) of the version, in hexadecimal digits.",
});

const open = (description: string) => Type.Unsafe<Record<string, unknown>>({ type: "object", description });
/** Fields that every change of this action has in addition to `set`. */
const needsOf = ({ operation, at }: ReturnType<typeof actionOf>): string[] =>
  at === "patch_id" ? [at, "version"] : takesIfMatch(operation) ? [at, "revision"] : [at];
/**
 * Schema of `set`: the operation's body, or the one field of it that the action changes; null for an operation without
 * a body.
 */
function setOf({ operation, at, only }: ReturnType<typeof actionOf>): TSchema | null {
  const body = operation.schemas.body as Type.TObject | undefined;
  if (!body || at === "patch_id") return null;
  if (only === undefined) return body;
  return { ...body, required: [only], properties: { [only]: body.properties[only] } } as TSchema;
}
const line = (name: ActionName) => {
  const action = actionOf(name);
  const set = setOf(action) ? ` and set${action.only ? `.${action.only}` : ""}` : "";
  return `\`${name}\` (${action.runs}) with ${needsOf(action).join(", ")}${set}`;
};
/**
 * One variant per action, for the OpenAPI document. The service itself checks `set` with pointers into the operation's
 * body.
 */
const variants = actionNames.map((name) => {
  const action = actionOf(name);
  const set = setOf(action);
  return {
    title: name,
    description: `Runs ${action.runs}.`,
    "x-svc-operation": action.runs,
    type: "object",
    required: ["action", ...needsOf(action), ...(set ? ["set"] : [])],
    properties: { action: { type: "string", enum: [name] }, ...(set ? { set } : {}) },
  };
});
const target = Object.fromEntries(places.map((name) => [name, Type.Optional(Id)]));

const sent = {
  action: Type.Enum(actionNames, {
    description: `Which operation it is, and what it takes: ${actionNames.map(line).join("; ")}.`,
  }),
  ...(target as Record<(typeof places)[number], Type.TOptional<typeof Id>>),
  patch_id: Type.Optional({ ...Id, description: "Of a Document patch." }),
  version: Type.Optional({ ...Version, description: "Of the Document patch." }),
  revision: Type.Optional({ ...Revision, description: "The exact one that it must still have when it is changed." }),
  set: Type.Optional(open("The body of the operation that the action runs, under the rules of that operation.")),
  reason: Type.Optional({ ...Title(500), description: "Why, for whoever reviews it." }),
};
export const Change = object(sent, { variants });
export const EvidencePin = object({ id: Id, version: Version });

const Refused = object({
  code: { ...Type.String(), description: "The error code that the operation would answer with." },
  detail: Type.String(),
  errors: Type.Array(object({ pointer: Type.String(), code: Type.String(), detail: Type.String() })),
  current_revision: nullable(Revision),
});
const Effect = object({
  kind: Type.Enum(["change", "message", "milestone_completed"]),
  action: Type.String({ description: "The domain event of a change, the category of a message." }),
  target_kind: Type.String({ description: "Of what is touched; of a message, person." }),
  id: { ...nullable(Id), description: "Null of what does not exist yet." },
});
export const ProposedChange = object(
  {
    ...sent,
    document_id: Type.Optional({ ...Id, description: "That the Document patch is about." }),
    before: { ...nullable(open("The fields that it changes, as they are.")) },
    after: { ...nullable(open("The same as they would be; all of what is created. Null of what is deleted.")) },
    diff: { ...nullable(object({ blocks: Type.Array(BlockDifference), markdown_diff: Type.String() })) },
    effects: Type.Array(Effect, { description: "What else would happen." }),
    refusal: { ...nullable(Refused), description: "Why it cannot be done; null where it can." },
  },
  {
    variants,
    examples: [
      {
        ...{ action: "task.update", task_id: exampleId("task_id"), revision: "3", set: { priority: "high" } },
        ...{ before: { priority: "medium" }, after: { priority: "high" }, diff: null, effects: [], refusal: null },
      },
    ],
  },
);

/** Fields of a ChangeSet, both in a list and alone. */
const whereAndWhen = {
  review_url: { ...Type.String(), description: "Where its initiator reviews it, from the root of this service." },
  receipt_id: { ...nullable(Id), description: "Of the command that applied it: read it, or undo all of it." },
  created_at: Timestamp,
  expires_at: Timestamp,
  reviewed_at: nullable(Timestamp),
  applied_at: nullable(Timestamp),
};

export const ChangeSet = single(
  object({
    id: Id,
    version: Version,
    latest_version: Version,
    newest_version: { ...Version, description: "Deprecated: use latest_version.", deprecated: true },
    digest: Digest,
    state: Type.Enum([...states], {
      description:
        "draft: a change would be refused, so that it cannot be approved. proposed: waits for its review. " +
        "approved: can be applied. rejected, applied: decided. stale: what it builds on has moved on, " +
        "or there is a newer version. expired: not decided and applied within 7 days.",
    }),
    title: Type.String(),
    reason: nullable(Type.String()),
    initiator_actor_id: Id,
    changes: Type.Array(ProposedChange),
    evidence: Type.Array(
      object({
        ...EvidencePin.properties,
        available: Type.Boolean({ description: "Every source of it that is not excluded can be read by you now." }),
        state: Type.Enum(["current", "changed", "unavailable"], {
          description:
            "Of the sources that are not excluded. current: all say what they said when they were captured. " +
            "changed: one says something else. unavailable: you cannot read one now.",
        }),
      }),
    ),
    moved: Type.Array(
      object({
        change: Type.Integer({ minimum: 0, description: "Which change, from 0." }),
        revision: nullable(Revision),
        current_revision: { ...nullable(Revision), description: "Null where it is gone, or you cannot read it." },
      }),
      { description: "What has another revision now than the change names." },
    ),
    names: Type.Unsafe<Record<string, string>>({
      type: "object",
      additionalProperties: { type: "string" },
      description: "What the ids in before, after and effects are called.",
    }),
    ...whereAndWhen,
  }),
);

export const proposeChangeSet = op("POST /workspaces/{workspace_id}/change-sets", "Propose a ChangeSet", {
  description:
    `1 to ${MOST_CHANGES} changes, each against the exact revision that it names. They are tried, ` +
    "one after the other as they would be applied, and taken back: the answer tells of each what was, " +
    "what would be, what else would happen, and why it would be refused. Numbers and places of what is created " +
    "are given when it is applied. What exists is changed at most once. With change_set_id and its newest " +
    "version this is the next version, which needs a review of its own; that is also how a stale one is " +
    "refreshed. Every member may propose, viewers too: a proposal is private to its initiator and changes " +
    "nothing. A change that your role does not allow carries its refusal, so that the ChangeSet stays a " +
    "draft that can be neither approved nor applied.",
  auth: [S],
  private: true,
  idempotencyKey: "required",
  quiet: "A proposal is its initiator's own; what becomes of the work is told when it is applied.",
  body: object({
    title: Title(200),
    reason: Type.Optional({ ...MarkdownText, maxLength: 4000 }),
    changes: Type.Array(Change, { minItems: 1, maxItems: MOST_CHANGES }),
    evidence: Type.Optional(Type.Array(EvidencePin, { maxItems: MOST_EVIDENCE })),
    change_set_id: Type.Optional(Id),
    version: Type.Optional(Version),
  }),
  example: {
    title: "Hand the open bugs over",
    changes: [
      {
        action: "task.update",
        task_id: "01980000-0000-7000-8000-000000000001",
        revision: "3",
        set: { priority: "high" },
        reason: "It blocks the release.",
      },
    ],
  },
  returns: ChangeSet,
  errors: ["revision_conflict", "change_set_closed", "evidence_unavailable", "too_many_kept"],
});

export const ChangeSetRow = object({
  id: Id,
  version: { ...Version, description: "The newest." },
  state: Type.Enum([...states], { description: "As far as it is told without looking at what it builds on." }),
  title: Type.String(),
  reason: nullable(Type.String()),
  count: Type.Integer({ minimum: 1, description: "Changes in it." }),
  ...whereAndWhen,
});

export const listChangeSets = list("GET /workspaces/{workspace_id}/change-sets", "List your ChangeSets, newest first", {
  description:
    "Yours alone, each in its newest version. open: a decision or an application is still possible; decided: " +
    "rejected, applied or expired. Whether what it builds on has moved on is told when it is read.",
  unnamed: "a person finds what waits for their decision without the link that an assistant was given",
  tag: "Native work",
  auth: [S],
  private: true,
  query: object({ state: Type.Optional(Type.Enum(["open", "decided"])) }),
  items: ChangeSetRow,
});

export const getChangeSet = op("GET /workspaces/{workspace_id}/change-sets/{id}", "Read a ChangeSet", {
  description: "An exact version. What you cannot read any more is left out of before and after.",
  auth: [S],
  query: object({ version: Version }),
  returns: ChangeSet,
});

export const reviewChangeSet = op("POST /workspaces/{workspace_id}/change-sets/{id}/review", "Review a ChangeSet", {
  description:
    "Only its initiator, in a browser session, on the exact digest of the newest version. " +
    "No other credential and nobody else can: an approval that is not the initiator's own, given in a session, " +
    "cannot be stored. An approval can be taken back by rejecting, until it is applied. " +
    "Takes no Idempotency-Key: deciding the same again changes nothing.",
  auth: [S],
  private: true,
  idempotencyKey: "none",
  quiet: "A decision about one's own proposal; what becomes of the work is told when it is applied.",
  body: object({ version: Version, digest: Digest, decision: Type.Enum(["approve", "reject"]) }),
  example: {
    version: 1,
    digest: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    decision: "approve",
  },
  returns: ChangeSet,
  errors: ["digest_mismatch", "change_set_closed", "change_set_stale", "change_set_refused", "evidence_unavailable"],
});

export const applyChangeSet = op("POST /workspaces/{workspace_id}/change-sets/apply", "Apply an approved ChangeSet", {
  description:
    "All of it in one transaction, or nothing: each change as its operation does it, under its rules and your " +
    "present rights. It happens once: applying it again answers with what was applied. " +
    "`errors` of change_set_stale say which revisions moved, those of change_set_refused what cannot be done, " +
    "by the number of the change.",
  auth: [S],
  private: true,
  idempotencyKey: "required",
  takesNumber: true,
  body: object({ change_set_id: Id, version: Version, digest: Digest }),
  example: {
    change_set_id: "01980000-0000-7000-8000-000000000001",
    version: 1,
    digest: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  },
  returns: ChangeSet,
  errors: [
    "digest_mismatch",
    "change_set_not_approved",
    "change_set_closed",
    "change_set_stale",
    "change_set_refused",
    "evidence_unavailable",
  ],
});
