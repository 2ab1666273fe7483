// Nothing typed is lost: what was acknowledged is in the database, whatever happens to the process, and processes on
// one database edit together.
import pg from "pg";
import { afterEach, expect, test } from "vitest";
import * as Y from "yjs";
import { type Another, anotherProcess } from "../../../../test/another-process.ts";
import { Editor, enter, newSession, until } from "../../../../test/editing.ts";
import { newTask, workshopOn } from "../../../../test/work.ts";
import { type Person, service } from "../../../../test/world.ts";

const running = service();
const open: { leave(): void }[] = [];
const processes: Another[] = [];
afterEach(async () => {
  for (const editor of open.splice(0)) editor.leave();
  for (const each of processes.splice(0)) await each.kill();
});
const start = async (port?: number) => {
  const another = await anotherProcess(running, port);
  processes.push(another);
  return another;
};
type Id = { id: string };
/** By way of this process, or of another one. */
const entered = async (person: Person, { id }: Id, { host }: Partial<Another> = {}, doc?: Y.Doc) => {
  const session = await newSession(person, `/tasks/${id}`);
  const url = host === undefined ? session.url : session.url.replace(/\/\/[^/]+/, `//${host}`);
  const editor = new Editor({ ...session, url }, doc);
  open.push(editor);
  return editor.ready();
};
const read = async (person: Person, { id }: Id) =>
  (await person.call("GET", `/tasks/${id}`)).body.description_markdown as string;

test("two processes on one database: everybody sees what the others write, where they are, and that they have left", async () => {
  const another = await start();
  const { home, owner, project } = await workshopOn(running);
  const ada = await home.member("member");
  const task = await newTask(owner, project.id, { description_markdown: "Hello" });
  const [here, there] = [await entered(owner, task), await entered(ada, task, another)];
  await until("the processes know each other", async () => {
    here.awareness.setLocalState({ cursor: { at: Date.now() } });
    there.awareness.setLocalState({ cursor: { at: Date.now() } });
    // Wait: a pause between two looks.
    await new Promise((resolve) => setTimeout(resolve, 100));
    return here.awareness.getStates().has(there.doc.clientID) && there.awareness.getStates().has(here.doc.clientID);
  });
  expect(here.awareness.getStates().get(there.doc.clientID)).toMatchObject({ user: { actor_id: ada.actorId } });
  for (let count = 0; count < 20; count++) {
    here.type(` h${count}`, 0);
    there.type(` t${count}`, 1);
  }
  await Promise.all([here.kept(), there.kept()]);
  await until(
    "both have all",
    () => here.text === there.text && here.text.includes("h19") && here.text.includes("t19"),
  );
  // Both at one place.
  here.type(" and", 0);
  there.type(" also", 0);
  await until("both have both", () => here.text === there.text && /and/.test(here.text) && /also/.test(here.text));
  there.leave();
  await until("it is gone", () => !here.awareness.getStates().has(there.doc.clientID));
  expect((await read(owner, task)).trim().split(/\n+/)).toEqual(here.text.split("\n"));
});

test("a right that ends in one process ends the socket in the other, and what a request writes here is seen there", async () => {
  const another = await start();
  const { home, owner, project } = await workshopOn(running);
  const ada = await home.member("member");
  const task = await newTask(owner, project.id, { description_markdown: "Hello" });
  const there = await entered(ada, task, another);
  there.type(" there");
  await there.kept();
  await owner.call("PATCH", `/tasks/${task.id}`, {
    body: { description_markdown: "Hello\n\nEverybody" },
    ifMatch: "1",
  });
  await until("it is seen there", () => there.text === "Hello there\nEverybody");
  await running.sql("update memberships set state = 'removed' where actor_id = $1", [ada.actorId], home.workspaceId);
  await there.ended();
  expect(there.closed?.code).toBe(4403);
});

test("kill -9 while 20 people type: every acknowledged keystroke is there, and all who come back agree with what is stored", async () => {
  let victim = await start();
  const { home, owner, project } = await workshopOn(running);
  const task = await newTask(owner, project.id, {
    description_markdown: Array.from({ length: 20 }, (_, at) => `Paragraph ${at}`).join("\n\n"),
  });
  const people = [owner, ...(await Promise.all(Array.from({ length: 4 }, () => home.member("member"))))];
  const typists = Array.from({ length: 20 }, (_, at) => people[at % people.length] as Person);
  let editors = await Promise.all(typists.map((person) => entered(person, task, victim)));
  await Promise.all(editors.map((editor) => editor.kept()));
  const docs = editors.map(({ doc }) => doc);
  /** What was acknowledged of each, as the words that it has typed. */
  const sure: string[] = [];
  for (let round = 0; round < 2; round++) {
    let typing = true;
    const typed = editors.map(async (editor, at) => {
      const words: string[] = [];
      for (let count = 0; typing && count < 400; count++) {
        const word = `r${round}e${at}n${count}`;
        words.push(word);
        editor.type(` ${word}`, at);
        // Wait: a pause between two words. Typing ends when the process is killed.
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      return () => {
        // Each word is one update, acknowledged in its order.
        return words.slice(0, Math.max(0, words.length - (editor.sent - editor.acknowledged)));
      };
    });
    const began = editors.map(({ acknowledged }) => acknowledged);
    await until("everybody types", () => editors.every((each, at) => each.acknowledged > (began[at] ?? 0) + 3));
    await victim.kill();
    typing = false;
    for (const acknowledged of await Promise.all(typed)) sure.push(...acknowledged());
    expect(sure.length).toBeGreaterThan(20 * (round + 1));
    // Before anybody comes back: what is in the database has all of it.
    const kept = await read(owner, task);
    const lost = sure.filter((word) => !new RegExp(`\\b${word}\\b`).test(kept));
    expect(lost).toEqual([]);
    victim = await start();
    editors = await Promise.all(typists.map((person, at) => entered(person, task, victim, docs[at])));
    await Promise.all(editors.map((editor) => editor.kept()));
  }
  await until("all agree", () => new Set(editors.map(({ text }) => text)).size === 1);
  const [{ text }] = editors as [Editor];
  for (const [at, doc] of docs.entries()) expect(doc.clientID, String(at)).toBe(editors[at]?.doc.clientID);
  const words = text.split(/\s+/);
  for (const word of sure) expect(words.filter((each) => each === word).length, word).toBe(1);
  expect((await read(owner, task)).trim().split(/\n+/)).toEqual(text.split("\n"));
});

const MOST = 262_144;
test("two processes accept words that fit only one at a time: one of them refuses, and everybody agrees with what is stored", async () => {
  const another = await start();
  const { home, owner, project, workspaceId } = await workshopOn(running);
  const ada = await home.member("member");
  const task = await newTask(owner, project.id, { description_markdown: `${"x".repeat(MOST - 12)}\n\nend` });
  const [first, second] = [await entered(owner, task), await entered(owner, task)];
  const [third, fourth] = [await entered(ada, task, another), await entered(ada, task, another)];
  const editors = [first, second, third, fourth];
  for (const editor of editors) editor.undoes = true;
  const agreed = () => new Set(editors.map(({ text }) => text)).size === 1;
  const client = new pg.Client(running.databaseUrl);
  await client.connect();
  try {
    for (let round = 0; round < 3; round++) {
      await Promise.all(editors.map((editor) => editor.kept()));
      await until("all agree", agreed);
      const refusals = editors.map((editor) => editor.refusals.length);
      await client.query("begin");
      await client.query("select set_config('svc.workspace', $1, true)", [workspaceId]);
      await client.query("select from collaboration_texts where target_id = $1 for update", [task.id]);
      // Neither process can store its word, and both have broadcast it.
      first.type("here", 1);
      third.type("there", 1);
      await until("both are seen", () => second.text.endsWith("here") && fourth.text.endsWith("there"));
      // Refused at once, and undone without what the same person typed before.
      for (const editor of [first, third]) editor.type("too much", 1);
      await until(
        "it is undone",
        () => second.text.endsWith("here") && first.text.endsWith("here") && third.text.endsWith("there"),
      );
      second.type("s", 1);
      await until("the next one is refused or seen", () => first.text.endsWith("heres") || second.refused > 0);
      await client.query("rollback");
      await until("all agree", () => agreed() && /end(heres|there)$/.test(first.text));
      expect(editors.filter((editor, at) => editor.refusals.length > (refusals[at] as number)).length).toBeGreaterThan(
        0,
      );
      await Promise.all(editors.map((editor) => editor.kept()));
      // A read makes no new revision within 30 s of the last one.
      await running.sql("update collaboration_texts set sealed_at = null where target_id = $1", [task.id], workspaceId);
      expect((await read(owner, task)).trim().split(/\n+/).at(-1)).toBe(first.text.split("\n").at(-1));
      const last = (first.part.get(1) as Y.XmlElement).get(0) as Y.XmlText;
      last.delete(3, last.length - 3);
      await until("there is room again", () => editors.every(({ text }) => text.endsWith("\nend")));
    }
  } finally {
    await client.end();
  }
  expect(editors.map(({ closed }) => closed)).toEqual([null, null, null, null]);
});

test("many updates become one, a text that was edited for long opens with all of it, and what was written down is not kept twice", async () => {
  const { owner, project, workspaceId } = await workshopOn(running);
  const task = await newTask(owner, project.id);
  const rows = async () =>
    Number(
      (
        await running.sql<{ count: string }>(
          "select count(*) from collaboration_updates where target_id = $1",
          [task.id],
          workspaceId,
        )
      )[0]?.count,
    );
  const first = await entered(owner, task);
  first.type("x");
  await first.kept();
  first.leave();
  await until("it is written down", async () => (await rows()) === 0);
  // As a year of typing leaves them behind where nobody has ever read or left.
  const doc = new Y.Doc();
  Y.applyUpdate(doc, Y.encodeStateAsUpdate(first.doc));
  const updates: Buffer[] = [];
  doc.on("update", (update) => updates.push(Buffer.from(update)));
  const paragraph = doc.getXmlFragment("default").get(0) as Y.XmlElement;
  const text = paragraph.get(0) as Y.XmlText;
  for (let count = 0; count < 3000; count++) text.insert(text.length, `${count % 10}`);
  await running.sql(
    `with added as (
       insert into collaboration_updates (workspace_id, target_id, seq, data, actor_ids)
       select x.workspace_id, x.target_id, x.last_seq + u.n, decode(u.data, 'base64'), array[$3::uuid]
       from collaboration_texts x, unnest($2::text[]) with ordinality u(data, n) where x.target_id = $1 returning seq
     )
     update collaboration_texts set last_seq = last_seq + 3000, unsealed_since = now() where target_id = $1`,
    [task.id, updates.map((update) => update.toString("base64")), owner.actorId],
    workspaceId,
  );
  const again = await entered(owner, task);
  expect(again.text).toBe(linesOfPlain(doc));
  await until("they are one", async () => (await rows()) === 1);
  again.type("y");
  await again.kept();
  expect((await read(owner, task)).trim()).toBe(again.text);
  expect(await rows()).toBe(0);
});
const linesOfPlain = (doc: Y.Doc) => {
  const paragraph = doc.getXmlFragment("default").get(0) as Y.XmlElement;
  return (paragraph.get(0) as Y.XmlText).toString();
};

test("somebody who types without reading anything loses nothing when the service stops", async () => {
  const { owner, project } = await workshopOn(running);
  const task = await newTask(owner, project.id);
  const editor = await enter(owner, `/tasks/${task.id}`);
  open.push(editor);
  editor.type("word");
  editor.cut();
  await editor.ended();
  const back = await entered(owner, task, {}, editor.doc);
  await back.kept();
  expect((await read(owner, task)).trim()).toBe("word");
});
