// What an answer waits for a person to decide. The first valid decision wins; what has expired, or whose message has changed, decides nothing. An approval reviews
// exactly the version of the ChangeSet that it is bound to, with the rule of that review, in the same commit.
import { reviewChangeSet } from "@svc/contract/changes/change-sets.ts";
import * as contract from "@svc/contract/discuss/interactions.ts";
import { type Access, type Context, implement } from "../kernel/implement.ts";
import { perform } from "../kernel/perform.ts";
import { refuse, refuseAt } from "../wire/problem.ts";
import { decide, holdInteraction, type InteractionRow, interactionOf } from "./interaction-store.ts";
import { queueAnswer } from "./queue-change.ts";
import type { PartOf } from "./rules.ts";
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

/** What is chosen, as one of its choices. */
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

async function review(context: Context, held: InteractionRow, body: Body) {
  const { change_set_id, change_set_version, digest } = held;
  const bound = { change_set_id, version: change_set_version, digest };
  const said = body.change_set_review;
  if (body.decision === "approve" && !said)
    refuseAt("/body/change_set_review", "invalid_request", "is needed to approve", "required");
  if (said && (said.change_set_id !== change_set_id || said.version !== change_set_version))
    refuse("revision_conflict");
  if (said && said.digest !== digest) refuse("digest_mismatch");
  const { workspaceId } = context.member;
  const { written } = await perform(context, context.implementationOf(reviewChangeSet), {
    params: { workspace_id: workspaceId, id: change_set_id as string },
    body: { version: bound.version, digest, decision: body.decision },
  });
  await written;
}

export const decideDiscussInteraction = implement(
  contract.decideDiscussInteraction,
  own,
  async (context, { target: { id, message_id }, body }) => {
    const { tx, member } = context;
    const [held = refuse("not_found"), message = refuse("not_found")] = await Promise.all([
      holdInteraction(tx, id),
      messageOf(tx, message_id),
    ]);
    requireOpen(held, body.version);
    const part = partIn(message, id) ?? closed("stale");
    const choice = choiceOf(part, body);
    if (held.kind === "approval") await review(context, held, body);
    const goesOn = choice !== "reject" && choice !== "leave";
    const next = goesOn
      ? await queueAnswer(context, message.turn_id, {
          kind: "decided",
          interaction_id: id,
          choice_id: choice,
          metadata: held.metadata,
        })
      : null;
    const decided: PartOf<"interaction"> = { ...part, state: "decided", version: part.version + 1 };
    const parts = message.parts.map((each) => (each === part ? decided : each));
    const decision = { id, actorId: member.actorId, messageId: message.id, decision: body.decision, choice, parts };
    const [, now = refuse("not_found")] = await Promise.all([decide(tx, decision), messageOf(tx, message.id)]);
    return { interaction: decided, message: messageView(now), assistant_message: next && messageView(next) };
  },
);
