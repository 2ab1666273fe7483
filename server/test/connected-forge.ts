// A Workspace that is connected with a forge as people do it, and a Project that is bound to a repository there.
import { expect } from "vitest";
import { eventually } from "./eventually.ts";
import type { Forge, Pull, Repository, Somebody } from "./providers/forges.ts";
import { newProject, newTask } from "./work.ts";
import { type Person, sessionHeaders, type TestService, type World, world } from "./world.ts";

/** By whoever: through the provider and back where there is an app, else with a token of the account's. */
export async function connectForge(
  running: TestService,
  forge: Forge,
  home: World,
  person: Person,
  account: Somebody,
  as: Somebody = account,
): Promise<string> {
  const at = `/workspaces/${home.workspaceId}/integration-authorizations`;
  if (forge.key === "github") {
    const begun = await person.call("POST", at, { body: { provider_key: "github", purpose: "installation" } });
    const state = new URL(begun.body.authorize_url).searchParams.get("state") ?? "";
    const query = new URLSearchParams({ state, code: String(as.id), installation_id: String(account.id) });
    const { cookie = "" } = sessionHeaders(person.session);
    const back = await running.send("GET", `/integration-authorizations/callback?${query}`, { headers: { cookie } });
    expect(back.headers.get("location")).toBe("/?integration=connected");
  } else {
    const body = { provider_key: forge.key, credential: `token-${account.id}` };
    expect((await person.call("POST", `${at}/credential`, { body })).status).toBe(201);
  }
  const { body } = await person.call("GET", `/workspaces/${home.workspaceId}/integration-installations`);
  return body.items[0].id;
}

export const resourcesOf = async (person: Person, installationId: string) =>
  (await person.call("GET", `/integration-installations/${installationId}/resources`)).body.items as {
    id: string;
    name: string;
    external_id: string;
    error_code: string | null;
  }[];

const KINDS = ["branch", "commit", "pull_request", "comment", "task_commented"];
/** With a subscription; without a word, to all that a forge tells of and is told. */
export async function bindTo(
  person: Person,
  projectId: string,
  installationId: string,
  resourceId: string,
  rules: object,
  kinds: readonly string[] = KINDS,
) {
  const bound = await person.call("POST", `/projects/${projectId}/integration-bindings`, {
    body: { installation_id: installationId, resource_id: resourceId, rules },
  });
  expect(bound.status).toBe(201);
  const at = `/integration-bindings/${bound.body.id}/subscriptions`;
  expect((await person.call("POST", at, { body: { event_kinds: kinds } })).status).toBe(201);
  return bound.body;
}

/** Connected, bound, and with a Task. */
export async function atForge(running: TestService, forge: Forge, wanted: { id?: number; name?: string } = {}) {
  const home = await world(running);
  const { owner } = home;
  const project = await newProject(home);
  const { body: statuses } = await owner.call("GET", `/projects/${project.id}/statuses`);
  const statusOf = (category: string): string =>
    statuses.items.find((each: { category: string }) => each.category === category).id;
  const [begun, done] = [statusOf("started"), statusOf("completed")];
  const account = forge.meet();
  const repository = forge.add(account, wanted);
  const installationId = await connectForge(running, forge, home, owner, account);
  const [resource] = await eventually(async () => {
    const listed = await resourcesOf(owner, installationId);
    expect(listed).toHaveLength(1);
    return listed;
  });
  const rules = { opened_status_id: begun, merged_status_id: done, sync_comments: true };
  const binding = await bindTo(owner, project.id, installationId, resource?.id ?? "", rules);
  if (forge.key !== "github") await eventually(() => expect(repository.hooks).toHaveLength(1));
  const task = await newTask(owner, project.id);
  const deliveries = () =>
    running.sql<{ state: string; error_code: string | null; attempts: number }>(
      "select state, error_code, attempts from integration_deliveries where installation_id = $1 order by number",
      [installationId],
      home.workspaceId,
    );
  return {
    home,
    owner,
    project,
    account,
    repository,
    installationId,
    binding,
    task,
    begun,
    done,
    deliveries,
    worked: (count: number) =>
      eventually(async () => {
        const states = (await deliveries()).map(({ state }) => state);
        expect(states.filter((state) => state !== "waiting")).toHaveLength(count);
        return states;
      }),
    status: async (): Promise<string> => (await owner.call("GET", `/tasks/${task.id}`)).body.status_id,
    entities: async () => (await owner.call("GET", `/tasks/${task.id}/rich-entities`)).body.items,
    comments: async () => (await owner.call("GET", `/tasks/${task.id}/comments`)).body.items,
  };
}
export type AtForge = Awaited<ReturnType<typeof atForge>>;

let number = 0;
/** As it stands at the forge from now on. */
export function openPull(
  { repository, task }: Pick<AtForge, "repository" | "task">,
  by: Somebody,
  more: Partial<Pull> = {},
): Pull {
  const pull: Pull = {
    number: ++number,
    title: `Fix ${task.code}`,
    branch: "fix",
    state: "open",
    by,
    updated: new Date(Date.now() - 1000).toISOString(),
    ...more,
  };
  repository.pulls.set(pull.number, pull);
  return pull;
}
/** The same at a later time. */
export function changePull(repository: Repository, pull: Pull, more: Partial<Pull>): Pull {
  const changed = { ...pull, updated: new Date().toISOString(), ...more };
  repository.pulls.set(pull.number, changed);
  return changed;
}
