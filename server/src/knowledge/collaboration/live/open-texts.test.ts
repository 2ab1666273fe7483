// The hub of open texts on a real database, with checkpoints that the test delays or lets fail: a text is dropped once,
// and what a request wrote arrives.
import { afterEach, expect, test, vi } from "vitest";
import * as Y from "yjs";
import { newDocument } from "../../../../test/documents.ts";
import { newSession, typeIn, until } from "../../../../test/editing.ts";
import { type Person, service, world } from "../../../../test/world.ts";
import { sha256 } from "../../../platform/wire/ids.ts";
import { createLog } from "../../../platform/wire/log.ts";
import { type EditingSession, letIn, placeOf } from "../access.ts";
import { type Sealer, sealer } from "../checkpoint.ts";
import type { EditorPeer } from "../socket/peer.ts";
import { append, reading, readText, writing } from "../store.ts";
import { docOf } from "../yjs/rich-text.ts";
import { IDLE } from "./idle-texts.ts";
import type { Text } from "./live-text.ts";
import { type EditingPace, OpenTexts, PACE } from "./open-texts.ts";

const running = service();
const hubs: OpenTexts[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(hubs.splice(0).map((hub) => hub.close()));
});
const log = createLog("silent");
const MOST = 262_144;
const NONE = { ...IDLE, texts: 0 };

async function scene(pace: Partial<EditingPace> = {}, markdown = "Hello") {
  const home = await world(running);
  const { id } = await newDocument(home, { markdown });
  const path = `/documents/${id}`;
  const real = sealer(running.database);
  const seals: Sealer = { seal: vi.fn(real.seal), takeIn: vi.fn(real.takeIn) };
  const hub = new OpenTexts(running.database, running.databaseUrl, seals, log, {
    ...PACE,
    ...pace,
  });
  hubs.push(hub);
  const session = await newSession(home.owner, path);
  const place = placeOf(session.document_name) as NonNullable<ReturnType<typeof placeOf>>;
  const standing = () =>
    reading(running.database, place, (tx) => letIn(tx, place, sha256(session.token))) as Promise<EditingSession>;
  const join = async () => {
    const now = await standing();
    const peer = peerOf(home.owner, now.id);
    const text = (await hub.join(place, session.document_name, peer, now, () => {})) as Text;
    const doc = new Y.Doc();
    doc.getXmlFragment("default");
    Y.applyUpdate(doc, answerIn(text), "hub");
    let kept = 0;
    let sent = 0;
    doc.on("update", (update: Uint8Array, origin: unknown) => {
      if (origin === "hub") return;
      sent++;
      text.take(peer, update, false, () => kept++);
      hub.changed(text);
    });
    const type = (words: string) => typeIn(doc.getXmlFragment("default"), words, 0);
    return { text, doc, peer, type, isKept: () => kept === sent, leave: () => hub.leave(text, peer) };
  };
  const words = async () => (await home.owner.call("GET", `${path}/markdown`)).body.markdown.trim() as string;
  return { home, path, place, hub, seals, real, join, words };
}
const peerOf = ({ actorId }: Person, sessionId: string): EditorPeer => ({
  sessionId,
  actorId,
  name: "Ada",
  writes: true,
  clients: new Set<number>(),
  early: [],
  settled: true,
  refused: false,
  send: () => {},
  close: () => {},
});
/** The update in an answer to a request for everything: what comes after the name and two numbers. */
function answerIn(text: Text): Uint8Array {
  const doc = Reflect.get(text, "doc") as Y.Doc;
  return Y.encodeStateAsUpdate(doc);
}
const textIn = (doc: Y.Doc) =>
  doc
    .getXmlFragment("default")
    .toJSON()
    .replace(/<[^>]*>/g, "");

test("editors who come and leave while a checkpoint is slow never write into a text that nobody stores", async () => {
  const { hub, seals, real, join, words } = await scene({ idle: NONE });
  let finish = () => {};
  const slow = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const sealed = vi.mocked(seals.seal).mockImplementation((place) => slow.then(() => real.seal(place)));
  const first = await join();
  first.type(" first");
  await until("the word is stored", first.isKept);
  first.leave();
  await until("a checkpoint is made", () => sealed.mock.calls.length > 0);
  // The second editor finds the text and leaves it: nothing is left to checkpoint, so the text is dropped at once.
  const second = await join();
  expect(second.text).toBe(first.text);
  second.leave();
  await until("the text is dropped", () => hub.count() === 0);
  const third = await join();
  expect(third.text).not.toBe(first.text);
  finish();
  await sealed.mock.results[0]?.value;
  // A round of the database comes after whatever the checkpoint does next.
  await words();
  expect(hub.count()).toBe(1);
  third.type(" third");
  await until("the word is stored", third.isKept);
  const fourth = await join();
  expect(fourth.text).toBe(third.text);
  expect(await words()).toBe("Hello first third");
});

test("a text that was left is still in memory, and comes back with what happened meanwhile", async () => {
  const { home, path, hub, join, words } = await scene();
  const first = await join();
  first.type(" first");
  await until("the word is stored", first.isKept);
  first.leave();
  await until("the text is dropped", () => hub.count() === 0);
  // A request writes, and another process takes it in.
  const put = await home.owner.call("PUT", `${path}/markdown`, {
    body: { markdown: "Hello first, and you" },
    headers: { "if-match": "*" },
  });
  expect(put.status).toBe(200);
  const second = await join();
  expect(second.text).toBe(first.text);
  expect(textIn(second.doc)).toBe("Hello first, and you");
  second.type(" too");
  await until("the word is stored", second.isKept);
  expect(await words()).toBe("Hello first, and you too");
});

test("a text that was left and changed nowhere is opened without reading it again", async () => {
  const { seals, join, hub } = await scene();
  const comesAndLeaves = async () => {
    const editor = await join();
    editor.leave();
    await until("the text is dropped", () => hub.count() === 0);
    return editor.text;
  };
  const first = await comesAndLeaves();
  const before = vi.mocked(seals.takeIn).mock.calls.length;
  expect([await comesAndLeaves(), await comesAndLeaves()]).toEqual([first, first]);
  expect(vi.mocked(seals.takeIn).mock.calls.length).toBe(before);
});

test("what another process stored while nobody was here is there at the first answer", async () => {
  const here = await scene();
  const first = await here.join();
  first.leave();
  await until("the text is dropped", () => here.hub.count() === 0);
  const elsewhere = new OpenTexts(running.database, running.databaseUrl, here.real, log, PACE);
  hubs.push(elsewhere);
  const session = await newSession(here.home.owner, here.path);
  const standing = (await reading(running.database, here.place, (tx) =>
    letIn(tx, here.place, sha256(session.token)),
  )) as EditingSession;
  const peer = peerOf(here.home.owner, standing.id);
  const text = (await elsewhere.join(here.place, session.document_name, peer, standing, () => {})) as Text;
  const doc = new Y.Doc();
  Y.applyUpdate(doc, answerIn(text), "hub");
  let isKept = false;
  doc.on("update", (update: Uint8Array) => {
    text.take(peer, update, false, () => {
      isKept = true;
    });
    elsewhere.changed(text);
  });
  typeIn(doc.getXmlFragment("default"), " elsewhere", 0);
  await until("the word is stored", () => isKept);
  const second = await here.join();
  expect([second.text === first.text, textIn(second.doc)]).toEqual([true, "Hello elsewhere"]);
});

test("a text that was deleted while it was idle is not opened", async () => {
  const { home, path, hub, join, place } = await scene();
  const first = await join();
  first.leave();
  await until("the text is dropped", () => hub.count() === 0);
  const session = await newSession(home.owner, path);
  const standing = (await reading(running.database, place, (tx) =>
    letIn(tx, place, sha256(session.token)),
  )) as EditingSession;
  await running.asOwner("delete from collaboration_texts where target_id = $1", [place.targetId]);
  const peer = peerOf(home.owner, standing.id);
  // The access check had read it before it was deleted.
  const late = { ...standing, lastSeq: standing.lastSeq + 1 };
  expect(await hub.join(place, session.document_name, peer, late, () => {})).toBeUndefined();
});

test("what a request wrote is merged again if that failed once", async () => {
  const { home, path, join, seals } = await scene({ watchMs: 20 });
  const editor = await join();
  const failing = vi.mocked(seals.takeIn).mockImplementationOnce(() => Promise.reject(new Error("out of reach")));
  const calls = failing.mock.calls.length;
  await home.owner.call("PUT", `${path}/markdown`, { body: { markdown: "Hello you" }, headers: { "if-match": "*" } });
  await until("it was tried again", () => failing.mock.calls.length > calls + 1);
  const words = () => textIn(Reflect.get(editor.text, "doc") as Y.Doc);
  await expect.poll(words).toBe("Hello you");
});

test("words that fit without those of another process only are refused, and never stored past the limit", async () => {
  const { home, place, hub, join } = await scene({}, "x".repeat(MOST - 10));
  const { text, doc, peer } = await join();
  const before = Y.encodeStateVector(doc);
  const typed = (word: string) => {
    const copy = docOf(Y.encodeStateAsUpdate(doc));
    typeIn(copy.getXmlFragment("default"), word, 0);
    return Y.encodeStateAsUpdate(copy, before);
  };
  const acknowledged = vi.fn();
  const told = vi.spyOn(peer, "send");
  // Taken, and not yet stored when the other word is read.
  expect(text.take(peer, typed(" here"), false, acknowledged)).toBe(true);
  await writing(running.database, place, (tx) => append(tx, place, typed(" elsewhere"), [home.owner.actorId]));
  await hub.catchUp(text);
  hub.changed(text);
  await until("everything is answered", () => text.pending.length === 0);
  await until("it is asked for what it lacks", () => told.mock.calls.length >= 3);
  const stored = await reading(running.database, place, (tx) => readText(tx, place));
  const kept = docOf(
    ...[stored?.state, ...(stored?.updates ?? []).map(({ data }) => data)].map((each) => each as Buffer),
  );
  expect(textIn(kept)).toBe(`${"x".repeat(MOST - 10)} elsewhere`);
  expect(acknowledged).not.toHaveBeenCalled();
});
