// Pure rules: capabilities in a Project, from the Workspace role narrowed or widened by the Project role.

import { may } from "../../accounts/workspaces/rules.ts";
import type { Role } from "../../platform/kernel/authentication.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";

export type ProjectRole = "lead" | "member" | "viewer";
export type WorkCapability = "work:read" | "work:write" | "work:manage";

/** A Workspace viewer writes nothing; a Project viewer only reads; a lead manages the Project. */
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
/** Capabilities on Documents in a Project; outside of Projects, by the Workspace role alone. */
export const documentVerbs = (role: Role, projectRole: ProjectRole | null): DocumentVerb[] =>
  workCapabilities(role, projectRole).map((word) => VERBS[word]);

/** Parses ENG-M3, or the number alone, which names no Project. */
export function milestoneCode(code: string) {
  const [number = "", key = null] = code.toUpperCase().split("-M").reverse();
  return { key, number };
}

/**
 * Target of a completion: the requested one, the only one, or the one named by the Project's policy. If none of these
 * decides between several, refuses with the choices.
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
 * Event payload of a change: former and new values of the changed fields. For a text it contains the revisions that
 * have it; `texts` holds both texts for undo.
 */
export function turned(before: Fields, changed: Fields, revision: string) {
  const from = Object.fromEntries(Object.keys(changed).map((field) => [field, before[field] ?? null]));
  if (!(TEXT in changed)) return { from, to: changed };
  const texts = { from: from[TEXT], to: changed[TEXT] };
  const [was, is] = [revision, String(BigInt(revision) + 1n)];
  return { from: { ...from, [TEXT]: was }, to: { ...changed, [TEXT]: is }, texts };
}
