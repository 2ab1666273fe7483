// What every change of a Project does, whichever operation asks for it: its row is written and the change is told. The Project is locked, and that
// the caller may is found out before.
import { cachedSql, changes } from "../../platform/database/sql.ts";
import type { Context } from "../../platform/kernel/implement.ts";
import type { ProjectTarget } from "./access.ts";
import { projectConfigured, projectDeleted, projectRestored, projectUpdated } from "./events.ts";
import { turned } from "./rules.ts";
import { usableState } from "./store.ts";
import { projectView } from "./view.ts";

type Fields = Record<string, unknown>;
const subjectOf = ({ id }: Pick<ProjectTarget, "id">) => ({ kind: "project", id, projectId: id });

/** Configuration appears in no feed. */
const configuration = new Set(["visibility", "icon", "color", "published"]);
/** The public name is told to nobody: once it is taken back, it is gone. */
export const toldOf = ({ public_id, ...fields }: Fields): Fields =>
  public_id === undefined ? fields : { ...fields, published: public_id !== null };

/** One fact for the plan and one for the looks, as far as they change. */
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
/** No row where its state cannot be used. `before` has all of its fields, `changed` those that are to be different. */
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
update projects set deleted_at = now(), public_id = null, revision = revision + 1, updated_at = now() where workspace_id = $1 and id = $2`;
/** `empty`: because its creation is undone, which needs that nothing is in it. */
export function dropProject(context: Context, target: Pick<ProjectTarget, "id" | "key">, empty = false): void {
  const { tx, member, record, defer } = context;
  defer(tx.rows(DROP, [member.workspaceId, target.id]));
  unpublish(context, target.id);
  record(projectDeleted(subjectOf(target), { key: target.key, empty }));
}

const REVIVE = `
update projects set deleted_at = null, revision = revision + 1, updated_at = now() where workspace_id = $1 and id = $2`;
/** One that was deleted, with all that is in it. It is not public any more. */
export function reviveProject(
  { tx, member, record, defer }: Context,
  target: Pick<ProjectTarget, "id" | "key">,
  empty: boolean,
): void {
  defer(tx.rows(REVIVE, [member.workspaceId, target.id]));
  record(projectRestored(subjectOf(target), { key: target.key, empty }));
}
