// Statuses and project states for tests that hold for both: how each is reached, and how work is put into it.
import { newProject, newTask } from "./work.ts";
import { newKey, type Options, type Person, type TestService, type World } from "./world.ts";

export interface Step {
  id: string;
  revision: string;
  name: string;
  category: string;
  lifecycle: {
    stage_id: string;
    definition_id: string;
    definition_revision: string;
    behaviors: Record<string, boolean>;
  };
}
export interface Steps {
  kind: "task" | "project";
  /** Where they are listed and added. */
  all(home: World): string;
  one(id: string): string;
  table: string;
  noun: string;
  /** Puts one entity into a step and says which. */
  fill(running: TestService, home: World, stepId: string): Promise<string>;
  /** Puts many in, past the API. */
  fillMany(running: TestService, home: World, stepId: string, count: number): Promise<unknown>;
  /** Which step an entity is in, with its revision. */
  whereIs(home: World, entityId: string): Promise<{ step: string; revision: string }>;
}

export const statuses: Steps = {
  kind: "task",
  table: "statuses",
  noun: "status",
  all: ({ workspaceId }) => `/workspaces/${workspaceId}/statuses`,
  one: (id) => `/statuses/${id}`,
  fill: async (_running, home, status_id) => (await newTask(home.owner, (await newProject(home)).id, { status_id })).id,
  fillMany: async (running, home, stepId, count) => {
    const project = await newProject(home);
    return running.sql(
      `insert into tasks (workspace_id, id, project_id, number, title, status_id, position, created_by_actor_id,
       started_at)
       select $1, gen_random_uuid(), $2, n, 'Task', $3, n, $4, '2026-01-01' from generate_series(1, $5::int) n`,
      [home.workspaceId, project.id, stepId, home.owner.actorId, count],
      home.workspaceId,
    );
  },
  whereIs: async ({ owner }, id) => {
    const { status_id, revision } = (await owner.call("GET", `/tasks/${id}`)).body;
    return { step: status_id, revision };
  },
};

export const states: Steps = {
  kind: "project",
  table: "project_states",
  noun: "project_state",
  all: ({ workspaceId }) => `/workspaces/${workspaceId}/project-states`,
  one: (id) => `/project-states/${id}`,
  fill: async (_running, home, state_id) => (await newProject(home, { state_id })).id,
  fillMany: (running, home, stepId, count) =>
    running.sql(
      `insert into projects (workspace_id, id, key, name, state_id, position, created_by_actor_id)
       select $1, gen_random_uuid(), 'M' || n, 'Project', $2, n, $3 from generate_series(1, $4::int) n`,
      [home.workspaceId, stepId, home.owner.actorId, count],
      home.workspaceId,
    ),
  whereIs: async ({ owner }, id) => {
    const { state_id, revision } = (await owner.call("GET", `/projects/${id}`)).body;
    return { step: state_id, revision };
  },
};

let count = 0;
export async function newStep(home: World, steps: Steps, body: object = {}, path = steps.all(home)): Promise<Step> {
  const sent = { name: `Step ${++count}`, category: "started", ...body };
  const answer = await home.owner.call("POST", path, { body: sent, key: newKey() });
  if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status} ${answer.text}`);
  return answer.body;
}

/** Those of the Workspace, by name. */
export async function stepsOf(home: World, steps: Steps): Promise<Record<string, Step>> {
  const { items } = (await home.owner.call("GET", `${steps.all(home)}?limit=100`)).body as { items: Step[] };
  return Object.fromEntries(items.map((step) => [step.name, step]));
}
export const namesOf = async (home: World, steps: Steps) => Object.keys(await stepsOf(home, steps));

export const patchStep = (person: Person, steps: Steps, step: Step, body: object, options: Options = {}) =>
  person.call("PATCH", steps.one(step.id), { body, ifMatch: step.revision, ...options });
export const archiveStep = (person: Person, steps: Steps, step: Step, body: object) =>
  person.call("POST", `${steps.one(step.id)}/archive-and-replace`, { body });
export const moveStep = (person: Person, steps: Steps, step: Step, after_id: string | null) =>
  person.call("POST", `${steps.one(step.id)}/move`, { body: { after_id } });

/** Of the definition of the kind. */
export async function definitionRevision({ owner, workspaceId }: World, { kind }: Steps): Promise<number> {
  const { items } = (await owner.call("GET", `/workspaces/${workspaceId}/lifecycle-definitions?kind=${kind}`)).body;
  return Number(items[0].revision);
}

/** As a running job leaves it. */
export const startMigration = (running: TestService, { workspaceId, owner }: World, { kind }: Steps) =>
  running.sql(
    `insert into lifecycle_migrations (workspace_id, id, definition_id, state, mapping, total, requested_by_actor_id,
     requested_by_user_id, source)
     select $1, gen_random_uuid(), id, 'pending', '{}', 0, $2, $3, 'session' from lifecycle_definitions
     where kind = $4`,
    [workspaceId, owner.actorId, owner.userId, kind],
    workspaceId,
  );

/** The id of a Workspace-wide Status. */
export const statusNamed = async ({ workspaceId, owner }: World, name: string) => {
  const { items } = (await owner.call("GET", `/workspaces/${workspaceId}/statuses`)).body;
  return items.find((status: { name: string }) => status.name === name).id as string;
};
