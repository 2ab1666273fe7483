// SQL of commands: the audit row and the events of a command, as far as its author may read them now, and the chain of
// its undos and redos.

import { documentVisible, projectOfDocument } from "../../knowledge/documents/access.ts";
import { projectOfCaller, projectVisible } from "../../planning/projects/access.ts";
import type { TaskFields } from "../../planning/tasks/rules.ts";
import type { Queries } from "../../platform/database/db.ts";
import type { Link } from "./rules.ts";

/** The current place of a Task, so that references there are checked in the round-trip that loads the Task. */
export type Here = Pick<TaskFields, "project_id" | "status_id" | "milestone_id" | "label_ids">;
/** One effect of a command, from one event. */
export interface RecordedEffect {
  type: string;
  kind: string;
  id: string;
  task_id: string | null;
  project_id: string | null;
  /** Whether the caller can read the affected resource. */
  seen: boolean;
  /** The current place of its Task; null if the caller cannot read that. */
  here: Here | null;
  /** The code of its Task; null if the caller cannot read that. */
  code: string | null;
  payload: Record<string, unknown>;
}
export interface Command {
  id: string;
  operation: string;
  credential_kind: string | null;
  occurred_at: string;
  root_id: string;
  step: number;
  links: Link[];
  undoes: string | null;
  /** Effects of the command itself. */
  effects: RecordedEffect[];
  /** Effects of the last command of its chain, which undo or redo reverts. */
  last: RecordedEffect[];
}

/**
 * Reads a range of the primary key (see platform/kernel/ledger.ts). The bounds are sub-selects: behind row-level
 * security, PostgreSQL 15 uses no index for a function of another row's column (measured on 15: 140,000 events read for
 * one command).
 */
const eventsOf = (command: string) => `(
  select coalesce(json_agg(json_build_object('type', e.type, 'kind', e.resource_kind, 'id', e.resource_id,
    'task_id', e.task_id, 'project_id', e.project_id,
    'seen', case when e.task_id is not null then t.code is not null
      when e.resource_kind = 'document' then coalesce(d.seen, false)
      when e.project_id is not null then coalesce(p.seen, false) else true end,
    'here', t.here, 'code', t.code, 'payload', e.payload) order by e.id), '[]')
  from domain_events e
  left join lateral (
    select p.key || '-' || t.number as code, json_build_object('project_id', t.project_id, 'status_id', t.status_id,
      'milestone_id', t.milestone_id, 'label_ids', t.label_ids) as here
    from tasks t join projects p on p.workspace_id = t.workspace_id and p.id = t.project_id ${projectOfCaller}
    where t.workspace_id = e.workspace_id and t.id = e.task_id and ${projectVisible} limit 1
  ) t on e.task_id is not null
  left join lateral (
    select true as seen from projects p ${projectOfCaller}
    where p.workspace_id = e.workspace_id and p.id = e.project_id and ${projectVisible} limit 1
  ) p on e.task_id is null and e.project_id is not null
  left join lateral (
    select true as seen from documents d ${projectOfDocument}
    where d.workspace_id = e.workspace_id and d.id = e.resource_id and ${documentVisible} limit 1
  ) d on e.resource_kind = 'document'
  where e.workspace_id = current_workspace() and e.id between (select first_event_of(${command}))
    and (select last_event_of(${command})) and e.command_id = ${command})`;

// Commands of the caller, and of an Agent that acted for the caller.
const own = (
  row: string,
) => `(${row}.actor_id = current_actor() or ${row}.credential_kind = 'agent' and ${row}.user_id = (
  select m.user_id from memberships m where m.workspace_id = current_workspace() and m.actor_id = current_actor()
  limit 1))`;
// CASE replaces COALESCE: row-level security trusts it to be leakproof, and only then can its result be used for an
// index lookup.
const command = (id: string) => `
select a.id, a.operation, a.credential_kind, wire_time(a.occurred_at) as occurred_at, at.root_id, at.step, chain.links,
  own.undoes_id as undoes,
  ${eventsOf("a.id")} as effects,
  case when chain.last is null or chain.last = a.id then '[]' else ${eventsOf("chain.last")} end as last
from (select * from audit_log c where c.workspace_id = current_workspace() and c.id = ${id} and ${own("c")} limit 1) a
left join lateral (
  select s.root_id, s.step, s.undoes_id from command_steps s
  where s.workspace_id = a.workspace_id and s.command_id = a.id limit 1
) own on true
cross join lateral (
  select case when own.step is null then a.id else own.root_id end as root_id,
    case when own.step is null then 0 else own.step end as step
) at
cross join lateral (
  select coalesce(json_agg(json_build_object('id', s.command_id, 'step', s.step) order by s.step desc), '[]') as links,
    (array_agg(s.command_id order by s.step desc))[1] as last
  from (
    select s.command_id, s.step from command_steps s where s.workspace_id = a.workspace_id and s.root_id = at.root_id
    order by s.step desc limit 2
  ) s
) chain`;
const BY_ID = command("$1");
// Idempotency keys belong to an Actor. If several operations used one, the latest counts.
const BY_KEY = command(`(
  select k.command_id from idempotency_keys k
  where k.workspace_id = current_workspace() and k.key_hash = sha256(convert_to($1, 'UTF8'))
    and k.principal_id = current_actor()
  order by k.created_at desc limit 1)`);

type Row = Command;
/** If the command is the last of its chain, its own effects can be reverted. */
const whole = (row: Row | undefined): Command | undefined =>
  row && (row.links.length === 0 || row.links[0]?.id === row.id) ? { ...row, last: row.effects } : row;

/** Loads a command of the caller. */
export const ownCommand = async (tx: Queries, id: string) => whole(await tx.maybe<Row>(BY_ID, [id]));
export const ownCommandByKey = async (tx: Queries, key: string) => whole(await tx.maybe<Row>(BY_KEY, [key]));

const ADD = `
insert into command_steps (workspace_id, root_id, step, command_id, undoes_id)
values (current_workspace(), $1, $2, $3, $4)`;
/** Appends a step to the chain. Callers who undo their own commands queue, so that the step number is free. */
export const addStep = (tx: Queries, rootId: string, last: Link, commandId: string) =>
  tx.rows(ADD, [rootId, last.step + 1, commandId, last.id]);
