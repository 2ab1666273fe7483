// The people of the role matrix: each column's caller in a Workspace of the test. Suspension and removal are done
// through the service, so that what they end has ended.
import { newSecret } from "../src/platform/wire/ids.ts";
import { created, letters, newcomer } from "./fixtures/fixture.ts";
import type { CreatedResource, Home } from "./home.ts";
import { homeIn } from "./stage.ts";
import { joinProject, newProject } from "./work.ts";
import { asSession, insertCredential, type Person, type TestService } from "./world.ts";

/** In the private Project. */
const projectRoles = { lead: "lead", partner: "member", reader: "viewer", guest: "lead" } as const;

/** Somebody new in this column; one whose membership has ended comes twice: as before, and signed in again. */
export async function play(home: Home, elsewhere: Home, column: string): Promise<Person[]> {
  switch (column) {
    case "owner":
      return [home.owner];
    case "admin":
    case "manager":
      return [await home.member("admin")];
    case "member":
    case "lead":
    case "partner":
    case "reader":
    case "stranger":
      return [await home.member("member")];
    case "viewer":
    case "guest":
      return [await home.member("viewer")];
    case "outsider":
      return [await elsewhere.member("member")];
    case "newcomer":
      return [await newcomer(home)];
    case "suspended":
    case "removed":
      return former(home, column);
    default:
      throw new Error(`nobody plays ${column}`);
  }
}

async function former(home: Home, state: "suspended" | "removed"): Promise<Person[]> {
  const { running, owner, workspaceId } = home;
  const person = await home.member("admin");
  const [member] = await running.sql<CreatedResource>(
    "select id, revision::text from memberships where workspace_id = $1 and user_id = $2",
    [workspaceId, person.userId],
  );
  const path = `/workspaces/${workspaceId}/members/${member?.id}`;
  const { status, text } = await (state === "removed"
    ? owner.call("DELETE", path)
    : owner.call("PATCH", path, { body: { state }, ifMatch: member?.revision as string }));
  if (status >= 300) throw new Error(`${path} answered ${status} ${text}`);
  const session = newSecret("ses");
  await insertCredential(running, "session", session, person.userId, null, []);
  return [person, { ...person, session, call: asSession(running, session) }];
}

const casts = new WeakMap<Home, Map<string, Promise<Person[]>>>();
/** The same people in each call of one Workspace. */
export function playing(home: Home, elsewhere: Home, column: string): Promise<Person[]> {
  const cast = casts.get(home) ?? new Map<string, Promise<Person[]>>();
  casts.set(home, cast);
  const people = cast.get(column) ?? play(home, elsewhere, column);
  cast.set(column, people);
  return people;
}

/**
 * A Workspace whose Projects are private and have these people in them, and whose Statuses and labels are such a
 * Project's own.
 */
export const privateHome = (running: TestService) =>
  homeIn(running, {
    project_id: async (home) => {
      const project = await newProject(home, { visibility: "private" });
      for (const [column, role] of Object.entries(projectRoles)) {
        const [person] = await playing(home, home, column);
        await joinProject(home, project.id, person as Person, role);
      }
      return project;
    },
    status_id: async (home) =>
      created(home, `/projects/${await home.id("project_id")}/statuses`, { name: letters(), category: "started" }),
    label_id: async (home) =>
      created(home, `/projects/${await home.id("project_id")}/label-definitions`, { name: letters() }),
  });
