// Processor time of a text: answers are encoded once for each state, a letter costs the same in every text, and whoever
// has used up their time waits.
import { afterEach, expect, test, vi } from "vitest";
import * as Y from "yjs";
import { newDocument } from "../../../test/documents.ts";
import { type Editor, enter, typeIn } from "../../../test/editing.ts";
import { service, world } from "../../../test/world.ts";
import { Meter, Meters, processorClock, threadMs } from "../../platform/wire/limits/processor-time.ts";
import { Text } from "./live/live-text.ts";
import { OpenTexts } from "./live/open-texts.ts";
import { BYTES_PER_MS, PROCESSOR_TIME } from "./socket/editor-socket.ts";
import type { EditorPeer } from "./socket/peer.ts";

const running = service();
const open: Editor[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const editor of open.splice(0)) editor.leave();
});

function textWith(words: string) {
  const doc = new Y.Doc();
  typeIn(doc.getXmlFragment("default"), words, 0);
  const text = new Text({ workspaceId: "w", targetId: "t" }, "document:w:t", [Y.encodeStateAsUpdate(doc)], 0);
  const peer = { actorId: "a", clients: new Set(), settled: true, refused: false, early: [] } as unknown as EditorPeer;
  doc.on("update", (update) => text.take(peer, update, false, () => {}));
  return { doc, text };
}
const EMPTY = Y.encodeStateVector(new Y.Doc());

test("requests for one state are answered from one encoding, however many there are", () => {
  const { doc, text } = textWith("Hello");
  const answer = text.answerTo(EMPTY);
  for (let count = 0; count < 100; count++) expect(text.answerTo(EMPTY)).toBe(answer);
  expect(text.encodings).toBe(1);
  // Clients and changes that the text never had make no other question.
  for (let client = 1; client <= 100; client++)
    text.answerTo(Y.encodeStateVector(new Map([[client, client]]) as unknown as Map<number, number>));
  expect(text.encodings).toBe(1);
  typeIn(doc.getXmlFragment("default"), " you", 0);
  expect(text.answerTo(EMPTY)).not.toBe(answer);
  expect(text.encodings).toBe(2);
});

test("a letter in a paragraph of many marked words is checked alone", () => {
  const { doc, text } = textWith("Hello");
  const marked = new Y.XmlText();
  const paragraph = new Y.XmlElement("paragraph");
  paragraph.insert(0, [marked]);
  doc.getXmlFragment("default").insert(0, [paragraph]);
  marked.applyDelta(
    Array.from({ length: 5000 }, (_, at) => ({ insert: "a", attributes: at % 2 ? { bold: null } : { bold: {} } })),
  );
  const read = vi.spyOn(Y.XmlText.prototype, "toDelta");
  const listed = vi.spyOn(Y.XmlFragment.prototype, "toArray");
  marked.insert(2500, "x");
  expect([read.mock.calls.length, listed.mock.calls.length]).toEqual([0, 0]);
  expect(text.pending.at(-1)?.update).not.toBeNull();
});

test("a meter lets work through until its time is used up, and then as much as comes back", () => {
  const meter = new Meter({ second: 100, most: 50 }, 0);
  meter.charge(50, 0);
  expect(meter.wait(0)).toBe(0);
  meter.charge(10, 0);
  expect(meter.wait(0)).toBe(100);
  expect(meter.wait(60)).toBe(40);
  expect(meter.wait(100)).toBe(0);
  meter.charge(1, 10_000);
  expect(meter.rest(10_000)).toBe(10);
});

test("sockets of one person share one meter, and whoever leaves and comes back finds the debt", () => {
  const meters = new Meters({ second: 1, most: 10 });
  const [first, second] = [meters.use("ada"), meters.use("ada")];
  expect(second).toBe(first);
  first.charge(1000);
  meters.release("ada");
  meters.release("ada");
  expect(meters.use("ada").wait()).toBeGreaterThan(0);
  expect(meters.use("bob").wait()).toBe(0);
});

test("a meter that is charged after its last release is kept until it is full again, and no longer", () => {
  vi.useFakeTimers();
  try {
    const meters = new Meters({ second: 1000, most: 10 });
    const meter = meters.use("ada");
    meters.release("ada");
    meter.charge(30);
    vi.advanceTimersByTime(20);
    expect(meters.count()).toBe(1);
    vi.advanceTimersByTime(20);
    expect(meters.count()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test("time in which the machine runs other processes is charged to nobody", () => {
  const usage = vi.spyOn(process, "threadCpuUsage");
  const measured = (cpuMs: number, elapsedMs: number) => {
    usage.mockReturnValueOnce({ user: 1000, system: 0 });
    const processorTime = processorClock();
    usage.mockReturnValueOnce({ user: 1000 + 600 * cpuMs, system: 400 * cpuMs });
    const result = processorTime(elapsedMs);
    usage.mockReset();
    return result;
  };
  // Shorter work than a tick of the system, then work that waited for the processor, and work that did not.
  expect([measured(0, 3), measured(0, 100), measured(30, 100), measured(100, 100)]).toEqual([3, 4, 30, 100]);
});

test("a Node that cannot measure a thread measures by the clock", () => {
  const threadCpuUsage = process.threadCpuUsage;
  Object.assign(process, { threadCpuUsage: undefined });
  try {
    const before = performance.now();
    expect(threadMs()).toBeGreaterThanOrEqual(before);
  } finally {
    Object.assign(process, { threadCpuUsage });
  }
});

test("a text is opened only while its person and Workspace are out of debt, also for sockets that open at once", async () => {
  const home = await world(running);
  const viewer = await home.member("viewer");
  const used = vi.spyOn(Meters.prototype, "use");
  const debts: number[] = [];
  const join = OpenTexts.prototype.join;
  // Each opening costs a person twice what they have at once.
  vi.spyOn(OpenTexts.prototype, "join").mockImplementation(function (
    this: OpenTexts,
    place,
    name,
    peer,
    standing,
    charge,
  ) {
    debts.push(Math.max(...used.mock.results.map(({ value }) => value.wait())));
    charge(2 * PROCESSOR_TIME.person.most);
    return join.call(this, place, name, peer, standing, charge);
  });
  const paths = await Promise.all([1, 2, 3].map(async () => `/documents/${(await newDocument(home)).id}`));
  const opened = await Promise.all(paths.map((path) => enter(viewer, path)));
  // The debt outlives the last socket.
  for (const editor of opened) editor.cut();
  open.push(await enter(viewer, paths[0] as string));
  expect(debts).toEqual([0, 0, 0, 0]);
});

test("a change is charged to its author for each of the others to whom it is broadcast", async () => {
  const home = await world(running);
  const path = `/documents/${(await newDocument(home)).id}`;
  const author = await enter(home.owner, path);
  open.push(author, await enter(home.owner, path), await enter(home.owner, path));
  const lengths: number[] = [];
  author.doc.on("update", (update: Uint8Array) => lengths.push(update.length));
  const charged = vi.spyOn(Meter.prototype, "charge");
  author.type("x".repeat(50_000));
  await author.kept();
  expect(charged.mock.calls.map(([ms]) => ms)).toContain((2 * (lengths[0] as number)) / BYTES_PER_MS);
});

test("frames of a socket that has used up its time wait, are answered later, and close nothing", async () => {
  const home = await world(running);
  const { id } = await newDocument(home, { markdown: "word ".repeat(20_000) });
  const viewer = await home.member("viewer");
  const editor = await enter(viewer, `/documents/${id}`);
  open.push(editor);
  const charged: number[] = [];
  const charge = Meter.prototype.charge;
  // Each frame costs as much as a socket has at once.
  vi.spyOn(Meter.prototype, "charge").mockImplementation(function (this: Meter, _ms, now) {
    charged.push(performance.now());
    charge.call(this, PROCESSOR_TIME.socket.most, now);
  });
  for (let count = 0; count < 4; count++) editor.askState();
  await expect.poll(() => charged.length).toBeGreaterThanOrEqual(3 * 4);
  const [first, last] = [charged[0] as number, charged.at(-1) as number];
  // The first two are paid for; a person gets 150 ms back in a second, so that the others take 2 x 50 / 0.15.
  expect(last - first).toBeGreaterThan(300);
  expect(editor.closed).toBeNull();
});
