// Changes of a Project, shared by every operation: updates its row and records the event. The caller has locked the
// Project and checked the permission.
import { cachedSql, changes } from "../../platform/database/sql.ts";
import type { Context } from "../../platform/kernel/implement-operation.ts";
import type { ProjectTarget } from "./access.ts";
import { projectConfigured, projectDeleted, projectRestored, projectUpdated } from "./events.ts";
import { turned } from "./rules.ts";
import { usableState } from "./store.ts";
import { projectView } from "./view.ts";

type Fields = Record<string, unknown>;
const subjectOf = ({ id }: Pick<ProjectTarget, "id">) => ({ kind: "project", id, projectId: id });

/** Configuration fields; no feed shows them. */
const configuration = new Set(["visibility", "icon", "color", "published"]);
/**
 * Event fields. `published` replaces the public id, which events must not reveal: it must disappear when the Project is
 * unpublished.
 */
export const toldOf = ({ public_id, ...fields }: Fields): Fields =>
  public_id === undefined ? fields : { ...fields, published: public_id !== null };

/** Records one event for planning fields and one for configuration, as far as they changed. */
function recordChanges({ record }: Context, target: ProjectTarget, before: Fields, changed: Fields): void {
  const [was, is] = [toldOf(before), Object.entries(toldOf(changed))];
  for (const [fact, configures] of [
    [projectUpdated, false],
    [projectConfigured, true],
  ] as const) {
    const own = Object.fromEntries(is.filter(([field]) => configuration.has(field) === configures));
    if (Object.keys(own).length > 0) record(fact(subjectOf(target), turned(was, own, target.revision)));
  }
}

const updateSql = cachedSql(
  (assignments: string, state: string) => `
update projects p set ${assignments}, revision = revision + 1, updated_at = now() where workspace_id = $1 and id = $2
  ${state && `and exists (${usableState(state)})`}
returning ${projectView} as json, p.revision::text`,
);
/** Undefined if the state cannot be used. `before` holds all fields, `changed` those with a new value. */
export function changeProject(context: Context, target: ProjectTarget, before: Fields, changed: Fields) {
  const { tx, member } = context;
  const { assignments, values, fields } = changes(changed, 2);
  const stateAt = fields.indexOf("state_id");
  recordChanges(context, target, before, changed);
  return tx.maybe<{ json: string; revision: string }>(updateSql(assignments, stateAt < 0 ? "" : `$${3 + stateAt}`), [
    member.workspaceId,
    target.id,
    ...values,
  ]);
}

const UNPUBLISH = "delete from publications where workspace_id = $1 and kind = 'project' and resource_id = $2";
export const unpublish = ({ tx, member, defer }: Context, projectId: string) =>
  defer(tx.rows(UNPUBLISH, [member.workspaceId, projectId]));

const DROP = `
update projects set deleted_at = now(), public_id = null, revision = revision + 1, updated_at = now()
where workspace_id = $1 and id = $2`;
/** `empty` means that its creation is undone, which requires an empty Project. */
export function dropProject(context: Context, target: Pick<ProjectTarget, "id" | "key">, empty = false): void {
  const { tx, member, record, defer } = context;
  defer(tx.rows(DROP, [member.workspaceId, target.id]));
  unpublish(context, target.id);
  record(projectDeleted(subjectOf(target), { key: target.key, empty }));
}

const REVIVE = `
update projects set deleted_at = null, revision = revision + 1, updated_at = now() where workspace_id = $1 and id = $2`;
/** Restores a deleted Project with its contents. It is no longer public. */
export function reviveProject(
  { tx, member, record, defer }: Context,
  target: Pick<ProjectTarget, "id" | "key">,
  empty: boolean,
): void {
  defer(tx.rows(REVIVE, [member.workspaceId, target.id]));
  record(projectRestored(subjectOf(target), { key: target.key, empty }));
}
