// Interactions: questions of an answer that its person decides. The first valid decision wins; one that has expired, or
// whose message has changed, cannot be decided. An approval reviews exactly the version of the ChangeSet that it is
// bound to, with the rule of that review, in the same commit. An approval that comes too late makes the interaction
// stale and queues an answer that proposes the change again.
import * as contract from "@svc/contract/assistant/discuss/interactions.ts";
import { reviewChangeSet } from "@svc/contract/history/proposals/change-sets.ts";
import { type Access, type Context, implement } from "../../platform/kernel/implement-operation.ts";
import { perform } from "../../platform/kernel/nested-operation.ts";
import { Refusal, refuse, refuseAt } from "../../platform/wire/problem.ts";
import { decide, holdInteraction, type InteractionRow, interactionOf } from "./answers/interaction-store.ts";
import { placeForAnswer, queueAnswer } from "./answers/queue-change.ts";
import { AGAIN, type PartOf } from "./rules.ts";
import { messageOf } from "./store.ts";
import { type MessageRow, messageView } from "./view.ts";

const own: Access<InteractionRow> = {
  reach: "membership",
  load: (tx, { interaction_id }) => interactionOf(tx, interaction_id as string),
  permits: () => true,
};

const closed = (code: string) =>
  refuse("interaction_closed", { errors: [{ pointer: "/state", code, detail: `it is ${code}` }] });

function requireOpen(held: InteractionRow, version: number): void {
  if (held.version !== version) refuse("revision_conflict", { current_revision: String(held.version) });
  if (held.decided) closed("decided");
  if (held.expired) closed("expired");
  if (held.message_revision === null || held.message_revision !== held.current_revision) closed("stale");
}

const partIn = (message: MessageRow, id: string) =>
  message.parts.find(
    (part): part is PartOf<"interaction"> => part.kind === "interaction" && part.interaction_id === id,
  );

interface Body {
  decision: "approve" | "reject" | "choose";
  choice_id?: string;
  change_set_review?: { change_set_id: string; version: number; digest: string };
}

/** Id of the choice that the decision selects. */
function choiceOf(part: PartOf<"interaction">, { decision, choice_id }: Body): string {
  const choice = decision === "choose" ? choice_id : decision;
  if (choice === undefined) return refuseAt("/body/choice_id", "invalid_request", "is needed to choose", "required");
  if (!part.choices.some(({ id }) => id === choice))
    refuseAt(
      decision === "choose" ? "/body/choice_id" : "/body/decision",
      "invalid_request",
      "is none of its choices",
      "not_allowed",
    );
  return choice;
}

/** Loaded in parallel with everything else that a decision needs: each round-trip counts. */
const changeSetOf = ({ tx, member, implementationOf }: Context, id: string | null) =>
  id === null
    ? null
    : implementationOf(reviewChangeSet).access.load(tx, { workspace_id: member.workspaceId, id }, true);
async function review(context: Context, held: InteractionRow, changeSet: unknown, body: Body) {
  const { change_set_id, change_set_version, digest } = held;
  const bound = { change_set_id, version: change_set_version, digest };
  const said = body.change_set_review;
  if (body.decision === "approve" && !said)
    refuseAt("/body/change_set_review", "invalid_request", "is needed to approve", "required");
  if (said && (said.change_set_id !== change_set_id || said.version !== change_set_version))
    refuse("revision_conflict");
  if (said && said.digest !== digest) refuse("digest_mismatch");
  const { workspaceId } = context.member;
  const step = {
    params: { workspace_id: workspaceId, id: change_set_id as string },
    body: { version: bound.version, digest, decision: body.decision },
  };
  await perform(context, context.implementationOf(reviewChangeSet), step, changeSet ?? refuse("not_found"));
}
/**
 * The ChangeSet was decided elsewhere, or is based on older revisions: the review refuses it before it writes anything.
 */
const TOO_LATE = new Set(["change_set_stale", "change_set_refused", "change_set_closed"]);
const isTooLate = (error: unknown) => error instanceof Refusal && TOO_LATE.has(error.code);

export const decideDiscussInteraction = implement(
  contract.decideDiscussInteraction,
  own,
  async (context, { target: { id, message_id, change_set_id }, body }) => {
    const { tx, member, principal, defer } = context;
    const stops = body.decision === "reject" || (body.decision === "choose" && body.choice_id === "leave");
    const [held = refuse("not_found"), message = refuse("not_found"), changeSet, place] = await Promise.all([
      holdInteraction(tx, id),
      messageOf(tx, message_id),
      changeSetOf(context, change_set_id),
      stops ? null : placeForAnswer(context, body.decision === "choose"),
    ]);
    requireOpen(held, body.version);
    const part = partIn(message, id) ?? closed("stale");
    const choice = choiceOf(part, body);
    const isStale =
      held.change_set_id !== null &&
      (await review(context, held, changeSet, body).then(
        () => false,
        (error) => isTooLate(error) || Promise.reject(error),
      ));
    const chosen = isStale ? AGAIN : choice;
    const input = { kind: "decided" as const, interaction_id: id, choice_id: chosen, metadata: held.metadata };
    const next = place && queueAnswer(context, place, message.turn_id, input);
    const decided: PartOf<"interaction"> = { ...part, state: isStale ? "stale" : "decided", version: part.version + 1 };
    const parts = message.parts.map((each) => (each === part ? decided : each));
    const decision = {
      id,
      actorId: member.actorId,
      messageId: message.id,
      decision: body.decision,
      choice: chosen,
      parts,
    };
    defer(decide(tx, decision));
    const revision = String(BigInt(message.revision) + 1n);
    const now = { ...message, parts, revision, updated_at: principal.now };
    return { interaction: decided, message: messageView(now), assistant_message: next && messageView(next) };
  },
);
