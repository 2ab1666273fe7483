// Many at once: texts that are opened, written down and read together take turns, and nobody is refused for it; what
// many type goes out in few frames.
import pg from "pg";
import { afterEach, expect, test } from "vitest";
import { Editor, newSession, type Session, until } from "../../../test/editing.ts";
import { newTask, workshopOn } from "../../../test/work.ts";
import { service } from "../../../test/world.ts";

const running = service({});
const open: Editor[] = [];
afterEach(() => {
  for (const editor of open.splice(0)) editor.leave();
});

/** So many texts, each with an editor in it who has typed a word. */
async function typedIn(count: number) {
  const { home, owner, project, workspaceId } = await workshopOn(running);
  const texts: { id: string; editor: Editor; word: string }[] = [];
  for (let at = 0; at < count; at++) {
    const { id } = await newTask(owner, project.id, { description_markdown: "Hello" });
    const editor = new Editor(await newSession(owner, `/tasks/${id}`));
    open.push(editor);
    await editor.ready();
    const word = `word${at}`;
    editor.type(` ${word}`);
    texts.push({ id, editor, word });
  }
  await Promise.all(texts.map(({ editor }) => editor.kept()));
  return { home, owner, workspaceId, texts };
}
/** The most that wait for a place at the database while this is done. */
async function mostWaiting(work: () => Promise<unknown>) {
  let most = 0;
  const { reader, writer } = running.database;
  // Wait: looks until the work is done.
  const looking = setInterval(() => {
    most = Math.max(most, reader.waiting(), writer.waiting());
  }, 1);
  await work();
  clearInterval(looking);
  return most;
}
const CUT = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and application_name = 'svc-write'`;
const unsealed = async (workspaceId: string) =>
  (await running.sql("select from collaboration_texts where unsealed_since is not null", [], workspaceId)).length;

test("many read at once what is being written, and each is given what was typed", async () => {
  const { owner, texts } = await typedIn(24);
  const answers = await Promise.all(texts.map(({ id }) => owner.call("GET", `/tasks/${id}`)));
  expect(answers.map(({ status, body }) => [status, body.description_markdown?.trim()])).toEqual(
    texts.map(({ word }) => [200, `Hello ${word}`]),
  );
});

test("whoever reads while what was typed cannot be written down is told to come again, and never given less", async () => {
  const { owner, texts } = await typedIn(6);
  const outside = new pg.Client(running.databaseUrl);
  await outside.connect();
  for (const { id, word } of texts) {
    let reading = true;
    const cutting = (async () => {
      while (reading) await outside.query(CUT);
    })();
    const { status, body } = await owner.call("GET", `/tasks/${id}`, { once: true });
    reading = false;
    await cutting;
    if (status === 503) expect(body.code).toBe("overloaded");
    else expect(body.description_markdown.trim()).toBe(`Hello ${word}`);
  }
  await outside.end();
  // The service opens no connections for a moment after attempts that failed.
  await until("it writes again", () =>
    running.database.writer
      .use((tx) => tx.rows("select 1"))
      .then(
        () => true,
        () => false,
      ),
  );
});

test("texts that everybody leaves at once are written down in turn, and nobody waits behind them", async () => {
  const { workspaceId, texts } = await typedIn(30);
  const most = await mostWaiting(async () => {
    for (const { editor } of texts) editor.leave();
    await until("all is written down", async () => (await unsealed(workspaceId)) === 0);
  });
  expect(most).toBeLessThan(4);
});

test("those who come back at once, as after a restart, are all let in, in turn", async () => {
  const { home, owner, texts } = await typedIn(25);
  const ada = await home.member("member");
  const sessions: Session[] = [];
  for (const { editor } of texts) editor.leave();
  for (const person of [owner, ada])
    for (const { id } of texts) sessions.push(await newSession(person, `/tasks/${id}`));
  const back = sessions.map((session) => new Editor(session));
  open.push(...back);
  const most = await mostWaiting(() => Promise.all(back.map((editor) => editor.ready())));
  expect(back.map(({ text }) => text)).toEqual([...texts, ...texts].map(({ word }) => `Hello ${word}`));
  expect(most).toBeLessThan(4);
});

test("what comes in quick succession is told to the others together, and acknowledged one by one", async () => {
  const { owner, project } = await workshopOn(running);
  const { id } = await newTask(owner, project.id, { description_markdown: "Hello" });
  const [typist, other] = [
    new Editor(await newSession(owner, `/tasks/${id}`)),
    new Editor(await newSession(owner, `/tasks/${id}`)),
  ];
  open.push(typist, other);
  await Promise.all([typist.ready(), other.ready()]);
  await Promise.all([typist.kept(), other.kept()]);
  const before = typist.acknowledged;
  let frames = 0;
  other.doc.on("update", () => {
    frames++;
  });
  for (let count = 0; count < 200; count++) typist.type("x");
  await typist.kept();
  await until("the other has it all", () => other.text === typist.text);
  expect(typist.acknowledged - before).toBe(200);
  expect(frames).toBeLessThan(200);
});
