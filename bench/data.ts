// Fills the database of a benchmark by SQL: one Workspace with 100,000 Tasks, most of them in one Project, and one with
// 1,000.

import { insertAccount, insertSession } from "../server/src/accounts/identity/store.ts";
import { insertMember, insertWorkspace } from "../server/src/accounts/workspaces/store.ts";
import { type Connection, openDatabase } from "../server/src/platform/database/db.ts";
import { newId } from "../server/src/platform/wire/ids.ts";

export interface Data {
  workspaceId: string;
  /** Actors of the connections; the first owns the Workspace. */
  people: { actorId: string; session: string }[];
  /** The first one has most of the Tasks. */
  projectIds: string[];
  statusId: string;
  /** A sample of the large Project's Tasks. */
  taskIds: string[];
  /** Credentials of an account with a password. */
  signIn?: { email: string; password: string };
  /** One per connection. */
  refreshTokens?: string[];
  /** Input of the scenario "write Markdown": a Document per connection, and the text. */
  writing?: { ids: string[]; markdown: string };
  /** Paths to read in turn, below /api/v1. */
  paths?: string[];
  /** Token to use instead of the sessions. */
  token?: string;
}

const PROJECT = `
with p as (
  insert into projects (workspace_id, id, key, name, created_by_actor_id, position) values ($1, $2, $3, $3, $4, 0)
  returning id
), lead as (insert into project_members (workspace_id, project_id, actor_id, role) select $1, id, $4, 'lead' from p)
insert into task_counters (workspace_id, project_id, last_number) select $1, id, $5 from p`;
// Time-ordered ids, as the service generates them, so that index pages fill as in production.
const TASKS = `
insert into tasks (workspace_id, id, project_id, number, title, description_markdown, status_id, position,
  created_by_actor_id, priority)
select $1, (lpad(to_hex((extract(epoch from now()) * 1000)::bigint - $5 + n), 12, '0') || '7'
  || substr(md5(random()::text), 1, 3) || '8' || substr(md5(random()::text), 1, 15))::uuid,
  $2, n, 'Task number ' || n, repeat('Some words about what to do. ', 5), $3, n, $4,
  (array['none','low','medium','high','urgent'])[1 + n % 5]
from generate_series(1, $5) n`;

export async function fill(url: string, sizes: readonly number[], keyPrefix: string): Promise<Data> {
  const database = openDatabase(url, 2);
  try {
    return await database.writer.use((tx) => load(tx, sizes, keyPrefix));
  } finally {
    await database.end();
  }
}

/** Many members write: one person's concurrent writes would serialise on that person's row. */
const PEOPLE = 64;
async function join(tx: Connection, workspaceId: string) {
  const [userId, actorId] = [newId(), newId()];
  const email = `${userId}@example.com`;
  await insertAccount(tx, { id: userId, email, displayName: "Bench", username: userId, passwordHash: null });
  await insertMember(tx, workspaceId, actorId, userId, "member");
  return { actorId, session: await insertSession(tx, userId, workspaceId, true) };
}

/** Adds members to a Workspace. */
export async function morePeople(url: string, workspaceId: string, count: number): Promise<Data["people"]> {
  const database = openDatabase(url, 2);
  try {
    return await database.writer.use(async (tx) => {
      await tx.begin();
      await tx.rows("select set_config('svc.workspace', $1, true)", [workspaceId]);
      const people: Data["people"] = [];
      while (people.length < count) people.push(await join(tx, workspaceId));
      await tx.commit();
      return people;
    });
  } finally {
    await database.end();
  }
}

async function load(tx: Connection, sizes: readonly number[], keyPrefix: string): Promise<Data> {
  const [workspaceId, userId, actorId] = [newId(), newId(), newId()];
  await tx.begin();
  await tx.atLength();
  await tx.rows("select set_config('svc.workspace', $1, true)", [workspaceId]);
  await insertAccount(tx, {
    id: userId,
    email: `${userId}@example.com`,
    displayName: "Bench",
    username: userId,
    passwordHash: null,
  });
  await insertWorkspace(tx, {
    id: workspaceId,
    name: "Bench",
    slug: `bench-${workspaceId}`.slice(0, 48),
    userId,
    actorId,
  });
  const { id: statusId } = await tx.one<{ id: string }>(
    "select id from statuses where workspace_id = $1 and category = 'unstarted'",
    [workspaceId],
  );
  const projectIds: string[] = [];
  for (const [index, size] of sizes.entries()) {
    const id = newId();
    projectIds.push(id);
    await tx.rows(PROJECT, [workspaceId, id, `${keyPrefix}${index}`, actorId, size]);
    await tx.rows(TASKS, [workspaceId, id, statusId, actorId, size]);
  }
  const people = [{ actorId, session: await insertSession(tx, userId, workspaceId, true) }];
  while (people.length < PEOPLE) people.push(await join(tx, workspaceId));
  const tasks = await tx.rows<{ id: string }>(
    "select id from tasks where workspace_id = $1 and project_id = $2 order by md5(id::text) limit 2000",
    [workspaceId, projectIds[0]],
  );
  await tx.commit();
  return { workspaceId, people, projectIds, statusId, taskIds: tasks.map(({ id }) => id) };
}
