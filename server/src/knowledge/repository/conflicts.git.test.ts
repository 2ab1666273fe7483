// Conflicts: both sides stay as they are until somebody resolves one, each way to resolve it does what it says, and a
// stale view decides nothing.
import { expect, test } from "vitest";
import { repositories } from "../../../test/repository.ts";
import { world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const { running, connect } = await repositories();

/** Documents whose one line both sides have changed. */
async function manyInConflict(titles: readonly string[]) {
  const place = await connect();
  const ids: string[] = [];
  for (const title of titles) ids.push((await place.document(title, {}, "Base\n")).id);
  await place.run();
  place.clone.pull();
  const files = titles.map((title) => place.clone.read(pathOf(title)));
  for (const [at, title] of titles.entries())
    place.clone.write(pathOf(title), (files[at] as string).replace("Base", "Theirs"));
  place.clone.push();
  for (const id of ids) await place.write(id, "Ours\n");
  expect(await place.run()).toMatchObject({
    state: "succeeded",
    counts: { conflicts: titles.length, files_written: 0, documents_updated: 0 },
  });
  const conflicts = await place.conflicts();
  const texts = ids.map((id, at) => ({
    id,
    file: files[at] as string,
    conflict: conflicts.find(({ document_id }) => document_id === id),
  }));
  return { place, texts };
}
const pathOf = (title: string) => `${title.toLowerCase()}.md`;
async function inConflict() {
  const { place, texts } = await manyInConflict(["A"]);
  return { place, ...(texts[0] as (typeof texts)[number]) };
}

test("what both changed is shown with base, ours and theirs, and neither side changes, however often it runs", async () => {
  const { place, id, file, conflict } = await inConflict();
  expect(conflict).toMatchObject({
    kind: "content",
    state: "open",
    document_id: id,
    path: "a.md",
    revision: "1",
    base: file,
    ours: file.replace("Base", "Ours"),
    theirs: file.replace("Base", "Theirs"),
  });
  await place.run();
  expect((await place.conflicts()).map(({ id: each, revision }) => [each, revision])).toEqual([[conflict.id, "1"]]);
  expect([(await place.read(id)).markdown, place.clone.read("a.md")]).toEqual([
    "Ours\n",
    file.replace("Base", "Theirs"),
  ]);
  expect((await place.owner.call("GET", place.at)).body.open_conflicts).toBe(1);
  // Everything else goes on.
  await place.document("B", {}, "B\n");
  expect(await place.run()).toMatchObject({ counts: { files_written: 1, conflicts: 1 } });
});

test("resolved with base, ours, theirs or a merged text, both sides come to it", async () => {
  const { place, texts } = await manyInConflict(["A", "B", "C", "D"]);
  const wanted = { base: "Base\n", ours: "Ours\n", theirs: "Theirs\n", merged: "Both\n" };
  const choices = Object.keys(wanted) as (keyof typeof wanted)[];
  const merged = (texts[3]?.file ?? "").replace("Base", "Both").replace("title: D", "title: Renamed");
  for (const [at, { id, conflict }] of texts.entries()) {
    const choice = choices[at] as (typeof choices)[number];
    const answer = await place.resolve(conflict.id, choice === "merged" ? { choice, text: merged } : { choice });
    expect([answer.status, answer.body.state], choice).toEqual([200, "resolved"]);
    expect((await place.read(id)).markdown).toBe(wanted[choice]);
  }
  // The file is theirs already.
  expect(await place.run()).toMatchObject({ state: "succeeded", counts: { conflicts: 0, files_written: 3 } });
  for (const [at, title] of ["A", "B", "C"].entries())
    expect(place.clone.read(pathOf(title))).toBe(
      texts[at]?.file.replace("Base\n", wanted[choices[at] as (typeof choices)[number]]),
    );
  expect(place.clone.read("renamed.md")).toBe(merged);
  expect(place.clone.files()).toHaveLength(4);
  expect(await place.conflicts()).toEqual([]);
  const commits = place.clone.commits();
  await place.run();
  expect(place.clone.commits()).toBe(commits);
});

test("a resolution is made once, of what is shown, by somebody who may, and only as a side or a file", async () => {
  const { place, texts } = await manyInConflict(["A", "B"]);
  const [{ id, conflict }, many] = texts as [(typeof texts)[number], (typeof texts)[number]];
  const path = `${place.at}/conflicts/${conflict.id}/resolve`;
  for (const body of [
    { choice: "merged" },
    { choice: "ours", text: "x" },
    { choice: "merged", text: "no title" },
    { choice: "merged", text: "---\ntitle: |\n  x\n---\n" },
  ])
    expect((await place.resolve(conflict.id, body)).body.code, JSON.stringify(body)).toBe("invalid_resolution");
  const [member, other] = [await place.member("member"), await world(running)];
  for (const person of [member, other.owner])
    expect((await person.call("POST", path, { body: { choice: "ours" } })).status).toBe(404);
  expect((await place.owner.call("POST", path, { body: { choice: "ours" }, ifMatch: "7" })).body.code).toBe(
    "revision_conflict",
  );
  await place.write(id, "Later\n");
  expect((await place.resolve(conflict.id, { choice: "theirs" })).body.code).toBe("repository_conflict_stale");
  expect((await place.read(id)).markdown).toBe("Later\n");
  await place.run();
  const anew = (await place.conflicts()).find(({ document_id }) => document_id === id);
  expect([anew.id, anew.revision, anew.ours.endsWith("Later\n")]).toEqual([conflict.id, "2", true]);
  const key = newId();
  const [first, again] = [
    await place.owner.call("POST", path, { body: { choice: "theirs" }, key }),
    await place.owner.call("POST", path, { body: { choice: "theirs" }, key }),
  ];
  expect([first.status, again.status, again.text]).toEqual([200, 200, first.text]);
  expect((await place.resolve(conflict.id, { choice: "ours" })).status).toBe(404);
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => place.resolve(many.conflict.id, { choice: "theirs" })),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
});

test("a conflict that ends by itself is not shown any more", async () => {
  const { place, id } = await inConflict();
  await place.write(id, "Theirs\n");
  expect(await place.run()).toMatchObject({ counts: { conflicts: 0 } });
  expect(await place.conflicts()).toEqual([]);
});

test("removed there and changed here: ours is written again, theirs takes it to the trash", async () => {
  const place = await connect();
  const [kept, gone] = [await place.document("Kept", {}, "Base\n"), await place.document("Gone", {}, "Base\n")];
  await place.run();
  place.clone.pull();
  place.clone.run("rm", "-q", "kept.md", "gone.md");
  place.clone.push();
  for (const { id } of [kept, gone]) await place.write(id, "Ours\n");
  await place.run();
  const conflicts = await place.conflicts();
  expect(conflicts).toHaveLength(2);
  for (const [{ id }, choice] of [
    [kept, "ours"],
    [gone, "theirs"],
  ] as const) {
    const conflict = conflicts.find(({ document_id }) => document_id === id);
    expect(conflict).toMatchObject({ kind: "removal", theirs: null });
    expect((await place.read(id)).trashed_at).toBeNull();
    expect((await place.resolve(conflict.id, { choice })).status).toBe(200);
  }
  expect((await place.read(gone.id)).trashed_at).not.toBeNull();
  expect(await place.run()).toMatchObject({ counts: { conflicts: 0, files_written: 1 } });
  expect(place.clone.files()).toEqual(["kept.md"]);
  expect(place.clone.read("kept.md")).toContain("Ours");
});

test("removed here and changed there: ours removes the file, theirs brings the Document back", async () => {
  const place = await connect();
  const made = async (title: string) => (await place.document(title, {}, "Base\n")).id;
  const [gone, back, lost] = [await made("Gone"), await made("Back"), await made("Lost")];
  await place.run();
  place.clone.pull();
  for (const path of ["gone.md", "back.md", "lost.md"])
    place.clone.write(path, place.clone.read(path).replace("Base", "Theirs"));
  place.clone.push();
  for (const id of [gone, back, lost]) await place.owner.call("DELETE", `/documents/${id}`);
  expect((await place.owner.call("DELETE", `/documents/${lost}/permanent`)).status).toBe(204);
  await place.run();
  const conflicts = await place.conflicts();
  expect(conflicts).toHaveLength(3);
  for (const path of ["gone.md", "back.md", "lost.md"]) expect(place.clone.read(path)).toContain("Theirs");
  const of = (id: string | null) => {
    const conflict = conflicts.find(({ document_id }) => document_id === id);
    expect(conflict).toMatchObject({ kind: "removal", ours: null });
    return conflict.id;
  };
  expect((await place.resolve(of(gone), { choice: "ours" })).status).toBe(200);
  expect((await place.resolve(of(back), { choice: "theirs" })).status).toBe(200);
  expect(await place.read(back)).toMatchObject({ trashed_at: null, markdown: "Theirs\n" });
  // The Document of this conflict was deleted for good.
  expect((await place.resolve(of(null), { choice: "base" })).body.code).toBe("invalid_resolution");
  expect((await place.resolve(of(null), { choice: "theirs" })).status).toBe(200);
  expect(await place.run()).toMatchObject({
    counts: { files_removed: 1, conflicts: 0, documents_created: 1 },
  });
  expect(place.clone.files()).toEqual(["back.md", "lost.md"]);
  expect((await place.read(await place.find("Lost"))).markdown).toBe("Theirs\n");
  expect((await place.read(gone)).trashed_at).not.toBeNull();
});

test("moved to two places, base, ours or theirs decides, and both sides come to it", async () => {
  const place = await connect();
  const { clone } = place;
  const [here, there] = [await place.document("Here", {}, "H\n"), await place.document("There", {}, "T\n")];
  const parents = { base: null, ours: here.id, theirs: there.id };
  const choices = Object.keys(parents) as (keyof typeof parents)[];
  const ids: string[] = [];
  for (const title of ["A", "B", "C"]) ids.push((await place.document(title, {}, `${title}\n`)).id);
  await place.run();
  clone.pull();
  for (const path of ["a.md", "b.md", "c.md"]) {
    clone.write(`there/${path}`, clone.read(path));
    clone.run("rm", "-q", path);
  }
  clone.push();
  for (const id of ids) await place.patch(id, { parent_id: here.id });
  await place.run();
  const conflicts = await place.conflicts();
  expect(conflicts).toHaveLength(3);
  for (const [at, choice] of choices.entries()) {
    const conflict = conflicts.find(({ document_id }) => document_id === ids[at]);
    expect(conflict).toMatchObject({ kind: "location", base: "", ours: "here", theirs: "there" });
    expect((await place.resolve(conflict.id, { choice: "merged", text: "x" })).body.code).toBe("invalid_resolution");
    expect((await place.resolve(conflict.id, { choice })).status).toBe(200);
  }
  expect(await place.run()).toMatchObject({ counts: { conflicts: 0 } });
  for (const [at, choice] of choices.entries())
    expect((await place.read(ids[at] as string)).parent_id, choice).toBe(parents[choice]);
  expect(clone.files()).toEqual(["a.md", "here.md", "here/b.md", "there.md", "there/c.md"]);
});
