// Editing together: a session, its socket, what is typed, read and written down find everything by an index. Part of
// explain.slow.test.ts, as explain-one.ts is.
import { expect, test } from "vitest";
import { Editor, newSession, until } from "./editing.ts";
import { explaining } from "./explained.ts";
import { newTask } from "./work.ts";

const { seen, explainUndone, allFaultsOf } = explaining();

test("a text that is written together is found, kept, watched and written down by an index", async () => {
  const { home, projectId } = seen.loaded;
  const { owner } = home;
  const task = await newTask(owner, projectId, { description_markdown: "One" });
  seen.recorded = [];
  const session = await newSession(owner, `/tasks/${task.id}`);
  const editor = await new Editor(session).ready();
  editor.type(" two");
  await editor.kept();
  const read = await owner.call("GET", `/tasks/${task.id}`);
  expect(read.body.revision).toBe("2");
  const body = { description_markdown: "One two three" };
  expect((await owner.call("PATCH", `/tasks/${task.id}`, { body, ifMatch: "2" })).status).toBe(200);
  await until("it is taken in", () => editor.text.includes("three"));
  const path = `/tasks/${task.id}/collaboration-sessions/${session.id}`;
  expect((await owner.call("DELETE", path)).status).toBe(204);
  await editor.ended();
  const statements = new Map(seen.recorded.map((statement) => [statement.sql, statement]));
  for (const part of [
    "token_hash = $2",
    "s.id = any($2::uuid[])",
    "insert into collaboration_updates",
    "sealed_as = $7",
  ])
    expect([...statements.keys()].filter((sql) => sql.includes(part)).length, part).toBeGreaterThan(0);
  for (const statement of statements.values())
    expect(allFaultsOf(await explainUndone(statement), statement.sql), statement.sql).toEqual([]);
});
