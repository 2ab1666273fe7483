// A receipt says beforehand what undoing and redoing cannot do: for every kind of effect what can come in its way is
// planted, and the receipt names the same reason as the refusal. What a receipt offers is done.
import { beforeAll, expect, test } from "vitest";
import { commandOf, redo, undo } from "../../../test/commands.ts";
import {
  author,
  bench,
  furnish,
  type Hindrance,
  type HindranceCase,
  home,
  label,
  note,
  ofRedoing,
  ofUndoing,
  sent,
} from "../../../test/hindrances.ts";
import { newEntry } from "../../../test/time.ts";
import { service } from "../../../test/world.ts";

const running = service();
beforeAll(() => furnish(running));

const receipt = (id: string) => author.call("GET", `/workspaces/${home.workspaceId}/operation-receipts/${id}`);
const free = { possible: true, reason: null, errors: [] };
/** What the receipt says, and what happens then: the same, in no more than two round-trips. */
async function expectRefused(
  id: string,
  way: "undo" | "redo",
  { codes, reason = "undo_conflict" }: Pick<Hindrance, "codes" | "reason">,
) {
  const told = await receipt(id);
  expect(told.trips).toBeLessThanOrEqual(2);
  const { possible, reason: said, errors } = told.body[way];
  expect([possible, said]).toEqual([false, reason]);
  expect([...new Set((errors ?? []).map(({ code }: { code: string }) => code))]).toEqual(codes);
  expect(told.body.capabilities).toEqual([]);
  const tried = await (way === "undo" ? undo : redo)(author, id);
  expect([tried.body.code, tried.body.errors ?? []]).toEqual([said, errors]);
}

test.each(Object.entries(ofUndoing))(
  "undoing is not offered, and is refused with the same words: %s",
  async (_name, row) => {
    const made = await row();
    const id = commandOf(made.act);
    expect((await receipt(id)).body.undo).toEqual(free);
    await made.hinder();
    await expectRefused(id, "undo", made);
  },
);

test.each(Object.entries(ofRedoing))(
  "redoing is not offered, and is refused with the same words: %s",
  async (_name, row) => {
    const made = await row();
    const id = commandOf(made.act);
    const undone = await undo(author, id);
    expect([undone.status, undone.body.undo]).toEqual([200, free]);
    expect((await receipt(id)).body.redo).toEqual(free);
    await made.hinder();
    await expectRefused(id, "redo", made);
  },
);

/** Those that keep nothing from being undone. */
const oneWay = ["an assignee who has left", "a Milestone that is closed", "a review that is required"];
oneWay.push("a reaction of a Task in the trash", "recorded time of a Task in the trash");
test.each(oneWay)("the answer of undoing says already that there is no way back: %s", async (name) => {
  const made = await (ofRedoing[name] as HindranceCase)();
  const id = commandOf(made.act);
  await made.hinder();
  expect((await receipt(id)).body.undo).toEqual(free);
  const undone = await undo(author, id);
  expect([undone.status, undone.body.capabilities]).toEqual([200, []]);
  expect(undone.body.undo).toMatchObject({ possible: false, reason: "undo_conflict" });
  expect((await receipt(undone.body.id)).body).toEqual(undone.body);
  expect((await receipt(id)).body.redo).toEqual(undone.body.undo);
  await expectRefused(id, "redo", made);
});

test("a label that was deleted since is in nobody's way: undoing is offered and done without it", async () => {
  const [made, one, two] = [await bench(), await label(), await label()];
  const put = (label_ids: string[]) => sent(author, "PUT", `/task/${made.task.id}/labels`, { label_ids });
  await put([one, two]);
  const id = commandOf(await put([]));
  await sent(made.owner, "DELETE", `/label-definitions/${one}`);
  expect((await receipt(id)).body.undo).toEqual(free);
  expect((await undo(author, id)).body.undo).toEqual(free);
  expect((await author.call("GET", made.path)).body.label_ids).toEqual([two]);
});

test("what time its author may not correct any more is told as that, whether they see its Task or not", async () => {
  const made = await bench();
  const { id: entry } = await newEntry(author, made.task.id);
  const id = commandOf(await note("Gears")(`/time-entries/${entry}`));
  await sent(made.owner, "PATCH", `/projects/${made.project.id}`, { visibility: "private" });
  await expectRefused(id, "undo", { codes: [], reason: "forbidden" });
});
