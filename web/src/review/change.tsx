// One change of a ChangeSet, as it would be applied: target, reason, old and new value of each field, and side effects.
import { useId } from "react";
import { Notice } from "../account/page-elements.tsx";
import { say } from "../messages/t.ts";
import { compared, Difference, inWords, isShown, isText, labelOf, type Names, type Words } from "./values.tsx";

type Fields = Record<string, unknown>;
interface Effect {
  kind: "change" | "message" | "milestone_completed";
  action: string;
  target_kind: string;
  id: string | null;
}
export interface ReviewedChange {
  action: string;
  task_id?: string;
  project_id?: string;
  comment_id?: string;
  milestone_id?: string;
  document_id?: string;
  reason?: string;
  set?: Fields;
  before: Fields | null;
  after: Fields | null;
  diff: { blocks: { kind: string; words: Words[] }[] } | null;
  effects: Effect[];
  refusal: { detail: string; errors: { detail: string }[] } | null;
}

const verbs: Record<string, string> = {
  "task.create": "Create a Task",
  "task.update": "Change a Task",
  "task.assign": "Assign a Task",
  "task.label": "Label a Task",
  "task.move": "Move a Task to another Project",
  "task.trash": "Put a Task into the trash",
  "task.restore": "Take a Task out of the trash",
  "relation.create": "Relate two Tasks",
  "relation.update": "Change a relation",
  "relation.delete": "Remove a relation",
  "comment.create": "Comment on a Task",
  "comment.update": "Edit a comment",
  "milestone.create": "Create a Milestone",
  "milestone.update": "Change a Milestone",
  "milestone.delete": "Delete a Milestone",
  "time_entry.create": "Record time",
  "time_entry.update": "Correct recorded time",
  "time_entry.delete": "Void recorded time",
  "document.patch": "Change what a Document says",
};
const messages: Record<string, string> = {
  assigned: "is told that the Task is theirs",
  mentioned: "is told that they are mentioned",
  commented: "is told of the comment",
  status_changed: "is told of the new Status",
  review_requested: "is asked for a review",
  project_updates: "is told of the changed plan",
};

const aboutOf = ({ task_id, milestone_id, document_id, project_id }: ReviewedChange) =>
  task_id ?? milestone_id ?? document_id ?? project_id;

type Sides = Pick<ReviewedChange, "before" | "after">;
export function Rows({ fields, change, names }: { fields: readonly string[]; change: Sides; names: Names }) {
  return (
    <dl className="mt-2">
      {fields.map((field) => (
        <Row key={field} field={field} change={change} names={names} />
      ))}
    </dl>
  );
}
function Row({ field, change, names }: { field: string; change: Sides; names: Names }) {
  const [was, is] = [change.before?.[field], change.after?.[field]];
  const both = change.before !== null && change.after !== null;
  const texts = both && (isText(was) || isText(is));
  return (
    <div className="border-t border-line py-2 sm:grid sm:grid-cols-[8rem_1fr] sm:gap-3">
      <dt className="text-sm text-soft">{labelOf(field)}</dt>
      <dd className="min-w-0">
        {texts ? (
          <Difference words={compared(String(was ?? ""), String(is ?? ""))} />
        ) : both ? (
          <Difference
            words={[
              { kind: "removed", text: inWords(was, names, field) },
              { kind: "same", text: " → " },
              // The timestamp of the preview differs from that of the application.
              {
                kind: "added",
                text: field.endsWith("_at") && is !== null ? say("when it is applied") : inWords(is, names, field),
              },
            ]}
          />
        ) : (
          <Difference
            words={[{ kind: change.after ? "added" : "removed", text: inWords(change.after ? is : was, names, field) }]}
          />
        )}
      </dd>
    </div>
  );
}

/** Changed blocks, with the number of unchanged blocks skipped between them. */
function Blocks({ blocks }: { blocks: NonNullable<ReviewedChange["diff"]>["blocks"] }) {
  const counted = blocks.map((block, at) => ({ ...block, at }));
  const changed = counted.filter(({ kind }) => kind !== "same");
  return (
    <div className="space-y-2 border-t border-line py-2">
      {changed.map(({ at, words }, place) => {
        const skipped = at - (changed[place - 1]?.at ?? -1) - 1;
        return (
          <div key={at}>
            {skipped > 0 && (
              <p className="text-sm text-soft">
                … {skipped === 1 ? say("one unchanged block") : say("{count} unchanged blocks", { count: skipped })}
              </p>
            )}
            <Difference words={words} />
          </div>
        );
      })}
    </div>
  );
}

function sentence({ kind, action, id }: Effect, names: Names): string {
  const name = (id && names[id]) || say("Something");
  if (kind === "message") return `${name} ${say(messages[action] ?? "gets a message")}.`;
  if (kind === "milestone_completed") return say("The Milestone {name} is complete then.", { name });
  return say("{name} changes too: {what}.", { name, what: action.replace(/^[^.]+\./, "").replaceAll(/[._]/g, " ") });
}

export function ChangeCard({ change, place, names }: { change: ReviewedChange; place: number; names: Names }) {
  const { action, before, after, diff, effects, refusal, reason } = change;
  const id = useId();
  const about = aboutOf(change);
  const fields = Object.keys({ ...before, ...after }).filter(
    (field) => (before && after) || isShown(field, (after ?? before)?.[field]),
  );
  return (
    <article aria-labelledby={id} className="rounded-lg border border-line p-4">
      <h3 id={id} className="font-semibold break-words">
        {place}. {say(verbs[action] ?? action)}
        {about && names[about] && (
          <>
            {about === change.project_id ? say(" in ") : ": "}
            <bdi>{names[about]}</bdi>
          </>
        )}
      </h3>
      {reason && (
        <p className="mt-1 text-soft break-words">
          {say("Because:")} {reason}
        </p>
      )}
      {refusal && (
        <div className="mt-2">
          <Notice tone="bad" title={say("This cannot be done")}>
            {[refusal.detail, ...refusal.errors.map(({ detail }) => detail)].join(" ")}
          </Notice>
        </div>
      )}
      {diff ? (
        <Blocks blocks={diff.blocks} />
      ) : (
        fields.length > 0 && <Rows fields={fields} change={change} names={names} />
      )}
      {!refusal && !diff && fields.length === 0 && <p className="mt-2 text-soft">{say("Nothing would change.")}</p>}
      {effects.length > 0 && (
        <div className="mt-2 border-t border-line pt-2">
          <h4 className="text-sm font-semibold">{say("What comes of it")}</h4>
          <ul className="list-disc pl-5 marker:text-soft">
            {effects.map((effect) => (
              <li key={JSON.stringify(effect)} className="break-words">
                {sentence(effect, names)}
              </li>
            ))}
          </ul>
        </div>
      )}
    </article>
  );
}
