// Background jobs of collaboration: checkpoints after a killed process, and removal of old sessions.
import pg from "pg";
import { expect, test } from "vitest";
import { enter, newSession } from "../../../test/editing.ts";
import { newTask, workshopOn } from "../../../test/work.ts";
import { service } from "../../../test/world.ts";
import type { JobParts } from "../../platform/background/jobs.ts";
import { createLog } from "../../platform/wire/log.ts";
import { background } from "./jobs.ts";

const running = service({});

async function run(name: string) {
  const client = new pg.Client(running.databaseUrl);
  await client.connect();
  try {
    const parts = { database: running.database, log: createLog("silent") } as unknown as JobParts;
    const job = background.jobs?.(parts)[name] as (payload: unknown, helpers: unknown) => Promise<void>;
    await job({}, { withPgClient: (work: (client: pg.Client) => unknown) => work(client) });
  } finally {
    await client.end();
  }
}

test("what a process that was killed has kept and not written down is written down, and one that cannot be keeps no other from it", async () => {
  const { owner, project, workspaceId } = await workshopOn(running);
  const [broken, task, fresh] = [
    await newTask(owner, project.id, { description_markdown: "Broken" }),
    await newTask(owner, project.id, { description_markdown: "Hello" }),
    await newTask(owner, project.id, { description_markdown: "Fresh" }),
  ];
  for (const each of [broken, task, fresh]) {
    const editor = await enter(owner, `/tasks/${each.id}`);
    editor.type(" there");
    await editor.kept();
  }
  const age =
    "update collaboration_texts set changed_at = now() - interval '2 minutes' where target_id = any($1::uuid[])";
  await running.sql(age, [[broken.id, task.id]], workspaceId);
  await running.sql("update collaboration_texts set state = 'x' where target_id = $1", [broken.id], workspaceId);
  await run("seal_texts");
  const rows = await running.sql<{ id: string; description_markdown: string }>(
    "select id, description_markdown from tasks where project_id = $1",
    [project.id],
    workspaceId,
  );
  const texts = new Map(rows.map((row) => [row.id, row.description_markdown.trim()]));
  expect([texts.get(task.id), texts.get(fresh.id), texts.get(broken.id)]).toEqual(["Hello there", "Fresh", "Broken"]);
});

test("sessions are forgotten a week after their token", async () => {
  const { owner, project, workspaceId } = await workshopOn(running);
  const task = await newTask(owner, project.id);
  const [old, young] = [await newSession(owner, `/tasks/${task.id}`), await newSession(owner, `/tasks/${task.id}`)];
  const age = "update collaboration_sessions set expires_at = now() - $2::interval where id = $1";
  await running.sql(age, [old.id, "8 days"], workspaceId);
  await running.sql(age, [young.id, "6 days"], workspaceId);
  await run("sweep_collaboration_sessions");
  const left = await running.sql<{ id: string }>(
    "select id from collaboration_sessions where target_id = $1",
    [task.id],
    workspaceId,
  );
  expect(left.map(({ id }) => id)).toEqual([young.id]);
});
