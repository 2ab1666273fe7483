// What tests of lifecycles stand on: the definitions of a Workspace, what is bound to their stages, and work put into
// it by SQL.
import type { LifecycleKind } from "@svc/contract/planning/lifecycle/behaviors.ts";
import type { LifecycleMappingPreview } from "@svc/contract/planning/lifecycle/mappings.ts";
import type { Static } from "typebox";
import { newId } from "../src/platform/wire/ids.ts";
import { newKey, type Options, type Person, type TestService, type World } from "./world.ts";

export interface Lifecycle {
  id: string;
  kind: LifecycleKind;
  revision: string;
  /** Ids by name: of Workspace-wide Statuses, of project states, or of stages. */
  ids: Record<string, string>;
}
const HOLDERS = {
  task: "select id, name from statuses where workspace_id = $1 and project_id is null",
  project: "select id, name from project_states where workspace_id = $1",
  milestone: `select g.id, g.name from lifecycle_stages g join lifecycle_definitions d on d.id = g.definition_id
    where d.workspace_id = $1 and d.kind = 'milestone'`,
};
export async function lifecycleOf(
  running: TestService,
  { workspaceId }: Pick<World, "workspaceId">,
  kind: LifecycleKind,
): Promise<Lifecycle> {
  const own = <R>(sql: string, values: unknown[] = []) => running.sql<R>(sql, [workspaceId, ...values], workspaceId);
  const [definition] = await own<{ id: string; revision: string }>(
    "select id, revision::text from lifecycle_definitions where workspace_id = $1 and kind = $2",
    [kind],
  );
  const holders = await own<{ id: string; name: string }>(HOLDERS[kind]);
  const ids = Object.fromEntries(holders.map(({ id, name }) => [name, id]));
  return { ...(definition as { id: string; revision: string }), kind, ids };
}

/** Tasks of a Project in this Status. */
export const fillTasks = (
  running: TestService,
  { workspaceId, owner }: World,
  projectId: string,
  statusId: string,
  count: number,
) =>
  running.sql(
    `with number as (update task_counters set last_number = last_number + $5 where project_id = $2
     returning last_number - $5 as before)
     insert into tasks (workspace_id, id, project_id, number, title, status_id, position, created_by_actor_id)
     select $1, gen_random_uuid(), $2, before + n, 'Task ' || n, $3, n, $4 from number, generate_series(1, $5) n`,
    [workspaceId, projectId, statusId, owner.actorId, count],
    workspaceId,
  );

type Mapping = Record<string, string>;
const pathTo = ({ workspaceId }: World, { id }: Lifecycle, what: string) =>
  `/workspaces/${workspaceId}/lifecycle-definitions/${id}/${what}`;

export const preview = (home: World, lifecycle: Lifecycle, mapping: Mapping, person: Person = home.owner) =>
  person.call("POST", pathTo(home, lifecycle, "mapping-previews"), { body: { mapping }, ifMatch: lifecycle.revision });

/** As somebody would who has just seen the preview and acknowledges what it says. */
export async function previewed(home: World, lifecycle: Lifecycle, mapping: Mapping) {
  const { status, body, text } = await preview(home, lifecycle, mapping);
  if (status !== 200) throw new Error(`the preview answered ${status} ${text}`);
  const { source_revision, destination_revisions } = body as Static<typeof LifecycleMappingPreview>;
  return { mapping, source_revision, destination_revisions, acknowledged: true };
}
export const apply = (
  home: World,
  lifecycle: Lifecycle,
  body: object,
  person: Person = home.owner,
  options: Options = {},
) => person.call("POST", pathTo(home, lifecycle, "mapping-applications"), { body, key: newKey(), ...options });
export const applied = async (home: World, lifecycle: Lifecycle, mapping: Mapping) =>
  apply(home, lifecycle, await previewed(home, lifecycle, mapping));

export const migrationPath = ({ workspaceId }: World, id: string) =>
  `/workspaces/${workspaceId}/lifecycle-migrations/${id}`;
export const migration = async (home: World, id: string) =>
  (await home.owner.call("GET", migrationPath(home, id))).body;

/** What fixtures stand on: a Workspace in a service. */
type Place = Pick<World, "workspaceId"> & { running: TestService };
/** The lifecycle that the fewest operations change. */
export async function milestoneDefinition({ running, workspaceId }: Place) {
  const { id, revision } = await lifecycleOf(running, { workspaceId }, "milestone");
  return { id, revision };
}
/**
 * Two stages without Milestones, as they are now: moving one would change its revision under the checks of other
 * operations.
 */
const EMPTY_STAGES = `
select g.id, g.revision::text from lifecycle_stages g join lifecycle_definitions d on d.id = g.definition_id
where d.workspace_id = $1 and d.kind = 'milestone' and not exists (select from milestones m where m.stage_id = g.id)
order by g.id limit 2`;
export async function milestoneMapping({ running, workspaceId }: Place) {
  const { revision } = await lifecycleOf(running, { workspaceId }, "milestone");
  const stages = await running.sql<{ id: string; revision: string }>(EMPTY_STAGES, [workspaceId], workspaceId);
  const [source, destination] = stages as [(typeof stages)[0], (typeof stages)[0]];
  return {
    mapping: { [source.id]: destination.id },
    source_revision: revision,
    destination_revisions: { [destination.id]: destination.revision },
    acknowledged: true,
  };
}
/** A Workspace has one at a time. */
export const endMigrations = ({ running, workspaceId }: Place) =>
  running.sql(
    "update lifecycle_migrations set state = 'completed' where workspace_id = $1 and state <> 'failed'",
    [workspaceId],
    workspaceId,
  );
/** One that has failed, and was to move nothing. */
export async function failedMigration(home: Place & Pick<World, "owner">) {
  const { running, workspaceId, owner } = home;
  const [made] = await running.sql<{ id: string }>(
    `insert into lifecycle_migrations (workspace_id, id, definition_id, state, mapping, total, requested_by_actor_id,
     requested_by_user_id, source)
     values ($1, $2, $3, 'failed', '{}', 0, $4, $5, 'session') returning id`,
    [workspaceId, newId(), (await milestoneDefinition(home)).id, owner.actorId, owner.userId],
    workspaceId,
  );
  return made as { id: string };
}
