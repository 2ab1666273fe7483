// What tests of activity in groups stand on: a service, what happened in an hour of its own, and what a reader is told
// of it.
import type { ActivityItem } from "@svc/contract/history/activity/activity.ts";
import type { ActivityGroup } from "@svc/contract/history/activity/groups.ts";
import pg from "pg";
import type { Static } from "typebox";
import { afterAll, beforeAll, expect } from "vitest";
import { workshopOn } from "./work.ts";
import { type Person, service, type World } from "./world.ts";

export type Group = Static<typeof ActivityGroup>;
export type Item = Static<typeof ActivityItem>;
export const HOUR = 3_600_000;
export const groupsOf = ({ workspaceId }: World) => `/workspaces/${workspaceId}/activity/groups`;
export const childrenOf = (home: World, { id }: { id: string }) => `${groupsOf(home)}/${id}/children`;
export const feedOf = ({ workspaceId }: World) => `/workspaces/${workspaceId}/activity`;
export const change = (person: Person, { id }: { id: string }, body: object) =>
  person.call("PATCH", `/tasks/${id}`, { body, headers: { "if-match": "*" } });
export const bulk = (home: World, tasks: { id: string }[], changes: object, person = home.owner) =>
  person.call("POST", `/workspaces/${home.workspaceId}/tasks/bulk`, {
    body: { task_ids: tasks.map(({ id }) => id), changes },
  });
export const short = ({ kind, count, actions }: Group) =>
  `${kind} ${count} ${actions.map((action) => action.replace("activity.", "")).join(" ")}`;

export function telling(parts?: Parameters<typeof service>[1]) {
  const running = parts ? service({}, parts) : service();
  /** Not bound by the service's grants: events are immutable for it. */
  let admin: pg.Client;
  beforeAll(async () => {
    admin = new pg.Client(running.databaseUrl);
    await admin.connect();
  });
  afterAll(() => admin.end());
  const query = async <R>(sql: string, values: unknown[]) => (await admin.query(sql, values)).rows as R[];

  const started = Date.now();
  /** When the hour begins in which everything happens, whenever the test runs: it has some minutes of it. */
  const hour = Math.floor(started / HOUR) * HOUR - HOUR;
  const gather = (home: World) =>
    query(
      `update domain_events set occurred_at = occurred_at - $2 * interval '1 ms'
        where workspace_id = $1 and occurred_at >= $3`,
      [home.workspaceId, started - hour - HOUR / 2, new Date(started)],
    );
  async function read<T>(person: Person, path: string): Promise<T[]> {
    const answer = await person.call("GET", path);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.trips).toBe(1);
    return answer.body.items;
  }
  return {
    running,
    query,
    hour,
    gather,
    workshop: () => workshopOn(running),
    async groups(home: World, person: Person): Promise<Group[]> {
      await gather(home);
      return read(person, groupsOf(home));
    },
    children: (home: World, person: Person, group: Group) => read<Item>(person, childrenOf(home, group)),
    /** Facts put where the past has them: a command each, one a second. */
    past: (home: World, projectId: string, taskId: string, at: number, count: number, actorId = home.owner.actorId) =>
      query(
        `insert into domain_events (workspace_id, id, type, activity, actor_id, source, command_id, project_id, task_id,
         resource_kind, resource_id, occurred_at)
         select $1, gen_random_uuid(), 'task.priority_changed', 'priority', $2, 'session', gen_random_uuid(), $3, $4,
           'task', $4, $5::timestamptz + n * interval '1 second'
         from generate_series(0, $6::int - 1) n`,
        [home.workspaceId, actorId, projectId, taskId, new Date(at), count],
      ),
  };
}
