// Work for tests to stand on: Projects, Tasks and comments made through the API, and the facts that writes left behind.
import { insertMember } from "../src/accounts/workspaces/store.ts";
import { newId, newSecret } from "../src/platform/wire/ids.ts";
import type { Answer } from "./answer.ts";
import { asSession, insertCredential, newKey, type Person, type TestService, type World, world } from "./world.ts";

async function made(person: Person, path: string, body: unknown) {
  const answer = await person.call("POST", path, { body, key: newKey() });
  if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status} ${answer.text}`);
  return answer.body;
}

let count = 0;
/** A Project key that nothing else in this test file has. */
export const newProjectKey = () => `K${(++count).toString(36)}`.toUpperCase();

export const newProject = ({ workspaceId, owner }: World, body: object = {}, person: Person = owner) =>
  made(person, `/workspaces/${workspaceId}/projects`, { key: newProjectKey(), name: "Engine", ...body });
/** A Workspace of the test's own, with a Project in it. */
export async function workshopOn(running: TestService) {
  const home = await world(running);
  const project = await newProject(home);
  return { home, owner: home.owner, project, workspaceId: home.workspaceId };
}
export const newTask = (person: Person, projectId: string, body: object = {}) =>
  made(person, `/projects/${projectId}/tasks`, { title: "Cut the gears", ...body });
export const newMilestone = (person: Person, projectId: string, body: object = {}) =>
  made(person, `/projects/${projectId}/milestones`, { name: "First turn", ...body });
export const newComment = (person: Person, taskId: string, markdown = "Done?") =>
  made(person, `/tasks/${taskId}/comments`, { markdown });

export const joinProject = (
  { owner }: World,
  projectId: string,
  { actorId }: Person,
  role: "lead" | "member" | "viewer",
) => made(owner, `/projects/${projectId}/members`, { actor_id: actorId, role });
export const trashTask = (running: TestService, { workspaceId }: World, taskId: string) =>
  running.sql("update tasks set trashed_at = now() where id = $1", [taskId], workspaceId);
export async function newProjectStatus(running: TestService, { workspaceId }: World, projectId: string, name: string) {
  const id = newId();
  await running.sql(
    `insert into statuses (workspace_id, id, project_id, name, category, position, stage_id)
     select $1, $2, $3, $4, 'started', 1, stage_id from statuses where workspace_id = $1 and name = 'In Progress'`,
    [workspaceId, id, projectId, name],
    workspaceId,
  );
  return id;
}

export interface RecordedEvent {
  type: string;
  activity: string | null;
  payload: Record<string, unknown>;
}
/** The events about one resource, oldest first. */
export const eventsOf = (running: TestService, { workspaceId }: World, resourceId: string) =>
  running.sql<RecordedEvent>(
    "select type, activity, payload from domain_events where resource_id = $1 order by occurred_at, id",
    [resourceId],
    workspaceId,
  );

/** Every page of a list, from the first to the last. */
export async function pages(person: Person, path: string, limit: number, between?: (page: number) => Promise<unknown>) {
  const items: Record<string, unknown>[] = [];
  let cursor: string | null = null;
  for (let page = 1; ; page++) {
    const mark = path.includes("?") ? "&" : "?";
    const next: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const { status, body, text } = await person.call("GET", `${path}${mark}limit=${limit}${next}`);
    if (status !== 200) throw new Error(`GET ${path} answered ${status} ${text}`);
    items.push(...body.items);
    cursor = body.next_cursor;
    if (!body.has_more) return { items, pages: page };
    await between?.(page);
  }
}

/** Somebody who has an account already becomes a member of one more Workspace. */
export async function joinWorkspace(running: TestService, workspaceId: string, userId: string, role = "member") {
  await running.database.writer.use(async (tx) => {
    await tx.begin();
    await tx.rows("select set_config('svc.workspace', $1, true)", [workspaceId]);
    await insertMember(tx, workspaceId, newId(), userId, role);
    await tx.commit();
  });
}
/** One more browser session of somebody, in this Workspace. */
export async function sessionIn(running: TestService, workspaceId: string | null, userId: string) {
  const session = newSecret("ses");
  await insertCredential(running, "session", session, userId, workspaceId, []);
  return { session, call: asSession(running, session) };
}

/** The relations of a Task, each as `type id`. */
export const relationsOf = async (person: Person, { id }: { id: string }): Promise<string[]> =>
  (await person.call("GET", `/tasks/${id}/relations`)).body.items.map(
    ({ kind, related_task }: { kind: string; related_task: { id: string } }) => `${kind} ${related_task.id}`,
  );

/** Of a refusal: its status, its code, and what it points to. */
export const refusalOf = ({ status, body }: Answer) => [
  status,
  body.code,
  ...(body.errors ?? []).map(({ pointer }: { pointer: string }) => pointer),
];
