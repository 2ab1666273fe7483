// Work for tests to stand on: Projects, Tasks and comments made through the API, and the facts that writes left behind.
import { newId } from "../src/kernel/ids.ts";
import { newKey, type Person, type TestService, type World } from "./world.ts";

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
export const newTask = (person: Person, projectId: string, body: object = {}) =>
  made(person, `/projects/${projectId}/tasks`, { title: "Cut the gears", ...body });
export const newComment = (person: Person, taskId: string, markdown = "Done?") =>
  made(person, `/tasks/${taskId}/comments`, { markdown });

/** Nothing of the API does this yet. */
export const joinProject = (
  running: TestService,
  { workspaceId }: World,
  projectId: string,
  person: Person,
  role: "lead" | "member" | "viewer",
) =>
  running.sql(
    "insert into project_members (workspace_id, project_id, actor_id, role) values ($1, $2, $3, $4)",
    [workspaceId, projectId, person.actorId, role],
    workspaceId,
  );
export const trashTask = (running: TestService, { workspaceId }: World, taskId: string) =>
  running.sql("update tasks set trashed_at = now() where id = $1", [taskId], workspaceId);
export async function newProjectStatus(running: TestService, { workspaceId }: World, projectId: string, name: string) {
  const id = newId();
  await running.sql(
    "insert into statuses (workspace_id, id, project_id, name, category, position) values ($1, $2, $3, $4, 'started', 1)",
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
