// Synchronisation with a real Git server: what changed on one side goes to the other, both changed is merged, what
// overlaps waits for somebody, and a run that finds nothing writes nothing.
import pg from "pg";
import { expect, test } from "vitest";
import { newAttached } from "../../../test/attachments.ts";
import { eventually } from "../../../test/eventually.ts";
import { picture, smallPicture } from "../../../test/pictures.ts";
import { repositories } from "../../../test/repository.ts";

const { server, running, connect } = await repositories();
const front = (id: string, title: string) => `---\nid: ${id}\ntitle: ${title}\n---\n\n`;

test("Documents become files: folders are the tree, and each names its id, title and labels", async () => {
  const place = await connect();
  const { body: label } = await place.owner.call("POST", `/workspaces/${place.workspaceId}/label-definitions`, {
    body: { name: "Draft, old", purpose: "document" },
  });
  const guide = await place.document("Guide: how we work", {}, "Hello *you*\n");
  const inner = await place.document("Release", { parent_id: guide.id, label_ids: [label.id] });
  const run = await place.run();
  expect(run).toMatchObject({
    state: "succeeded",
    error_code: null,
    counts: { files_written: 2, documents_created: 0 },
  });
  expect(place.clone.files()).toEqual(["guide-how-we-work.md", "guide-how-we-work/release.md"]);
  expect(place.clone.read("guide-how-we-work.md")).toBe(
    `---\nid: ${guide.id}\ntitle: "Guide: how we work"\n---\n\nHello *you*\n`,
  );
  expect(place.clone.read("guide-how-we-work/release.md")).toContain(
    `id: ${inner.id}\ntitle: Release\nlabels: ["Draft, old"]\n`,
  );
  expect((await place.owner.call("GET", place.at)).body).toMatchObject({
    commit: run.commit,
    error_code: null,
    has_credential: true,
    open_conflicts: 0,
  });
});

test("files become Documents: folders too, a README is its folder, and the next run writes the ids and nothing else into them", async () => {
  const place = await connect({ folder: "docs" });
  const { clone } = place;
  clone.write("docs/start.md", "---\ndate: 2020\ntitle: Start here\n---\n\n*  odd   list\n");
  clone.write("docs/teams/README.md", "# All teams\n\nText\n");
  clone.write("docs/teams/blue.md", "Blue\n");
  clone.write("docs/deep/er/one.md", "One\n");
  clone.write("docs/picture.png", Buffer.from([137, 80, 78, 71]));
  clone.write("code/main.c", "int main;\n");
  clone.push();
  expect(await place.run("import")).toMatchObject({
    state: "succeeded",
    counts: { documents_created: 6, files_written: 0 },
  });
  expect(await place.titles()).toEqual(["All teams", "Blue", "Deep", "Er", "One", "Start here"]);
  expect((await place.read(await place.find("One"))).path).toBe("deep/er/one");
  expect((await place.read(await place.find("Blue"))).path).toBe("all-teams/blue");
  expect(clone.commits()).toBe(1);
  expect(await place.run()).toMatchObject({
    state: "succeeded",
    counts: { files_written: 4, documents_updated: 0, documents_created: 0 },
  });
  const start = await place.find("Start here");
  expect(clone.read("docs/start.md")).toBe(`---\nid: ${start}\ndate: 2020\ntitle: Start here\n---\n\n*  odd   list\n`);
  expect(clone.files()).toEqual([
    "code/main.c",
    "docs/deep/er/one.md",
    "docs/picture.png",
    "docs/start.md",
    "docs/teams/README.md",
    "docs/teams/blue.md",
  ]);
  expect((await place.owner.call("POST", `${place.at}/import`)).body.code).toBe("repository_synchronized");
});

test("a run that finds nothing new asks once where the branch is, and writes nothing on either side", async () => {
  const place = await connect();
  const { id } = await place.document("A", {}, "Text\n");
  await place.run();
  const before = await place.read(id);
  server.requests.length = 0;
  expect(await place.run()).toMatchObject({ state: "succeeded", counts: { files_written: 0, documents_updated: 0 } });
  expect(server.requests.filter((line) => line.includes(new URL(place.url).pathname))).toHaveLength(1);
  expect(place.clone.commits()).toBe(1);
  expect(await place.read(id)).toEqual(before);
});

test("an edit on either side reaches the other, and edits of both are merged by lines", async () => {
  const place = await connect();
  const { clone } = place;
  const lines = ["one", "two", "three", "four", "five"].map((line) => `${line}\n`).join("\n");
  const { id } = await place.document("A", {}, lines);
  await place.run();
  clone.pull();
  clone.write("a.md", clone.read("a.md").replace("one", "ONE"));
  clone.push();
  expect(await place.run()).toMatchObject({ counts: { documents_updated: 1, files_written: 0 } });
  expect((await place.read(id)).markdown).toBe(lines.replace("one", "ONE"));
  await place.write(id, lines.replace("one", "ONE").replace("two", "TWO"));
  expect(await place.run()).toMatchObject({ counts: { documents_updated: 0, files_written: 1 } });
  clone.pull();
  expect(clone.read("a.md")).toBe(front(id, "A") + lines.replace("one", "ONE").replace("two", "TWO"));
  clone.write("a.md", clone.read("a.md").replace("five", "FIVE"));
  clone.push();
  await place.write(id, lines.replace("one", "1").replace("two", "TWO"));
  expect(await place.run()).toMatchObject({ counts: { documents_updated: 1, files_written: 1, conflicts: 0 } });
  const merged = lines.replace("one", "1").replace("two", "TWO").replace("five", "FIVE");
  expect((await place.read(id)).markdown).toBe(merged);
  expect(clone.read("a.md")).toBe(front(id, "A") + merged);
  const revisions = await place.owner.call("GET", `/documents/${id}/revisions`);
  expect(revisions.body.items[0].reason).toBe("sync");
  const quiet = clone.commits();
  await place.run();
  expect(clone.commits()).toBe(quiet);
});

test("renames and moves are recognised both ways, with all that is below", async () => {
  const place = await connect();
  const { clone } = place;
  const a = await place.document("Alpha", {}, "Alpha\n");
  const b = await place.document("Beta", { parent_id: a.id }, "Beta\n");
  const c = await place.document("Gamma", {}, "Gamma\n");
  await place.run();
  await place.patch(a.id, { title: "Aleph" });
  await place.patch(c.id, { parent_id: b.id });
  await place.run();
  expect(clone.files()).toEqual(["aleph.md", "aleph/beta.md", "aleph/beta/gamma.md"]);
  clone.pull();
  clone.run("mv", "aleph/beta.md", "second.md");
  clone.run("mv", "aleph/beta", "second");
  clone.write(
    "second.md",
    clone.read("aleph/beta.md").replace("title: Beta", "title: Second").replace("Beta\n", "Beta, too\n"),
  );
  clone.push();
  expect(await place.run()).toMatchObject({
    state: "succeeded",
    counts: { documents_created: 0, documents_trashed: 0, conflicts: 0 },
  });
  expect(await place.read(b.id)).toMatchObject({ title: "Second", parent_id: null, markdown: "Beta, too\n" });
  expect(await place.read(c.id)).toMatchObject({ parent_id: b.id });
  expect(clone.files()).toEqual(["aleph.md", "second.md", "second/gamma.md"]);
});

test("what is removed on one side is removed on the other: a Document goes to the trash, from where it comes back as a file", async () => {
  const place = await connect();
  const { clone } = place;
  const [a, b] = [await place.document("A", {}, "A\n"), await place.document("B", {}, "B\n")];
  await place.run();
  clone.pull();
  clone.run("rm", "-q", "a.md");
  clone.push();
  await place.owner.call("DELETE", `/documents/${b.id}`);
  expect(await place.run()).toMatchObject({ counts: { documents_trashed: 1, files_removed: 1 } });
  expect((await place.read(a.id)).trashed_at).not.toBeNull();
  expect(clone.files()).toEqual([]);
  const { revision } = (await place.owner.call("GET", `/documents/${a.id}`)).body;
  expect((await place.owner.call("POST", `/documents/${a.id}/restore`, { ifMatch: revision })).status).toBe(200);
  expect(await place.run()).toMatchObject({ state: "succeeded", counts: { files_written: 1 } });
  expect(clone.files()).toEqual(["a.md"]);
});

test("in: nothing is ever written to the repository; out: no Document ever changes, and what others changed there stays", async () => {
  const reading = await connect({ direction: "in" });
  reading.clone.write("a.md", "A\n");
  reading.clone.push();
  await reading.document("Own", {}, "Own\n");
  await reading.run();
  expect(await reading.titles()).toEqual(["A", "Own"]);
  reading.clone.run("mv", "a.md", "moved.md");
  reading.clone.push();
  expect(await reading.run()).toMatchObject({ counts: { documents_created: 0, documents_trashed: 0 } });
  expect([reading.clone.commits(), await reading.titles()]).toEqual([2, ["Moved", "Own"]]);

  const writing = await connect({ direction: "out" });
  const { clone } = writing;
  const { id } = await writing.document("Own", {}, "Own\n");
  await writing.run();
  clone.pull();
  clone.write("own.md", `${clone.read("own.md")}\nTheirs\n`);
  clone.write("other.md", "Other\n");
  clone.push();
  expect(await writing.run()).toMatchObject({ state: "succeeded", counts: { conflicts: 0, files_written: 0 } });
  expect(await writing.titles()).toEqual(["Own"]);
  await writing.write(id, "Ours\n");
  expect(await writing.run()).toMatchObject({ counts: { conflicts: 1, files_written: 0 } });
  expect([clone.read("own.md").endsWith("Theirs\n"), clone.read("other.md")]).toEqual([true, "Other\n"]);
});

test("a subtree alone is exchanged, and what is new in the repository comes below it", async () => {
  const place = await connect();
  const root = await place.document("Handbook");
  await place.document("Inside", { parent_id: root.id }, "Inside\n");
  await place.document("Outside", {}, "Outside\n");
  await place.owner.call("PUT", place.at, {
    body: { url: place.url, credential: "a-token", root_document_id: root.id },
  });
  await place.run();
  expect(place.clone.files()).toEqual(["inside.md"]);
  place.clone.pull();
  place.clone.write("new.md", "New\n");
  place.clone.push();
  await place.run();
  expect((await place.read(await place.find("New"))).parent_id).toBe(root.id);
  await place.owner.call("DELETE", `/documents/${root.id}`);
  expect(await place.run()).toMatchObject({ state: "failed", error_code: "document_missing" });
  expect(place.clone.files()).toEqual(["inside.md", "new.md"]);
});

test("a Document that not every member sees never leaves: none of a private Project, and its file goes once it is in one", async () => {
  const place = await connect();
  const project = async (visibility: string) =>
    (
      await place.owner.call("POST", `/workspaces/${place.workspaceId}/projects`, {
        body: { name: visibility, key: visibility.slice(0, 4).toUpperCase(), visibility },
      })
    ).body.id;
  const [open, hidden] = [await project("workspace"), await project("private")];
  await place.document("Open", { project_id: open }, "Open\n");
  const secret = await place.document("Secret", { project_id: hidden }, "Secret\n");
  await place.document("Below", { parent_id: secret.id }, "Below\n");
  const moving = await place.document("Moving", {}, "Moving\n");
  await place.run();
  expect(place.clone.files()).toEqual(["moving.md", "open.md"]);
  // Nor can a file that names it change or show it.
  place.clone.pull();
  place.clone.write("probe.md", `${front(secret.id, "Probe")}Overwritten\n`);
  place.clone.push();
  await place.patch(moving.id, { project_id: hidden });
  await place.run();
  expect(await place.read(secret.id)).toMatchObject({ title: "Secret", markdown: "Secret\n" });
  expect(place.clone.files()).toEqual(["open.md", "probe.md"]);
  expect(place.clone.read("probe.md")).toContain(`id: ${await place.find("Probe")}`);
});

test("what lies beside a file comes along both ways, is found from wherever the Document moves, and goes with the last link", async () => {
  const place = await connect();
  const { clone, owner } = place;
  const small = await smallPicture();
  clone.write(
    "guide/start.md",
    "See ![a picture](images/the%20first.png) and [other](../other.txt), not [this](../../etc/passwd)\n",
  );
  clone.write("guide/images/the first.png", small);
  clone.write("other.txt", "Text\n");
  clone.write("unused.png", small);
  clone.push();
  await place.run();
  const start = await place.find("Start");
  const attached = async (id: string) =>
    (await owner.call("GET", `/documents/${id}/attachments`)).body.items as { id: string; filename: string }[];
  const files = await attached(start);
  expect(files.map(({ filename }) => filename).sort()).toEqual(["other.txt", "the first.png"]);
  const first = files.find(({ filename }) => filename === "the first.png")?.id;
  expect((await place.read(start)).markdown).toContain(`![a picture](attachment:${first})`);
  expect(clone.read("guide/start.md")).toContain("![a picture](images/the%20first.png)");
  // Another picture under the same name is another attachment.
  clone.pull();
  clone.write("guide/images/the first.png", await picture("png", 20, 20));
  clone.push();
  await place.run();
  const [second] = (await attached(start)).filter(({ id, filename }) => filename === "the first.png" && id !== first);
  expect((await place.read(start)).markdown).toContain(`attachment:${second?.id}`);
  const quiet = clone.commits();
  await place.run();
  expect(clone.commits()).toBe(quiet);
  // Moved up, it still leads there.
  await place.patch(start, { parent_id: null });
  await place.run();
  expect(clone.read("start.md")).toContain("![a picture](guide/images/the%20first.png)");
  // And from here: laid beside the file, and taken away with the link.
  const own = await place.document("Own");
  const file = await newAttached(owner, `/documents/${own.id}`, Buffer.from("Notes"), { filename: "My Notes.txt" });
  await place.write(own.id, `[notes](attachment:${file.id})\n`);
  await place.run();
  expect(clone.read("own.md")).toContain("[notes](attachments/my-notes.txt)");
  expect(clone.read("attachments/my-notes.txt")).toBe("Notes");
  await place.write(own.id, "Nothing\n");
  await place.run();
  expect(clone.files()).toEqual(["guide/images/the first.png", "other.txt", "own.md", "start.md", "unused.png"]);
});

test("a file cannot show what is attached elsewhere", async () => {
  const place = await connect();
  const secret = await place.document("Secret");
  const file = await newAttached(place.owner, `/documents/${secret.id}`);
  place.clone.write("probe.md", `![x](attachment:${file.id})\n`);
  place.clone.push();
  expect((await place.run()).problems).toEqual([{ path: "probe.md", code: "content_refused" }]);
  expect(await place.titles()).toEqual(["Secret"]);
});

test("every five minutes a run begins by itself, once somebody has asked for the first one, and none while it is paused", async () => {
  // Those of other tests have nothing to say here.
  const admin = new pg.Client(running.databaseUrl);
  await admin.connect();
  await admin.query("update knowledge_repositories set state = 'paused'");
  await admin.end();
  const place = await connect();
  const due = () => running.sql("select enqueue_job('sync_repositories', '{}')");
  const runs = async () =>
    (await place.owner.call("GET", `${place.at}/runs`)).body.items as {
      requested_by_actor_id: string | null;
      state: string;
    }[];
  await due();
  const other = await connect();
  await other.run();
  await due();
  await eventually(async () => expect((await other.owner.call("GET", `${other.at}/runs`)).body.items).toHaveLength(2));
  expect(await runs()).toEqual([]);
  await place.document("A", {}, "A\n");
  await place.run();
  await due();
  await eventually(async () =>
    expect((await runs())[0]).toMatchObject({ requested_by_actor_id: null, state: "succeeded" }),
  );
  const { revision } = (await place.owner.call("GET", place.at)).body;
  await place.owner.call("PATCH", place.at, { body: { state: "paused" }, ifMatch: revision });
  const count = (await runs()).length;
  await due();
  await other.run();
  expect(await runs()).toHaveLength(count);
});
