// Texts about Agents: translated name and description, triggers and usage.
import type { Operations } from "@svc/client";
import { has, type Key, spoken, t } from "../messages/t.ts";

export type Definition = Awaited<ReturnType<Operations["getStudioDefinition"]>>;
export type AgentOption = Awaited<ReturnType<Operations["listAgentDefinitions"]>>["items"][number];
export type Agent = Awaited<ReturnType<Operations["listAgents"]>>["items"][number];
export type Run = Awaited<ReturnType<Operations["listAgentRuns"]>>["items"][number];
export type Trigger = AgentOption["triggers"][number];

/** RUNS matches hints about runs; BUT_RUNS matches all other hints about Agents. */
export const RUNS = /^agent_run$/;
export const BUT_RUNS = /^agent(?!_run)/;

/** Tools that an Agent can be granted, by their API names. */
export const toolNames = [
  ...["find", "list_tasks", "get_task", "list_projects", "get_project", "list_documents", "get_document", "my_work"],
  ...["create_task", "update_task", "advance_task", "comment", "log_time"],
  ...["create_document", "patch_document", "propose_changes"],
];
export const events = [
  ...["task.created", "task.status_changed", "task.priority_changed", "task.labels_changed", "task.dates_changed"],
  ...["task.comment.created", "document.created", "document.content_updated", "milestone.stage_changed"],
] as NonNullable<Trigger["action"]>[];

export const toolText = (tool: string) => (has(`tool.${tool}`) ? t(`tool.${tool}` as Key) : tool);
/** Name and description in the current language; only curated Agents have translations. */
export function named({
  name,
  description,
  translations,
}: Pick<AgentOption, "name" | "description"> & Partial<AgentOption>) {
  const found = translations?.find(({ language }) => language === spoken());
  return { name: found?.name ?? name, description: found?.description ?? description };
}
export const eventText = (action: string) => t(`agents.event.${action.replaceAll(".", "_")}` as Key);
export function triggerText({ kind, at, timezone, action }: Trigger): string {
  if (kind === "event" && action) return eventText(action);
  if (kind === "schedule" && at) return t("agents.triggerAt", { at, timezone: timezone ?? "" });
  return t(`agents.trigger.${kind}`);
}
/** Reason why an Agent is not active: the translation of a known code, or the text that a member wrote. */
export const reasonText = (reason: string) =>
  has(`agents.reason.${reason}`) ? t(`agents.reason.${reason}` as Key) : reason;
