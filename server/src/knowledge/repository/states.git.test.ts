// Everything that can be wrong with a repository has a state of its own, harms neither side, and can be got out of.
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositories } from "../../../test/repository.ts";

const { server, running, connect } = await repositories();
/** With so many Documents that both sides have. */
async function inStep(documents = 1) {
  const place = await connect();
  const made = [];
  for (let at = 0; at < documents; at++) made.push(await place.document(`Doc ${at}`, {}, `Text ${at}\n`));
  await place.run();
  place.clone.pull();
  return { place, made };
}

test("history that was rewritten stops the run; accepted, what is the same is recognised and what differs is a conflict", async () => {
  const { place, made } = await inStep(2);
  const { clone } = place;
  clone.write("doc-0.md", clone.read("doc-0.md").replace("Text 0", "Rewritten"));
  clone.run("add", "-A");
  clone.run("commit", "-q", "--amend", "-m", "Other");
  clone.run("push", "-qf", "origin", "main");
  expect(await place.run()).toMatchObject({ state: "failed", error_code: "history_rewritten" });
  expect((await place.read(made[0]?.id as string)).markdown).toBe("Text 0\n");
  expect((await place.owner.call("GET", place.at)).body.error_code).toBe("history_rewritten");
  const run = await place.run("sync", { accept_rewritten_history: true });
  expect(run).toMatchObject({ state: "succeeded", counts: { conflicts: 1, documents_created: 0, files_written: 0 } });
  const [conflict] = await place.conflicts();
  expect(conflict).toMatchObject({ kind: "content", base: null });
  expect((await place.resolve(conflict.id, { choice: "base" })).body.code).toBe("invalid_resolution");
  expect((await place.resolve(conflict.id, { choice: "ours" })).status).toBe(200);
  await place.run();
  expect(clone.read("doc-0.md")).toContain("Text 0");
  expect((await place.titles()).length).toBe(2);
});

test("a branch that is gone, or was never there, stops the run, and nothing goes to the trash", async () => {
  const { place, made } = await inStep();
  server.git(server.folderOf(place.url), ["update-ref", "-d", "refs/heads/main"]);
  expect(await place.run()).toMatchObject({ state: "failed", error_code: "branch_missing" });
  expect((await place.read(made[0]?.id as string)).trashed_at).toBeNull();
  const other = await connect({ branch: "docs" });
  other.clone.write("a.md", "A\n");
  other.clone.push();
  expect(await other.run()).toMatchObject({ state: "failed", error_code: "branch_missing" });
  const { body } = await other.owner.call("GET", other.at);
  expect(
    (await other.owner.call("PATCH", other.at, { body: { branch: "main" }, ifMatch: body.revision })).body.branch,
  ).toBe("main");
  expect(await other.run()).toMatchObject({ state: "succeeded", counts: { documents_created: 1 } });
});

test("a credential that was revoked stops the run; another one goes on where it stopped", async () => {
  const { place, made } = await inStep();
  server.token = "another-token";
  try {
    expect(await place.run()).toMatchObject({ state: "failed", error_code: "credential_refused" });
    await place.write(made[0]?.id as string, "New\n");
    const { revision } = (await place.owner.call("GET", place.at)).body;
    const changed = await place.owner.call("PATCH", place.at, {
      body: { credential: "another-token" },
      ifMatch: revision,
    });
    expect([changed.status, changed.text.includes("another-token")]).toEqual([200, false]);
    expect(await place.run()).toMatchObject({ state: "succeeded", error_code: null, counts: { files_written: 1 } });
  } finally {
    server.token = "a-token";
  }
});

test("addresses that are not public any more, or that GIT_ALLOW names no longer, are never asked", async () => {
  const place = await connect();
  const before = server.requests.length;
  for (const url of [
    "https://127.0.0.1/a.git",
    "https://10.0.0.1/a.git",
    "https://[::1]/a.git",
    "http://example.com/a.git",
    "https://localhost/a.git",
  ]) {
    await running.sql(
      "update knowledge_repositories set url = $2 where workspace_id = $1",
      [place.workspaceId, url],
      place.workspaceId,
    );
    expect(await place.run()).toMatchObject({ state: "failed", error_code: "address_refused" });
  }
  expect(server.requests.length).toBe(before);
});

test("files that cannot be Documents are told one by one, and left to the byte on both sides", async () => {
  const place = await connect();
  const { clone } = place;
  clone.write("good.md", "Good\n");
  clone.write("large.md", "x".repeat(262_145));
  clone.write("limit.md", "y".repeat(262_144));
  clone.write("binary.md", Buffer.from([0xff, 0xfe, 0x00, 0x41]));
  clone.write("front.md", "---\ntitle: |\n  many\n---\n");
  clone.write("Same.md", "One\n");
  clone.write("same.md", "Two\n");
  clone.write(`${Array.from({ length: 20 }, (_, at) => `d${at}`).join("/")}/deep.md`, "Deep\n");
  clone.write("labels.md", "---\nlabels: [Nobody knows]\n---\nText\n");
  clone.write("data.bin", Buffer.from([1, 2, 3]));
  symlinkSync("/etc/passwd", join(clone.folder, "link.md"));
  clone.push();
  // As only somebody who means harm writes it.
  const blob = server.git(server.folderOf(place.url), ["hash-object", "-w", "--stdin"], "Harm\n").trim();
  const evil = server.git(server.folderOf(place.url), ["mktree"], `100644 blob ${blob}\tcon.md\n`).trim();
  const tree = `${server.git(server.folderOf(place.url), ["ls-tree", "main"])}040000 tree ${evil}\tnul\n`;
  const made = server.git(server.folderOf(place.url), ["mktree"], tree).trim();
  const commit = server.git(server.folderOf(place.url), ["commit-tree", made, "-p", "main", "-m", "Harm"]).trim();
  server.git(server.folderOf(place.url), ["update-ref", "refs/heads/main", commit]);
  const run = await place.run();
  expect(run.state, run.error_code).toBe("succeeded");
  expect(
    Object.fromEntries(run.problems.map(({ path, code }: { path: string; code: string }) => [path, code])),
  ).toEqual({
    "large.md": "file_too_large",
    "binary.md": "not_text",
    "front.md": "front_matter_invalid",
    "same.md": "case_collision",
    "link.md": "symbolic_link",
    [`${Array.from({ length: 20 }, (_, at) => `d${at}`).join("/")}/deep.md`]: "too_deep",
    "labels.md": "label_unknown",
    "nul/con.md": "unsafe_name",
  });
  expect(await place.titles()).toEqual(["Good", "Labels", "Limit", "Same"]);
  expect(clone.read("labels.md")).toContain("labels: [Nobody knows]");
  for (const [path, text] of [
    ["same.md", "Two\n"],
    ["large.md", "x".repeat(262_145)],
    ["front.md", "---\ntitle: |\n  many\n---\n"],
  ] as const)
    expect(clone.read(path)).toBe(text);
  expect(server.git(server.folderOf(place.url), ["ls-tree", "main", "link.md"]).startsWith("120000")).toBe(true);
  // A known file that becomes one is left alone as well, and its Document stays.
  clone.pull = () => {};
  const id = await place.find("Good");
  await place.write(id, "Better\n");
  const huge = server.git(server.folderOf(place.url), ["hash-object", "-w", "--stdin"], "z".repeat(300_000)).trim();
  const next = server
    .git(
      server.folderOf(place.url),
      ["mktree"],
      server
        .git(server.folderOf(place.url), ["ls-tree", "main"])
        .replace(/blob \w+\tgood\.md/, `blob ${huge}\tgood.md`),
    )
    .trim();
  server.git(server.folderOf(place.url), [
    "update-ref",
    "refs/heads/main",
    server.git(server.folderOf(place.url), ["commit-tree", next, "-p", "main", "-m", "Huge"]).trim(),
  ]);
  expect((await place.run()).problems).toContainEqual({ path: "good.md", code: "file_too_large" });
  expect([(await place.read(id)).markdown, clone.read("good.md").length]).toEqual(["Better\n", 300_000]);
});

test("a name that leads out of the repository stops the run, and another branch goes on", async () => {
  const { place, made } = await inStep();
  const folder = server.folderOf(place.url);
  const blob = server.git(folder, ["hash-object", "-w", "--stdin"], "Harm\n").trim();
  for (const name of ["..", ".git", "."]) {
    const inner = server.git(folder, ["mktree"], `100644 blob ${blob}\ta.md\n`).trim();
    const tree = server
      .git(folder, ["mktree"], `${server.git(folder, ["ls-tree", "main"])}040000 tree ${inner}\t${name}\n`)
      .trim();
    const commit = server.git(folder, ["commit-tree", tree, "-p", "main", "-m", "Harm"]).trim();
    const before = server.git(folder, ["rev-parse", "main"]).trim();
    server.git(folder, ["update-ref", "refs/heads/main", commit]);
    expect(await place.run(), name).toMatchObject({ state: "failed", error_code: "unsafe_name" });
    server.git(folder, ["update-ref", "refs/heads/main", before]);
  }
  expect(await place.run()).toMatchObject({ state: "succeeded", error_code: null });
  expect((await place.read(made[0]?.id as string)).markdown).toBe("Text 0\n");
});

test("most files gone at once stops the run; accepted, the Documents go to the trash", async () => {
  const { place } = await inStep(12);
  const { clone } = place;
  clone.run("rm", "-qr", ".");
  clone.push();
  expect(await place.run()).toMatchObject({ state: "failed", error_code: "too_many_removals" });
  expect(await place.titles()).toHaveLength(12);
  expect(await place.run("sync", { accept_removals: true })).toMatchObject({
    state: "succeeded",
    counts: { documents_trashed: 12 },
  });
  expect(await place.titles()).toEqual([]);
});

test("names that differ only in case, or meet a file of somebody else, are kept apart when they are written", async () => {
  const place = await connect();
  const { clone } = place;
  clone.write("NOTES.MD", "Theirs\n");
  clone.write("plan/data.csv", "1\n");
  clone.push();
  await place.document("Notes", {}, "Ours\n");
  await place.document("notes!", {}, "More\n");
  await place.document("Plan", {}, "Plan\n");
  await place.document("CON", {}, "Con\n");
  await place.run();
  expect(clone.files()).toEqual(["NOTES.MD", "con-1.md", "notes-2.md", "notes-3.md", "plan-2.md", "plan/data.csv"]);
  expect(clone.read("plan/data.csv")).toBe("1\n");
});

test("somebody who pushes while a run works loses nothing, and the run goes on from there", async () => {
  const { place, made } = await inStep();
  const { clone } = place;
  await place.write(made[0]?.id as string, "Ours\n");
  let pushed = false;
  server.meanwhile = (line) => {
    if (pushed || !line.startsWith(`POST ${new URL(place.url).pathname}/git-receive-pack`)) return;
    pushed = true;
    clone.write("theirs.md", "Theirs\n");
    clone.push();
  };
  const run = await place.run();
  server.meanwhile = null;
  expect([pushed, run.state]).toEqual([true, "succeeded"]);
  expect(clone.files()).toEqual(["doc-0.md", "theirs.md"]);
  expect(clone.read("doc-0.md")).toContain("Ours");
  expect(await place.titles()).toEqual(["Doc 0", "Theirs"]);
});

test("many who ask at once get one run, and what it does is done once", async () => {
  const place = await connect();
  await place.document("A", {}, "A\n");
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => place.owner.call("POST", `${place.at}/sync`, { body: {} })),
  );
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  await place.run();
  expect(place.clone.commits()).toBe(1);
});

test("paused and disconnected: nothing runs, a run under way writes nothing more, and the credential is forgotten", async () => {
  const { place, made } = await inStep();
  const revision = async () => (await place.owner.call("GET", place.at)).body.revision;
  await place.write(made[0]?.id as string, "Later\n");
  let stopped = false;
  server.meanwhile = async (line) => {
    if (stopped || !line.includes(new URL(place.url).pathname)) return;
    stopped = true;
    await place.owner.call("PATCH", place.at, { body: { state: "paused" }, ifMatch: await revision() });
  };
  expect(await place.run()).toMatchObject({ state: "cancelled" });
  server.meanwhile = null;
  expect(place.clone.read("doc-0.md")).toContain("Text 0");
  expect((await place.owner.call("POST", `${place.at}/sync`, { body: {} })).body.code).toBe("repository_inactive");
  await place.owner.call("PATCH", place.at, { body: { state: "active" }, ifMatch: await revision() });
  expect(await place.run()).toMatchObject({ state: "succeeded", counts: { files_written: 1 } });
  const gone = await place.owner.call("PATCH", place.at, {
    body: { state: "disconnected" },
    ifMatch: await revision(),
  });
  expect(gone.body).toMatchObject({ state: "disconnected", url: null, has_credential: false });
  const [row] = await running.sql<{ sealed_credential: string | null }>(
    "select sealed_credential from knowledge_repositories where workspace_id = $1",
    [place.workspaceId],
    place.workspaceId,
  );
  expect(row?.sealed_credential).toBeNull();
  for (const call of [
    ["POST", "/sync"],
    ["POST", "/import"],
  ] as const)
    expect(
      (await place.owner.call(call[0], place.at + call[1], call[1] === "/sync" ? { body: {} } : {})).body.code,
    ).toBe("repository_inactive");
  expect(
    (await place.owner.call("PATCH", place.at, { body: { state: "active" }, ifMatch: await revision() })).body.code,
  ).toBe("repository_inactive");
  expect(place.clone.files()).toEqual(["doc-0.md"]);
  expect(await place.titles()).toEqual(["Doc 0"]);
});

test("the credential is kept sealed for this Workspace, and shown nowhere", async () => {
  const place = await connect();
  const [row] = await running.sql<{ sealed_credential: string }>(
    "select sealed_credential from knowledge_repositories where workspace_id = $1",
    [place.workspaceId],
    place.workspaceId,
  );
  expect(row?.sealed_credential).not.toContain("a-token");
  const texts = await Promise.all(
    ["", "/runs", "/conflicts"].map(async (path) => (await place.owner.call("GET", place.at + path)).text),
  );
  expect(texts.join()).not.toMatch(/a-token|sealed/);
});
