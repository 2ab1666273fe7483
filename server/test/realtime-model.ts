// A client that draws a Workspace from a snapshot and from hints: it keeps what it has read, and reads again exactly
// what it was told of. Whatever it was not told of stays as it was, so that a change without a hint shows as a
// difference from a fresh snapshot.
import { documentVisible, projectOfDocument } from "../src/knowledge/documents/access.ts";
import { projectOfCaller, projectVisible } from "../src/planning/projects/access.ts";
import type { RealtimeChange } from "../src/surfaces/realtime/feed.ts";
import { asTenant, type Person, type TestService } from "./world.ts";

interface Thing {
  kind: string;
  id: string;
  project_id: string | null;
  task_id: string | null;
  parent_id: string | null;
  /** Of everything that is in it. */
  print: string;
}

const rows = (
  kind: string,
  columns: { id?: string; project?: string; task?: string; parent?: string },
  of: string,
  from: string,
) => `
select '${kind}' as kind, ${columns.id ?? "x.id"} as id, ${columns.project ?? "null::uuid"} as project_id,
  ${columns.task ?? "null::uuid"} as task_id,
  ${columns.parent ?? "null::uuid"} as parent_id, md5((${of})::text) as print
    from ${from} and x.workspace_id = current_workspace()`;
const inProject = (table: string, more = "") => `
${table} x join projects p on p.workspace_id = x.workspace_id and p.id = x.project_id ${projectOfCaller}
  where ${projectVisible} ${more}`;
const ofTask = (table: string) => `
${table} x join tasks t on t.workspace_id = x.workspace_id and t.id = x.task_id
  join projects p on p.workspace_id = t.workspace_id and p.id = t.project_id ${projectOfCaller}
where ${projectVisible}`;
const inPlace = (table: string, more = "") => `
${table} x left join projects p on p.workspace_id = x.workspace_id and p.id = x.project_id ${projectOfCaller}
  where (x.project_id is null or ${projectVisible}) ${more}`;
/** What is kept beside a thing and shown with it. */
const beside = (table: string, where: string) =>
  `coalesce((select jsonb_agg(to_jsonb(y) order by y::text) from ${table} y
    where y.workspace_id = x.workspace_id and ${where}), '[]')`;

const SEEN = [
  rows("workspace", { id: "x.id" }, "to_jsonb(x)", "(select *, id as workspace_id from workspaces) x where true"),
  rows("member", {}, "to_jsonb(x)", "memberships x where x.state not in ('removed', 'left')"),
  rows(
    "project",
    { project: "x.id" },
    "to_jsonb(x)",
    `projects x join projects p using (workspace_id, id) ${projectOfCaller} where ${projectVisible}`,
  ),
  rows("project_member", { id: "x.actor_id", project: "x.project_id" }, "to_jsonb(x)", inProject("project_members")),
  rows(
    "task",
    { project: "x.project_id" },
    `to_jsonb(x) || jsonb_build_object('relations',
      ${beside("task_relations", "x.id in (y.from_task_id, y.to_task_id)")})`,
    inProject("tasks"),
  ),
  rows(
    "comment",
    { project: "t.project_id", task: "x.task_id" },
    `to_jsonb(x) || jsonb_build_object('reactions', ${beside("comment_reactions", "y.comment_id = x.id")})`,
    ofTask("comments"),
  ),
  rows(
    "time_entry",
    { project: "x.project_id", task: "x.task_id" },
    "to_jsonb(x)",
    inProject("time_entries", "and x.voided_at is null"),
  ),
  rows("milestone", { project: "x.project_id" }, "to_jsonb(x)", inProject("milestones", "and x.deleted_at is null")),
  rows(
    "label",
    { project: "x.project_id" },
    `to_jsonb(x) || jsonb_build_object('overrides', ${beside("label_overrides", "y.label_id = x.id")})`,
    inPlace("label_definitions", "and x.deleted_at is null"),
  ),
  rows("status", { project: "x.project_id" }, "to_jsonb(x)", inPlace("statuses")),
  rows("project_state", {}, "to_jsonb(x)", "project_states x where true"),
  rows(
    "document",
    { project: "x.project_id", parent: "x.parent_id" },
    `to_jsonb(x) || jsonb_build_object('links', ${beside("document_links", "y.document_id = x.id")})`,
    `documents x join documents d using (workspace_id, id) ${projectOfDocument} where ${documentVisible}`,
  ),
  rows(
    "attachment",
    { project: "coalesce(t.project_id, d.project_id, x.project_id)", task: "x.task_id" },
    "to_jsonb(x)",
    `attachments x left join tasks t on t.workspace_id = x.workspace_id and t.id = x.task_id
    left join documents d on d.workspace_id = x.workspace_id and d.id = x.document_id
    left join (projects p ${projectOfCaller}) on p.workspace_id = x.workspace_id
      and p.id = coalesce(t.project_id, d.project_id, x.project_id)
    where x.state = 'stored' and x.attached_at is not null
      and (${projectVisible} or (d.id is not null and d.project_id is null))`,
  ),
].join("\nunion all\n");
const CALLER = `
select set_config('svc.actor', m.actor_id::text, true),
  set_config('svc.role', case m.state when 'active' then m.role else '' end, true),
  set_config('svc.account', m.user_id::text, true) from memberships m
    where m.workspace_id = current_workspace() and m.user_id = $1`;

const nameOf = ({ kind, id, project_id }: Pick<Thing, "kind" | "id" | "project_id">) =>
  kind === "project_member" ? `${kind} ${id} ${project_id}` : `${kind} ${id}`;

/** Everything that somebody sees in a Workspace at this moment. */
export const seenBy = (running: TestService, workspaceId: string, { userId }: Pick<Person, "userId">) =>
  asTenant(running, workspaceId, async (tx) => {
    await tx.rows(CALLER, [userId]);
    return new Map((await tx.rows<Thing>(SEEN)).map((thing) => [nameOf(thing), thing]));
  });

const ORDERED = new Set(["status", "project_state"]);

export class Model {
  things = new Map<string, Thing>();

  /** Reads again what it was told of, and nothing else. */
  apply(changes: readonly RealtimeChange[], now: ReadonlyMap<string, Thing>) {
    for (const change of changes) {
      const name = nameOf({ ...change, project_id: change.project_id ?? null });
      const before = this.things.get(name);
      this.forget(name, change);
      const found = change.action === "removed" ? undefined : now.get(name);
      if (found) this.things.set(name, found);
      // What is in a thing comes with it where it was not there before, and goes with it.
      const isNew = found !== undefined && (!before || before.project_id !== found.project_id);
      if (found && (isNew || change.kind === "document")) this.fetch(change, now);
      // Their order is that of the list: who moves one gives others new places.
      if (found && ORDERED.has(change.kind))
        for (const [other, thing] of now)
          if (thing.kind === found.kind && thing.project_id === found.project_id && this.things.has(other))
            this.things.set(other, thing);
    }
  }
  /** A Document's place is that of all below it. */
  private forget(name: string, { kind, id, action }: RealtimeChange) {
    this.things.delete(name);
    for (const [inner, thing] of this.things) {
      const within = (kind === "project" && thing.project_id === id) || (kind === "task" && thing.task_id === id);
      if (action === "removed" && within) this.things.delete(inner);
      if (kind === "document" && thing.parent_id === id)
        this.forget(inner, { ...thing, kind: "document", action, revision: null } as never);
    }
  }
  private fetch({ kind, id }: { kind: string; id: string }, now: ReadonlyMap<string, Thing>) {
    for (const [name, thing] of now) {
      const within = (kind === "project" && thing.project_id === id) || (kind === "task" && thing.task_id === id);
      if (within || (kind === "document" && thing.parent_id === id)) this.things.set(name, thing);
      if (kind === "document" && thing.parent_id === id) this.fetch(thing, now);
    }
  }
  /** What it has otherwise than it is. */
  differs(now: ReadonlyMap<string, Thing>): string[] {
    const names = new Set([...this.things.keys(), ...now.keys()]);
    const printOf = (from: ReadonlyMap<string, Thing>, name: string) => from.get(name)?.print;
    return [...names]
      .filter((name) => printOf(this.things, name) !== printOf(now, name))
      .map((name) => `${name}: ${this.things.has(name) ? (now.has(name) ? "stale" : "should be gone") : "missing"}`);
  }
}
