// A Document patch is a draft against one revision: it shows what the Document would say, and is put on a later one
// where nothing overlaps. It is written by a ChangeSet, as any content is, and nothing that somebody types meanwhile is
// lost.
import { describe, expect, test } from "vitest";
import { applied, approve, type ChangeFields, propose } from "../../../test/changes.ts";
import { commandOf, undo } from "../../../test/commands.ts";
import { any, newDocument } from "../../../test/documents.ts";
import { enter, until } from "../../../test/editing.ts";
import { newProject, workshopOn } from "../../../test/work.ts";
import { newKey, type Person, service, type World } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();
const BLOCKS = ["# Plan", "We cut brass.", "- one\n- two", "The end."];
async function written(markdown = BLOCKS.join("\n\n")) {
  const { home, owner, project } = await workshopOn(running);
  const document = await newDocument(home, { markdown });
  return { home, owner, project, id: document.id };
}
const draft = (person: Person, { workspaceId }: World, body: object) =>
  person.call("POST", `/workspaces/${workspaceId}/document-patches`, { body, key: newKey() });
const said = async (person: Person, id: string) => (await person.call("GET", `/documents/${id}/markdown`)).body;
const write = (person: Person, id: string, markdown: string) =>
  person.call("PUT", `/documents/${id}/markdown`, { body: { markdown }, ...any });

describe("a draft", () => {
  test("replaces, inserts, removes and finds, shows the difference, and writes nothing", async () => {
    const { home, owner, id } = await written();
    const answer = await draft(owner, home, {
      document_id: id,
      base_revision: "1",
      edits: [
        { action: "insert_after", block: null, markdown: "First of all." },
        { action: "replace", block: 0, markdown: "# The plan" },
        { action: "find_replace", find: "brass", replace: "**steel**" },
        { action: "find_replace", find: "We", replace: "They" },
        { action: "insert_after", block: 1, markdown: "Then we oil.\n\nAnd wait." },
        { action: "remove", block: 2, count: 2 },
      ],
    });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toMatchObject({
      version: 1,
      latest_version: 1,
      newest_version: 1,
      moved_on: false,
      current_revision: "1",
    });
    expect(answer.body.markdown).toBe(
      "First of all.\n\n# The plan\n\nThey cut **steel**.\n\nThen we oil.\n\nAnd wait.",
    );
    expect(answer.body.markdown_diff).toContain("-We cut brass.\n");
    expect(answer.body.blocks.map(({ kind }: { kind: string }) => kind)).toContain("changed");
    expect(await said(owner, id)).toEqual({ markdown: BLOCKS.join("\n\n"), content_revision: "1" });
    const path = `/workspaces/${home.workspaceId}/document-patches/${answer.body.id}`;
    expect((await owner.call("GET", `${path}?version=1`)).body).toEqual(answer.body);
    expect((await owner.call("GET", `${path}?version=2`)).status).toBe(404);
    expect((await (await home.member("admin")).call("GET", `${path}?version=1`)).status, "somebody else's").toBe(404);
  });

  test.each<[string, object[], string]>([
    ["a text that stands there twice", [{ action: "find_replace", find: "e", replace: "" }], "/body/edits/0/find"],
    ["a text that stands nowhere", [{ action: "find_replace", find: "tin", replace: "" }], "/body/edits/0/find"],
    ["a text across two blocks", [{ action: "find_replace", find: "Plan\n\nWe", replace: "" }], "/body/edits/0/find"],
    ["a block that is not there", [{ action: "remove", block: 4 }], "/body/edits/0/block"],
    ["more blocks than there are", [{ action: "remove", block: 3, count: 2 }], "/body/edits/0/block"],
    [
      "a block twice",
      [
        { action: "remove", block: 1 },
        { action: "find_replace", find: "brass", replace: "x" },
      ],
      "/body/edits/1/find",
    ],
    ["a field of another action", [{ action: "remove", block: 1, markdown: "x" }], "/body/edits/0/markdown"],
    ["no block", [{ action: "replace", markdown: "x" }], "/body/edits/0/block"],
  ])("is refused for %s, with a pointer to the edit", async (_, edits, pointer) => {
    const { home, owner, id } = await written();
    const refused = await draft(owner, home, { document_id: id, base_revision: "1", edits });
    expect([refused.status, refused.body.errors?.[0].pointer]).toEqual([400, pointer]);
  });

  test.each<[string, string[], object[]]>([
    [
      "a block in the middle",
      ["# Plan", "We cut steel.", "- one\n- two", "The end."],
      [{ action: "replace", block: 1, count: 1, markdown: "We cut steel." }],
    ],
    [
      "the beginning and the end",
      ["First.", ...BLOCKS, "Last."],
      [
        { action: "insert_after", block: null, markdown: "First." },
        { action: "insert_after", block: 3, markdown: "Last." },
      ],
    ],
    ["less of it", ["# Plan", "The end."], [{ action: "remove", block: 1, count: 2 }]],
    [
      "other blocks for others",
      ["# Plan", "a", "b", "The end."],
      [{ action: "replace", block: 1, count: 2, markdown: "a\n\nb" }],
    ],
    ["nothing at all", [], [{ action: "remove", block: 0, count: 4 }]],
  ])("that rewrites all is kept as edits of what it changes: %s", async (_, blocks, edits) => {
    const { home, owner, id } = await written();
    const markdown = blocks.join("\n\n");
    const body = { document_id: id, base_revision: "1", edits: [{ action: "rewrite", markdown }] };
    const { body: made, text } = await draft(owner, home, body);
    expect([made.edits, made.markdown], text).toEqual([edits, markdown]);
  });

  test("that rewrites all stands alone, and changes something", async () => {
    const { home, owner, id } = await written();
    const rewrite = (markdown: string) => ({ action: "rewrite", markdown });
    for (const [edits, pointer] of [
      [[rewrite("New"), { action: "remove", block: 0 }], "/body/edits/0/action"],
      [[rewrite(BLOCKS.join("\n\n"))], "/body/edits/0/markdown"],
      [[{ action: "rewrite" }], "/body/edits/0/markdown"],
      [[{ ...rewrite("New"), block: 0 }], "/body/edits/0/block"],
    ] as const) {
      const refused = await draft(owner, home, { document_id: id, base_revision: "1", edits });
      expect([refused.status, refused.body.errors?.[0].pointer]).toEqual([400, pointer]);
    }
  });

  test("is of a Document that its author sees, and is gone with the sight of it", async () => {
    const { home, owner } = await written();
    const ada = await home.member("member");
    const project = await newProject(home);
    const { id } = await newDocument(home, { markdown: "Seen", project_id: project.id });
    const edits = [{ action: "find_replace", find: "Seen", replace: "Changed" }];
    const mine = await draft(ada, home, { document_id: id, base_revision: "1", edits });
    expect(mine.status, mine.text).toBe(200);
    await owner.call("PATCH", `/projects/${project.id}`, { body: { visibility: "private" }, ...any });
    const path = `/workspaces/${home.workspaceId}/document-patches/${mine.body.id}?version=1`;
    expect((await ada.call("GET", path)).status).toBe(404);
    for (const document_id of [id, newId()])
      expect((await draft(ada, home, { document_id, base_revision: "1", edits })).body.code).toBe("not_found");
    expect((await draft(owner, home, { document_id: id, base_revision: "7", edits })).body.errors[0].pointer).toBe(
      "/body/base_revision",
    );
    const change = [{ action: "document.patch", patch_id: mine.body.id, version: 1 }];
    expect((await propose(owner, home, change)).body.code, "somebody else's").toBe("not_found");
  });

  test("has a next version from its newest one only; without edits it moves to a later revision, where nothing overlaps", async () => {
    const { home, owner, id } = await written();
    const edits = [
      { action: "find_replace", find: "brass", replace: "steel" },
      { action: "insert_after", block: 3, markdown: "Really." },
    ];
    const first = (await draft(owner, home, { document_id: id, base_revision: "1", edits })).body;
    await write(owner, id, ["Above.", ...BLOCKS.slice(0, 2), "- one\n- three", "The end."].join("\n\n"));
    const path = `/workspaces/${home.workspaceId}/document-patches/${first.id}`;
    expect((await owner.call("GET", `${path}?version=1`)).body).toMatchObject({
      moved_on: true,
      current_revision: "2",
    });
    const next = { document_id: id, base_revision: "2", patch_id: first.id };
    const moved = await draft(owner, home, { ...next, version: 1 });
    expect(moved.status, moved.text).toBe(200);
    expect(moved.body).toMatchObject({ version: 2, moved_on: false, edits: [edits[0], { ...edits[1], block: 4 }] });
    expect(moved.body.markdown).toBe("Above.\n\n# Plan\n\nWe cut steel.\n\n- one\n- three\n\nThe end.\n\nReally.");
    const stale = await draft(owner, home, { ...next, version: 1 });
    expect([stale.body.code, stale.body.current_revision]).toEqual(["revision_conflict", "2"]);
    await write(owner, id, "# Plan\n\nWe cut tin.\n\nThe end.");
    const overlapping = await draft(owner, home, { ...next, base_revision: "3", version: 2 });
    expect([
      overlapping.status,
      overlapping.body.code,
      overlapping.body.errors.map(({ pointer }: ChangeFields) => pointer),
    ]).toEqual([409, "document_patch_conflict", ["/body/edits/0"]]);
    expect((await owner.call("GET", `${path}?version=1`)).body.markdown).toBe(first.markdown);
  });
});

describe("in a ChangeSet", () => {
  const patched = async (home: World, owner: Person, id: string, find: string, replace: string) => {
    const edits = [{ action: "find_replace", find, replace }];
    const { body } = await draft(owner, home, { document_id: id, base_revision: "1", edits });
    return [{ action: "document.patch", patch_id: body.id, version: body.version }];
  };

  test("it is shown as a difference, written as one revision, and taken back by undo", async () => {
    const { home, owner, id } = await written();
    const set = await approve(owner, home, await patched(home, owner, id, "brass", "steel"));
    expect(set.changes[0]).toMatchObject({ document_id: id, revision: "1", before: { content_revision: "1" } });
    expect(set.changes[0].diff.markdown_diff).toContain("+We cut steel.");
    const answer = await applied(owner, home, set);
    expect(answer.status, answer.text).toBe(200);
    expect(await said(owner, id)).toEqual({
      markdown: BLOCKS.join("\n\n").replace("brass", "steel"),
      content_revision: "2",
    });
    expect((await undo(owner, commandOf(answer))).status).toBe(200);
    expect(await said(owner, id)).toEqual({ markdown: BLOCKS.join("\n\n"), content_revision: "3" });
  });

  test("it is stale once the Document says something newer, and writes nothing", async () => {
    const { home, owner, id } = await written();
    const set = await approve(owner, home, await patched(home, owner, id, "brass", "steel"));
    await write(owner, id, "Newer");
    const refused = await applied(owner, home, set);
    expect([refused.body.code, refused.body.errors[0].pointer]).toEqual(["change_set_stale", "/changes/0/revision"]);
    expect((await said(owner, id)).markdown).toBe("Newer");
  });

  test("who has the Document open keeps every letter: what they typed makes an approval stale, and they see what was applied", async () => {
    const { home, owner, id } = await written("One\n\nTwo brass");
    const editor = await enter(owner, `/documents/${id}`);
    const stale = await approve(owner, home, await patched(home, owner, id, "brass", "steel"));
    editor.type(" typed");
    await editor.kept();
    expect((await applied(owner, home, stale)).body.code).toBe("change_set_stale");
    const moved = { document_id: id, base_revision: "2", patch_id: stale.changes[0].patch_id, version: 1 };
    expect((await draft(owner, home, moved)).status).toBe(200);
    const change = { action: "document.patch", patch_id: moved.patch_id, version: 2 };
    const set = await approve(owner, home, [change]);
    expect((await applied(owner, home, set)).status).toBe(200);
    await until("the editor sees it", () => editor.text === "One typed\nTwo steel");
    editor.leave();
    expect((await said(owner, id)).markdown).toBe("One typed\n\nTwo steel");
  });
});
