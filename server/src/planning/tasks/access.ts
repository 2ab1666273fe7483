// Access rules of Tasks: visible to everyone who can see the Project. Found by id, or by a current or former code, with
// a case-insensitive key.
import type { Queries } from "../../platform/database/db.ts";
import { locked } from "../../platform/database/sql.ts";
import type { Access } from "../../platform/kernel/implement-operation.ts";
import {
  type InProject,
  inProject,
  permits,
  projectClosed,
  projectOfCaller,
  projectVisible,
  unsealedFor,
} from "../projects/access.ts";
import type { WorkCapability } from "../projects/rules.ts";
import { taskView } from "./view.ts";

export interface TaskTarget extends InProject {
  id: string;
  project_id: string;
  project_key: string;
  revision: string;
  trashed: boolean;
  /** Loaded on reads: the description has an open collaboration session with edits that are not checkpointed yet. */
  unsealed?: boolean;
  /** Wire representation; empty if only something inside the Task is listed or created. */
  json: string;
}

const select = (columns: string, where: string) => `
select t.id, t.project_id, p.key as project_key, t.revision::text, t.trashed_at is not null as trashed,
  ${inProject}${columns}
from tasks t join projects p on p.workspace_id = t.workspace_id and p.id = t.project_id ${projectOfCaller}
where t.workspace_id = current_workspace() and ${where} and ${projectVisible}`;

const read = (view: string, where: string) => select(`, ${view} as json, ${unsealedFor("t")} as unsealed`, where);
const READ = read(taskView(), "t.id = $1");
/**
 * Numbers are never reused, so a code belongs to one Task, which may have it from before a move. $1 is the key, $2 the
 * number.
 */
export const idByCode = `(
  select coalesce(
    (select n.id from tasks n where n.workspace_id = k.workspace_id and n.project_id = k.id and n.number = $2),
    (select o.task_id from task_codes o
    where o.workspace_id = k.workspace_id and o.project_id = k.id and o.number = $2))
  from projects k where k.workspace_id = current_workspace() and k.key = $1)`;
const READ_BY_CODE = read(taskView(), `t.id = ${idByCode}`);
const PLACE_BY_CODE = select(", '' as json", `t.id = ${idByCode}`);
const CHANGE_BY_CODE = `${select(`, ${taskView()} as json`, `t.id = ${idByCode}`)} for no key update of t`;
const PLACE = select(", '' as json", "t.id = $1");
const WORKPLACE = select(`, '' as json, ${projectClosed} as closed`, "t.id = $1");
const CHANGE = `${select(`, ${taskView()} as json`, "t.id = $1")} for no key update of t`;

/** `lock` is the SQL for a change: a concurrent request may move the Task to another Project. */
const find = <Target>(tx: Queries, values: unknown[], read: string, lock?: string) =>
  lock === undefined ? tx.maybe<Target>(read, values) : locked<Target>(tx, lock, values);

const byId = <Target extends TaskTarget = TaskTarget>(
  capability: WorkCapability,
  read: string,
  lock?: string,
): Access<Target> => ({
  reach: "membership",
  load: (tx, params, change) => find<Target>(tx, [params.task_id], read, change ? lock : undefined),
  permits: permits(capability),
});
/** A Task from which another one is created; `closed` if its Project accepts none. */
export const taskInPlace = (capability: WorkCapability) =>
  byId<TaskTarget & { closed: boolean }>(capability, WORKPLACE);
export const task = (capability: WorkCapability) => byId(capability, READ, CHANGE);
/** For changes through updateTask of the store, which compares the revision. */
export const guardedTask = (capability: WorkCapability) => ({ ...task(capability), guarded: true });
/** The Task as the parent of other resources: neither rendered nor locked. */
export const insideTask = (capability: WorkCapability) => byId(capability, PLACE);

/** Splits a code into the two parameters of idByCode. */
export const partsOfCode = (code: string) => code.toUpperCase().split("-") as [string, string];
const byCode = (capability: WorkCapability, read: string, lock?: string): Access<TaskTarget> => ({
  reach: "membership",
  load: (tx, params, change) =>
    find<TaskTarget>(tx, partsOfCode(params.task_code as string), read, change ? lock : undefined),
  permits: permits(capability),
});
export const taskByCode = (capability: WorkCapability) => byCode(capability, READ_BY_CODE, CHANGE_BY_CODE);
export const insideTaskByCode = (capability: WorkCapability) => byCode(capability, PLACE_BY_CODE);
/** A Task rendered by another view, with the Task as t and its Project as p. */
export const taskByCodeAs = (capability: WorkCapability, view: string) =>
  byCode(capability, read(view, `t.id = ${idByCode}`));
