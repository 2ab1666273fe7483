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
    description: `Operation of the change and its input: ${actionNames.map(line).join("; ")}.`,
  }),
  ...(target as Record<(typeof places)[number], Type.TOptional<typeof Id>>),
  patch_id: Type.Optional({ ...Id, description: "Id of a Document patch." }),
  version: Type.Optional({ ...Version, description: "Version of the Document patch." }),
  revision: Type.Optional({ ...Revision, description: "Exact revision that the resource must still have." }),
  set: Type.Optional(open("The body of the operation that the action runs, under the rules of that operation.")),
  reason: Type.Optional({ ...Title(500), description: "Reason for the change, shown to the reviewer." }),
};
export const Change = object(sent, { variants });
export const EvidencePin = object({ id: Id, version: Version });

const Refused = object({
  code: { ...Type.String(), description: "Error code of the operation." },
  detail: Type.String(),
  errors: Type.Array(object({ pointer: Type.String(), code: Type.String(), detail: Type.String() })),
  current_revision: nullable(Revision),
});
const Effect = object({
  kind: Type.Enum(["change", "message", "milestone_completed"]),
  action: Type.String({ description: "Domain event of a change, or category of a notification." }),
  target_kind: Type.String({ description: "Kind of the affected resource; person for a notification." }),
  id: { ...nullable(Id), description: "Id; null for a resource that does not exist yet." },
});
export const ProposedChange = object(
  {
    ...sent,
    document_id: Type.Optional({ ...Id, description: "Document of the Document patch." }),
    before: { ...nullable(open("Changed fields with their current values.")) },
    after: {
      ...nullable(open("Changed fields with their new values, or all fields of a new resource. Null for a deletion.")),
    },
    diff: { ...nullable(object({ blocks: Type.Array(BlockDifference), markdown_diff: Type.String() })) },
    effects: Type.Array(Effect, { description: "Side effects of the change." }),
    refusal: { ...nullable(Refused), description: "Reason of the refusal; null if the change is accepted." },
  },
  {
    variants,
    examples: [
      {
        action: "task.update",
        task_id: exampleId("task_id"),
        revision: "3",
        set: { priority: "high" },
        before: { priority: "medium" },
        after: { priority: "high" },
        diff: null,
        effects: [],
        refusal: null,
      },
    ],
  },
);

/** Fields of a ChangeSet, both in a list and alone. */
const whereAndWhen = {
  review_url: { ...Type.String(), description: "Page where its initiator reviews it, from the root of this service." },
  receipt_id: { ...nullable(Id), description: "Receipt of the command that applied it, to read it or undo all of it." },
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
        "draft: a change would be refused, so that it cannot be approved. proposed: it waits for review. " +
        "approved: it can be applied. rejected, applied: decided. stale: a resource that it depends on has " +
        "changed, or there is a newer version. expired: it was not decided and applied within 7 days.",
    }),
    title: Type.String(),
    reason: nullable(Type.String()),
    initiator_actor_id: Id,
    changes: Type.Array(ProposedChange),
    evidence: Type.Array(
      object({
        ...EvidencePin.properties,
        available: Type.Boolean({ description: "Whether you can currently read every source that is not excluded." }),
        state: Type.Enum(["current", "changed", "unavailable"], {
          description:
            "State of the sources that are not excluded. current: none has changed since the capture. changed: " +
            "at least one has changed. unavailable: you currently cannot read at least one.",
        }),
      }),
    ),
    moved: Type.Array(
      object({
        change: Type.Integer({ minimum: 0, description: "Index of the change, from 0." }),
        revision: nullable(Revision),
        current_revision: {
          ...nullable(Revision),
          description: "Current revision; null if the resource is deleted or you cannot read it.",
        },
      }),
      { description: "Resources whose revision differs from the one in the change." },
    ),
    names: Type.Unsafe<Record<string, string>>({
      type: "object",
      additionalProperties: { type: "string" },
      description: "Names of the ids in before, after and effects.",
    }),
    ...whereAndWhen,
  }),
);

export const proposeChangeSet = op("POST /workspaces/{workspace_id}/change-sets", "Propose a ChangeSet", {
  description:
    `Takes 1 to ${MOST_CHANGES} changes, each against an exact revision. The changes are tried in ` +
    "order and rolled back: the answer has for each change the values before and after, the side " +
    "effects, and the reason of a refusal. Numbers and positions of new resources are assigned when it " +
    "is applied. An existing resource can be changed at most once. With change_set_id and its newest " +
    "version it creates the next version, which needs its own review; that also refreshes a stale one. " +
    "Every member may propose, viewers too: a proposal is private to its initiator and changes " +
    "nothing. A change that your role does not allow has a refusal, so that the ChangeSet remains a " +
    "draft that can be neither approved nor applied.",
  auth: [S],
  private: true,
  idempotencyKey: "required",
  quiet: "A proposal is private to its initiator; the changes are recorded when it is applied.",
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
  version: { ...Version, description: "Newest version." },
  state: Type.Enum([...states], {
    description: "State of the newest version, without checking whether the resources that it depends on have changed.",
  }),
  title: Type.String(),
  reason: nullable(Type.String()),
  count: Type.Integer({ minimum: 1, description: "Number of changes." }),
  ...whereAndWhen,
});

export const listChangeSets = list("GET /workspaces/{workspace_id}/change-sets", "List your ChangeSets, newest first", {
  description:
    "Lists your private ChangeSets, each in its newest version. open: a decision or an application is " +
    "still possible; decided: rejected, applied or expired. Whether one is stale is checked only when " +
    "you read it.",
  unnamed: "a person finds the ChangeSets that wait for their decision without the link that an assistant was given",
  tag: "Native work",
  auth: [S],
  private: true,
  query: object({ state: Type.Optional(Type.Enum(["open", "decided"])) }),
  items: ChangeSetRow,
});

export const getChangeSet = op("GET /workspaces/{workspace_id}/change-sets/{id}", "Read a ChangeSet", {
  description: "Returns an exact version. Values that you can no longer read are left out of before and after.",
  auth: [S],
  query: object({ version: Version }),
  returns: ChangeSet,
});

export const reviewChangeSet = op("POST /workspaces/{workspace_id}/change-sets/{id}/review", "Review a ChangeSet", {
  description:
    "Only the initiator can review it, in a browser session, with the exact digest of the newest " +
    "version. Any other person or credential is refused: the database stores only approvals that the " +
    "initiator gives in a session. Rejecting withdraws an approval until the ChangeSet is applied. " +
    "Takes no Idempotency-Key: repeating a decision changes nothing.",
  auth: [S],
  private: true,
  idempotencyKey: "none",
  quiet: "A decision concerns the initiator's own proposal; the changes are recorded when it is applied.",
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
    "Applies all changes in one transaction, or none: each by the rules of its operation and with your " +
    "current rights. Applying it again returns the first result. `errors` of change_set_stale list the " +
    "revisions that changed, those of change_set_refused the refused changes by their index.",
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
