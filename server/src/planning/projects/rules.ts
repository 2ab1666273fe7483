// What a caller may do in a Project: the Workspace role, narrowed or widened by the Project role. Pure.

import { may } from "../../accounts/workspaces/rules.ts";
import type { Role } from "../../platform/kernel/authenticate.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";

export type ProjectRole = "lead" | "member" | "viewer";
export type WorkCapability = "work:read" | "work:write" | "work:manage";

/** A Workspace viewer writes nothing anywhere; a Project viewer reads only; a lead manages this Project. */
export function workCapabilities(role: Role, projectRole: ProjectRole | null): WorkCapability[] {
  if (may(role, "work:manage")) return ["work:read", "work:write", "work:manage"];
  if (!may(role, "work:write") || projectRole === "viewer") return ["work:read"];
  return projectRole === "lead" ? ["work:read", "work:write", "work:manage"] : ["work:read", "work:write"];
}

export type DocumentVerb = "documents:read" | "documents:write" | "documents:manage";
const VERBS = {
  "work:read": "documents:read",
  "work:write": "documents:write",
  "work:manage": "documents:manage",
} as const;
/** Of the Documents in a Project; or in none, and then by the role in the Workspace alone. */
export const documentVerbs = (role: Role, projectRole: ProjectRole | null): DocumentVerb[] =>
  workCapabilities(role, projectRole).map((word) => VERBS[word]);

/** ENG-M3, or the number alone, which says nothing of the Project. */
export function milestoneCode(code: string) {
  const [number = "", key = null] = code.toUpperCase().split("-M").reverse();
  return { key, number };
}

/**
 * What completing leads to: the one asked for, the only one there is, or the one that the Project's policy names. Several without a choice
 * are for the caller to choose from.
 */
export function completionTarget<Choice extends { id: string; name: string }>(
  choices: readonly Choice[],
  asked: string | undefined,
  named: string | null,
): Choice {
  const [only, ...others] = choices;
  const found = (id: string | null | undefined) => choices.find((choice) => choice.id === id?.toLowerCase());
  if (!only) return refuse("completion_target_unavailable");
  if (asked !== undefined)
    return (
      found(asked) ?? refuseAt("/query/target_status_id", "completion_target_invalid", "must count as completed here")
    );
  if (others.length === 0) return only;
  return (
    found(named) ?? refuse("completion_target_required", { choices: choices.map(({ id, name }) => ({ id, name })) })
  );
}

type Fields = Record<string, unknown>;
const TEXT = "description_markdown";
/**
 * What an event tells of a change: what was and what is of the fields that it changes. Of a text it tells the revisions that have it, and keeps both
 * texts beside for whoever undoes.
 */
export function turned(before: Fields, changed: Fields, revision: string) {
  const from = Object.fromEntries(Object.keys(changed).map((field) => [field, before[field] ?? null]));
  if (!(TEXT in changed)) return { from, to: changed };
  const texts = { from: from[TEXT], to: changed[TEXT] };
  const [was, is] = [revision, String(BigInt(revision) + 1n)];
  return { from: { ...from, [TEXT]: was }, to: { ...changed, [TEXT]: is }, texts };
}
