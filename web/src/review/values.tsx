// Formats field values of a review: resolves ids to names and diffs texts. User content always renders as text.

import { difference } from "@svc/document/difference.ts";
import { say } from "../messages/t.ts";
import { momentText } from "../ui/formats/dates.ts";

export type Names = Record<string, string>;
export interface Words {
  kind: "same" | "removed" | "added";
  text: string;
}

const labels: Record<string, string> = {
  title: "Title",
  name: "Name",
  description_markdown: "Description",
  markdown: "Text",
  priority: "Priority",
  status_id: "Status",
  stage_id: "Stage",
  assignee_actor_id: "Assignee",
  milestone_id: "Milestone",
  label_ids: "Labels",
  parent_id: "Part of",
  project_id: "Project",
  start_date: "Start",
  due_date: "Due",
  target_date: "Target",
  started_at: "Started",
  completed_at: "Done",
  trashed_at: "In the trash since",
  task_id: "Task",
  kind: "Relation",
  related_task_id: "Other Task",
  position: "Place",
  duration: "Time",
  work_date: "Day",
  note: "Note",
  step: "Step",
  content_revision: "Revision",
};
/** Values with a translation. */
const spoken: Record<string, Record<string, string>> = {
  priority: { low: "low", medium: "medium", high: "high", urgent: "urgent" },
  step: { start: "start", finish: "finish", reopen: "reopen" },
};
/** Hides empty and unlabelled fields of created and deleted resources. */
export const isShown = (field: string, value: unknown) =>
  field in labels && value !== null && value !== "" && !(Array.isArray(value) && value.length === 0);
export const labelOf = (field: string) =>
  (labels[field] ? say(labels[field]) : null) ?? field.replace(/_id$/, "").replaceAll("_", " ");

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
export function inWords(value: unknown, names: Names, field = ""): string {
  const words = spoken[field]?.[String(value)];
  if (words) return say(words);
  if (value === null || value === undefined || value === "") return say("none");
  if (Array.isArray(value))
    return value.length === 0 ? say("none") : value.map((each) => inWords(each, names)).join(", ");
  if (typeof value === "object") return JSON.stringify(value);
  const text = String(value);
  if (ID.test(text)) return names[text] ?? say("something that you cannot see");
  return /^\d{4}-\d\d-\d\dT/.test(text) ? momentText(text, document.documentElement.lang) : text;
}

/** True if the value is long enough for a word diff. */
export const isText = (value: unknown) => typeof value === "string" && (value.length > 40 || value.includes("\n"));
const wordsIn = (text: string) => text.match(/[\p{L}\p{N}\p{M}]+|\s+|[^\p{L}\p{N}\p{M}\s]/gu) ?? [];
export function compared(before: string, after: string): Words[] {
  const [was, is] = [wordsIn(before), wordsIn(after)];
  return difference(was, is).map(({ kind, from, to, count }) => ({
    kind,
    text: (kind === "added" ? is.slice(to, to + count) : was.slice(from, from + count)).join(""),
  }));
}

export function Difference({ words }: { words: readonly Words[] }) {
  let place = 0;
  return (
    <p className="whitespace-pre-wrap break-words">
      {words.map(({ kind, text }) => {
        place += text.length;
        const key = `${kind}${place}`;
        if (kind === "same") return <span key={key}>{text}</span>;
        const [Tag, look, said] =
          kind === "added"
            ? (["ins", "bg-good-wash text-good", "added: "] as const)
            : (["del", "bg-bad-wash text-bad", "removed: "] as const);
        return (
          <Tag key={key} className={`rounded-sm px-0.5 ${look}`}>
            <span className="sr-only">{say(said)}</span>
            {text}
          </Tag>
        );
      })}
    </p>
  );
}
