// Lifecycle migrations of many Tasks, and their job: started, worked once as the queue would, counted, and made to
// fail.
import { expect } from "vitest";
import { lifecycleJobs, type MigrationPace } from "../src/planning/lifecycle/jobs.ts";
import { applied, fillTasks, type Lifecycle, lifecycleOf } from "./lifecycle.ts";
import { newProject } from "./work.ts";
import { type TestService, type World, world } from "./world.ts";

interface Started {
  home: World;
  tasks: Lifecycle;
  projectId: string;
  source: string;
  destination: string;
  id: string;
}
/** Just above what one request migrates. */
export const SIZE = 1_050;

const MOVED = `
select count(*)::int as tasks, count(*) filter (where status_id = $1)::int as moved, max(revision)::int as newest,
  (select count(*)::int from domain_events where type = 'task.status_changed') as events,
  (select count(distinct resource_id)::int from domain_events where type = 'task.status_changed') as told from tasks`;

/** Each Task moved once, with one event. */
export const movedOnce = (tasks = SIZE) => ({ tasks, moved: tasks, newest: 2, events: tasks, told: tasks });

export const migrationJobs = (running: TestService) => ({
  /** Starts a migration of this many Tasks that nobody works on yet. */
  async started(size = SIZE): Promise<Started> {
    const home = await world(running);
    const [project, tasks] = [await newProject(home), await lifecycleOf(running, home, "task")];
    const [source, destination] = [tasks.ids.Todo as string, tasks.ids.Done as string];
    await fillTasks(running, home, project.id, source, size);
    const { status, body } = await applied(home, tasks, { [source]: destination });
    expect([status, body.state]).toEqual([202, "pending"]);
    return { home, tasks, projectId: project.id, source, destination, id: body.id };
  },
  /** Takes the job as the queue would, once. */
  work({ home, id }: Started, pace: Partial<MigrationPace> = {}, signal = new AbortController().signal) {
    const jobs = lifecycleJobs(running.database, { rest: 0, ...pace });
    return jobs.migrate_lifecycle?.({ workspace_id: home.workspaceId, id }, { abortSignal: signal } as never);
  },
  found: async ({ home, destination }: Started) => (await running.sql(MOVED, [destination], home.workspaceId))[0],
  queued: async ({ id }: Started) =>
    (await running.asOwner("select from graphile_worker._private_jobs where payload ->> 'id' = $1", [id])).length,
  /** Runs a statement for each Task that is updated, until the returned function is called. */
  async plant(statement: string) {
    await running.asOwner(
      `create or replace function planted() returns trigger language plpgsql as $$ begin ${statement} return new;
        end $$`,
    );
    await running.asOwner(
      "create or replace trigger planted before update on tasks for each row execute function planted()",
    );
    return () => running.asOwner("drop trigger planted on tasks");
  },
});
