// Conflicts: both sides stay as they are until somebody resolves one, each way to resolve it does what it says, and a stale view decides nothing.
import { expect, test } from "vitest";
import { repositories } from "../../test/repository.ts";
import { world } from "../../test/world.ts";
import { newId } from "../wire/ids.ts";

const { running, connect } = await repositories();

/** A Document whose one line both sides have changed. */
async function inConflict() {
  const place = await connect();
  const { id } = await place.document("A", {}, "Base\n");
  await place.run();
  place.clone.pull();
  const file = place.clone.read("a.md");
  place.clone.write("a.md", file.replace("Base", "Theirs"));
  place.clone.push();
  await place.write(id, "Ours\n");
  expect(await place.run()).toMatchObject({
    state: "succeeded",
    counts: { conflicts: 1, files_written: 0, documents_updated: 0 },
  });
  const [conflict] = await place.conflicts();
  return { place, id, file, conflict };
}

test("what both changed is shown with base, ours and theirs, and neither side changes, however often it runs", async () => {
  const { place, id, file, conflict } = await inConflict();
  expect(conflict).toMatchObject({
    ...{ kind: "content", state: "open", document_id: id, path: "a.md", revision: "1" },
    ...{ base: file, ours: file.replace("Base", "Ours"), theirs: file.replace("Base", "Theirs") },
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

test.each(["base", "ours", "theirs", "merged"] as const)("resolved with %s, both sides come to it", async (choice) => {
  const { place, id, file, conflict } = await inConflict();
  const merged = file.replace("Base", "Both").replace("title: A", "title: Renamed");
  const answer = await place.resolve(conflict.id, choice === "merged" ? { choice, text: merged } : { choice });
  expect([answer.status, answer.body.state]).toEqual([200, "resolved"]);
  const wanted = { base: "Base\n", ours: "Ours\n", theirs: "Theirs\n", merged: "Both\n" }[choice];
  expect((await place.read(id)).markdown).toBe(wanted);
  expect(await place.run()).toMatchObject({
    state: "succeeded",
    counts: { conflicts: 0, files_written: choice === "theirs" ? 0 : 1 },
  });
  expect(place.clone.read(choice === "merged" ? "renamed.md" : "a.md")).toBe(
    choice === "merged" ? merged : file.replace("Base\n", wanted),
  );
  expect(await place.conflicts()).toEqual([]);
  const commits = place.clone.commits();
  await place.run();
  expect(place.clone.commits()).toBe(commits);
});

test("a resolution is made once, of what is shown, by somebody who may, and only as a side or a file", async () => {
  const { place, id, conflict } = await inConflict();
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
  const [anew] = await place.conflicts();
  expect([anew.id, anew.revision, anew.ours.endsWith("Later\n")]).toEqual([conflict.id, "2", true]);
  const key = newId();
  const [first, again] = [
    await place.owner.call("POST", path, { body: { choice: "theirs" }, key }),
    await place.owner.call("POST", path, { body: { choice: "theirs" }, key }),
  ];
  expect([first.status, again.status, again.text]).toEqual([200, 200, first.text]);
  expect((await place.resolve(conflict.id, { choice: "ours" })).status).toBe(404);
  const many = await inConflict();
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => many.place.resolve(many.conflict.id, { choice: "theirs" })),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
});

test("a conflict that ends by itself is not shown any more", async () => {
  const { place, id } = await inConflict();
  await place.write(id, "Theirs\n");
  expect(await place.run()).toMatchObject({ counts: { conflicts: 0 } });
  expect(await place.conflicts()).toEqual([]);
});

/** Changed here, and removed there. */
async function removedThere() {
  const place = await connect();
  const { id } = await place.document("A", {}, "Base\n");
  await place.run();
  place.clone.pull();
  place.clone.run("rm", "-q", "a.md");
  place.clone.push();
  await place.write(id, "Ours\n");
  await place.run();
  const [conflict] = await place.conflicts();
  expect(conflict).toMatchObject({ kind: "removal", theirs: null, document_id: id });
  expect((await place.read(id)).trashed_at).toBeNull();
  return { place, id, conflict };
}

test("removed there and changed here: ours is written again, theirs takes it to the trash", async () => {
  const kept = await removedThere();
  expect((await kept.place.resolve(kept.conflict.id, { choice: "ours" })).status).toBe(200);
  await kept.place.run();
  expect(kept.place.clone.read("a.md")).toContain("Ours");
  const gone = await removedThere();
  expect((await gone.place.resolve(gone.conflict.id, { choice: "theirs" })).status).toBe(200);
  expect((await gone.place.read(gone.id)).trashed_at).not.toBeNull();
  expect(await gone.place.run()).toMatchObject({ counts: { conflicts: 0, files_written: 0 } });
});

/** Removed here, and changed there. */
async function removedHere(permanently = false) {
  const place = await connect();
  const { id } = await place.document("A", {}, "Base\n");
  await place.run();
  place.clone.pull();
  place.clone.write("a.md", place.clone.read("a.md").replace("Base", "Theirs"));
  place.clone.push();
  await place.owner.call("DELETE", `/documents/${id}`);
  if (permanently) expect((await place.owner.call("DELETE", `/documents/${id}/permanent`)).status).toBe(204);
  await place.run();
  const [conflict] = await place.conflicts();
  expect(conflict).toMatchObject({ kind: "removal", ours: null, document_id: permanently ? null : id });
  expect(place.clone.read("a.md")).toContain("Theirs");
  return { place, id, conflict };
}

test("removed here and changed there: ours removes the file, theirs brings the Document back", async () => {
  const gone = await removedHere();
  expect((await gone.place.resolve(gone.conflict.id, { choice: "ours" })).status).toBe(200);
  expect(await gone.place.run()).toMatchObject({ counts: { files_removed: 1, conflicts: 0 } });
  expect(gone.place.clone.files()).toEqual([]);
  const back = await removedHere();
  expect((await back.place.resolve(back.conflict.id, { choice: "theirs" })).status).toBe(200);
  expect(await back.place.read(back.id)).toMatchObject({ trashed_at: null, markdown: "Theirs\n" });
  expect(await back.place.run()).toMatchObject({ counts: { conflicts: 0, files_written: 0, documents_created: 0 } });
  const lost = await removedHere(true);
  expect((await lost.place.resolve(lost.conflict.id, { choice: "base" })).body.code).toBe("invalid_resolution");
  expect((await lost.place.resolve(lost.conflict.id, { choice: "theirs" })).status).toBe(200);
  expect(await lost.place.run()).toMatchObject({ counts: { documents_created: 1 } });
  expect((await lost.place.read(await lost.place.find("A"))).markdown).toBe("Theirs\n");
});

test.each(["base", "ours", "theirs"] as const)(
  "moved to two places, %s decides, and both sides come to it",
  async (choice) => {
    const place = await connect();
    const { clone } = place;
    const [here, there] = [await place.document("Here", {}, "H\n"), await place.document("There", {}, "T\n")];
    const { id } = await place.document("A", {}, "A\n");
    await place.run();
    clone.pull();
    clone.write("there/a.md", clone.read("a.md"));
    clone.run("rm", "-q", "a.md");
    clone.push();
    await place.patch(id, { parent_id: here.id });
    await place.run();
    const [conflict] = await place.conflicts();
    expect(conflict).toMatchObject({ kind: "location", base: "", ours: "here", theirs: "there" });
    expect((await place.resolve(conflict.id, { choice: "merged", text: "x" })).body.code).toBe("invalid_resolution");
    expect((await place.resolve(conflict.id, { choice })).status).toBe(200);
    expect(await place.run()).toMatchObject({ counts: { conflicts: 0 } });
    expect((await place.read(id)).parent_id).toBe({ base: null, ours: here.id, theirs: there.id }[choice]);
    expect(clone.files()).toEqual(
      [...{ base: ["a.md"], ours: ["here/a.md"], theirs: ["there/a.md"] }[choice], "here.md", "there.md"].sort(),
    );
  },
);
