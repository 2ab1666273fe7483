// Loads the shared rows of a Workspace: the member, Projects, people, labels and Statuses. Reads them once and persists
// them; reads all of them again only if the changes since the last visit are unavailable.
import { allOf, orderedProjects } from "../projects/operations.ts";
import type { Home } from "../store/current-member.ts";
import type { Replica } from "../store/replica.ts";
import type { Person } from "../store/rows.ts";

export async function loadHome(replica: Replica) {
  const { api, member, store } = replica;
  const home = await api.getOwnHomeWorkBaseline({ workspace_id: member.workspaceId });
  const { display_name, timezone, locale, week_start } = home.account;
  const next: Home = {
    display_name,
    timezone,
    locale,
    week_start,
    role: home.membership.role,
    workspaces: home.workspaces.map(({ id, name, slug, has_icon }) => ({ id, name, slug, has_icon })),
    unread: home.inbox?.unread_count ?? 0,
  };
  if (home.project_shortcuts) replica.take({ shortcuts: [{ ...home.project_shortcuts, id: member.workspaceId }] });
  if (JSON.stringify(next) !== JSON.stringify(store.fact("home"))) replica.setFact("home", next);
}

/** Loads members and Agents: both can be assigned and mentioned. */
export async function loadPeople({ api, member, store, take }: Replica) {
  const of = { workspace_id: member.workspaceId, limit: 100 };
  const [members, agents] = await Promise.all([allOf(api.listMembers(of)), allOf(api.listAgents(of)).catch(() => [])]);
  const person = members.map(
    ({ actor_id, display_name, username, picture_url, user_id, role, state }): Person => ({
      id: actor_id,
      display_name,
      username,
      picture_url,
      user_id,
      role,
      state,
    }),
  );
  for (const { actor_id, name, username, state } of agents)
    person.push({ id: actor_id, display_name: name, username, picture_url: null, role: "agent", state });
  // A deleted Agent keeps its name but is no longer offered.
  const listed = new Set(person.map(({ id }) => id));
  for (const row of store.allSaid("person") as Iterable<Person>)
    if (row.role === "agent" && !listed.has(row.id)) person.push({ ...row, state: "removed" });
  take({ person });
}

export async function loadWorkspace(replica: Replica) {
  const { api, store, take, member } = replica;
  const workspace_id = member.workspaceId;
  const before = [...store.allSaid("project")].map(({ id }) => id);
  // Stores each result as it arrives: with the Projects, a board can begin to load its Tasks.
  const projects = async () => {
    const [living, archived] = await Promise.all([
      orderedProjects(api, workspace_id),
      allOf(api.listProjects({ workspace_id, archived: true, limit: 100 })),
    ]);
    const project = [...living.project, ...archived];
    const seen = new Set(project.map(({ id }) => id));
    const gone = { project: before.filter((id) => !seen.has(id)) };
    take({ project, project_order: living.project_order, gone });
  };
  await Promise.all([
    projects(),
    allOf(api.listProjectStates({ workspace_id, limit: 100 })).then((rows) => take({ project_state: rows })),
    allOf(api.listWorkspaceStatuses({ workspace_id, limit: 100 })).then((status) => {
      take({ status });
      replica.setFact(
        "statuses",
        status.map(({ id }) => id),
      );
    }),
    allOf(api.listWorkspaceLabels({ workspace_id, limit: 100 })).then((label) => take({ label })),
    loadPeople(replica),
    loadHome(replica),
  ]);
}
