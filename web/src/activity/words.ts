// Texts for activity entries: translates the service's localization keys and the names of changed fields.
import { has, type Key, t } from "../messages/t.ts";
import type { Item } from "./entries.ts";

type Change = Item["changes"][number];

/**
 * Verb of an action, such as "created", "moved" or "commented on". An action without a translation gets a generic verb.
 */
export function deedOf(action: string): string {
  const key = `did.${action.replace(/^activity\./, "")}`;
  return has(key) ? t(key) : t("did.other");
}

const fields: Record<string, Key> = {
  status: "task.status",
  assignee: "task.assignee",
  priority: "task.priority",
  milestone: "task.milestone",
  start_date: "task.start",
  due_date: "task.due",
  target_date: "milestone.target",
  title: "task.title",
  name: "field.name",
  project: "task.project",
  parent: "field.parent",
  state: "field.stage",
  stage: "field.stage",
  labels: "task.labels",
  description: "task.description",
  blocks: "field.blocks",
  blocked_by: "field.blockedBy",
};
/**
 * Describes a field change, such as "Status: Todo → Done". Returns null for long texts and for changes that only repeat
 * the action.
 */
export function changeText({ field, from, to }: Change): string | null {
  const name = fields[field];
  // A creation entry already shows the new title or name.
  if ((field === "title" || field === "name") && (from === undefined || from === null)) return null;
  if (!name || (from === undefined && to === undefined)) return null;
  if (isText(from) || isText(to)) return null;
  const [was, is] = [from, to].map((value) => told(field, value));
  return from === undefined || from === null ? `${t(name)}: ${is}` : `${t(name)}: ${was} → ${is}`;
}
const isText = (value: Change["from"]) => typeof value === "object" && value !== null && "revision" in value;

function told(field: string, value: Change["from"]): string {
  if (value === null || value === undefined) return t("ui.none");
  if (Array.isArray(value)) return value.map((each) => told(field, each)).join(", ") || t("ui.none");
  if (typeof value === "object") {
    if (!("name" in value)) return "";
    const { code, name } = value;
    return [code, name].filter(Boolean).join(" ") || "…";
  }
  if (field === "priority" && has(`task.priority.${value}`)) return t(`task.priority.${value}` as Key);
  return String(value);
}
