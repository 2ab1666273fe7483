// One line an operation: how the checks over all operations make a valid call of it. An operation without a line fails them.
// A path parameter is made by its name; a body is the contract's example unless it must be unique or name something that exists.
import { insertAccount, insertSession } from "../src/identity/store.ts";
import { newId, newSecret } from "../src/kernel/ids.ts";
import type { Home } from "./stage.ts";
import { asSession, insertCredential, type Person } from "./world.ts";

export interface Made {
  id: string;
  revision?: string;
}
export interface Fixture {
  /** Who calls, where it is not the owner: somebody new each time a call succeeds. */
  caller?: (home: Home) => Promise<Person>;
  body?: (home: Home) => unknown;
  /** What must have happened to the things in the path before. */
  before?: (home: Home, ids: Record<string, string>) => Promise<unknown>;
  /** For a list: makes one more row. Every list is read with two rows at least. */
  row?: (home: Home, ids: Record<string, string>) => Promise<unknown>;
}

async function created(home: Home, path: string, body: unknown): Promise<Made> {
  const answer = await home.owner.call("POST", path, { body, key: `fixture-${newId()}` });
  if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status} ${answer.text}`);
  return answer.body;
}
let count = 0;
/** Letters that no other call of this test file has used. */
const letters = () => `K${(++count).toString(36).padStart(5, "0")}`.toUpperCase();

/** Makes one of what a path parameter names. */
export const makers: Record<string, (home: Home) => Promise<Made>> = {
  workspace_id: async ({ workspaceId }) => ({ id: workspaceId }),
  project_id: (home) => created(home, `/workspaces/${home.workspaceId}/projects`, { key: letters(), name: "Project" }),
  task_id: async (home) => created(home, `/projects/${await home.id("project_id")}/tasks`, { title: "Task" }),
  task_code: async (home) => {
    const task = await created(home, `/projects/${await home.id("project_id")}/tasks`, { title: "Task" });
    return { id: (task as unknown as { code: string }).code };
  },
  comment_id: async (home) => created(home, `/tasks/${await home.id("task_id")}/comments`, { markdown: "Comment" }),
  token_id: (home) => created(home, "/me/api-tokens", { name: "token", scopes: ["svc:read"] }),
  reaction: async () => ({ id: "heart" }),
};
/** Parameters that name something of the caller's account and not of a Workspace. */
export const ofAccount = new Set(["token_id"]);

/** An account that belongs to no Workspace. */
async function newcomer({ running, owner }: Home): Promise<Person> {
  const userId = newId();
  const email = `${userId}@example.com`;
  const session = await running.database.writer.use(async (tx) => {
    await insertAccount(tx, { id: userId, email, displayName: "New", username: userId, passwordHash: null });
    return insertSession(tx, userId, null, true);
  });
  return { ...owner, userId, actorId: "", email, session, call: asSession(running, session) };
}
/** The owner in a session of its own, which the call may end. */
async function againOwner({ running, owner, workspaceId }: Home): Promise<Person> {
  const session = newSecret("ses");
  await insertCredential(running, "session", session, owner.userId, workspaceId, []);
  return { ...owner, session, call: asSession(running, session) };
}
const password = "quartz-lantern-48-vellum";

export const fixtures: Record<string, Fixture> = {
  register: { body: () => ({ email: `${newId()}@example.com`, password, display_name: "Ada" }) },
  login: { body: async (home) => ({ email: await home.registered(password), password }) },
  logout: { caller: againOwner },
  getCsrfToken: {},
  replaceSessionWorkspace: { caller: againOwner, body: ({ workspaceId }) => ({ workspace_id: workspaceId }) },
  getMe: {},
  listApiTokens: { row: (home) => home.make("token_id") },
  createApiToken: { caller: ({ member }) => member("member") },
  deleteApiToken: {},
  listWorkspaces: { row: (home) => home.joinAnother() },
  createWorkspace: { caller: ({ member }) => member("member") },
  bootstrapWorkspace: { caller: newcomer, body: () => ({ name: "First", slug: `first-${newId()}` }) },
  getWorkspace: {},
  listMembers: { row: ({ member }) => member("member") },
  listWorkspaceStatuses: {},
  createWorkspaceStatus: { body: () => ({ name: letters(), category: "started" }) },
  listProjects: { row: (home) => home.make("project_id") },
  createProject: { body: () => ({ key: letters(), name: "Project" }) },
  getProject: {},
  updateProject: {},
  listProjectStatuses: {},
  listProjectTasks: { row: (home, ids) => created(home, `/projects/${ids.project_id}/tasks`, { title: "Task" }) },
  createTask: {},
  getTask: {},
  updateTask: {},
  getTaskByCode: {},
  listTaskComments: { row: (home, ids) => created(home, `/tasks/${ids.task_id}/comments`, { markdown: "Hm." }) },
  createTaskComment: {},
  getComment: {},
  updateComment: {},
  deleteComment: {},
  addReaction: {},
  removeReaction: {
    before: ({ owner }, ids) => owner.call("PUT", `/comments/${ids.comment_id}/reactions/${ids.reaction}`),
  },
  listWorkspaceActivity: { row: (home) => home.make("project_id") },
};
