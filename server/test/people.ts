// Memberships and invitations for tests to stand on.
import { newId } from "../src/platform/wire/ids.ts";
import { newKey, type Options, type Person, type TestService, type World } from "./world.ts";

export interface Membership {
  id: string;
  role: string;
  state: string;
  revision: string;
}
export async function membershipOf(running: TestService, { workspaceId }: World, { userId }: Person) {
  const sql =
    "select id, role, state, revision::text, actor_id from memberships where workspace_id = $1 and user_id = $2";
  const [found] = await running.sql<Membership & { actor_id: string }>(sql, [workspaceId, userId]);
  if (!found) throw new Error("no membership");
  return found;
}
export const setMembership = (running: TestService, { workspaceId }: World, { userId }: Person, assignment: string) =>
  running.sql(`update memberships set ${assignment} where workspace_id = $1 and user_id = $2`, [workspaceId, userId]);

/** What one member does to another through the API, on the present revision unless told otherwise. */
export function acting(running: TestService, place: World) {
  const at = async (person: Person) => {
    const { id, revision } = await membershipOf(running, place, person);
    return { path: `/workspaces/${place.workspaceId}/members/${id}`, revision };
  };
  return {
    async change(by: Person, whom: Person, body: object, options: Options = {}) {
      const { path, revision } = await at(whom);
      return by.call("PATCH", path, { body, ifMatch: revision, ...options });
    },
    async remove(by: Person, whom: Person) {
      return by.call("DELETE", (await at(whom)).path);
    },
    restore: (by: Person, body: object) => by.call("POST", `/workspaces/${place.workspaceId}/members`, { body }),
  };
}

export const newAddress = () => `${newId()}@example.com`;
export const invite = (by: Person, { workspaceId }: World, body: object = {}, options: Options = {}) =>
  by.call("POST", `/workspaces/${workspaceId}/invitations`, {
    body: { email: newAddress(), role: "member", ...body },
    ...options,
  });
export const resend = (by: Person, { workspaceId }: World, id: string, key = newKey()) =>
  by.call("POST", `/workspaces/${workspaceId}/invitations/${id}/resend`, { key });
export const accept = (by: Person, token: string, options: Options = {}) =>
  by.call("POST", "/invitations/accept", { body: { token }, ...options });
/** Moves the end of an invitation. */
export const endInvitation = (running: TestService, id: string, when = "now()") =>
  running.sql(`update invitations set expires_at = ${when} where id = $1`, [id]);

/** So many members, made by one statement: they have no session. */
export const newMembers = (running: TestService, { workspaceId }: World, count: number) =>
  running.sql<{ userId: string; actorId: string }>(
    `with made as (
       insert into memberships (workspace_id, id, user_id, actor_id, role, state)
       select $1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'member', 'active'
       from generate_series(1, $2::int) returning user_id, actor_id
     ), a as (
       insert into actors (workspace_id, id, kind, user_id) select $1, actor_id, 'human', user_id from made
     ), u as (
       insert into users (id, email, display_name, username)
       select user_id, user_id || '@example.com', 'Person', user_id from made
     )
     select user_id as "userId", actor_id as "actorId" from made`,
    [workspaceId, count],
    workspaceId,
  );
