// Paths of Documents: made of the titles, unique, kept for ever, and silent about what their reader does not see.
import { describe, expect, test } from "vitest";
import { byPath, changeDocument, newDocument, readDocument } from "../../../test/documents.ts";
import { joinProject, newProject } from "../../../test/work.ts";
import { service, world } from "../../../test/world.ts";
import { slugOf } from "./rules.ts";

const running = service();

test.for([
  ["How we plan", "how-we-plan"],
  ["  Ünïcode & Größe!  ", "unicode-grosse"],
  ["What's new? (2026)", "whats-new-2026"],
  ["設計メモ", "設計メモ"],
  ["ガイド", "ガイド"],
  ["한국어 문서", "한국어-문서"],
  ["नमस्ते दुनिया", "नमस्ते-दुनिया"],
  ["Привет, мир", "привет-мир"],
  ["../../etc/passwd", "etc-passwd"],
  ["a/b%2Fc", "a-b-2fc"],
  ["🚀", "untitled"],
  ["-- --", "untitled"],
  ["x".repeat(500), "x".repeat(80)],
  [`${"😀".repeat(3)}y`, "y"],
])("the title %s is called %s in a path", ([title, slug]) => {
  expect(slugOf(title as string)).toBe(slug);
});

test("a long path has 200 characters at most, and ends with whole slugs", async () => {
  const home = await world(running);
  const path = async (slugs: string) => {
    const sql = "select document_path($1, '00000000-0000-7000-8000-0123456789ab') as path";
    return (await running.sql<{ path: string }>(sql, [slugs], home.workspaceId))[0]?.path as string;
  };
  const of = (...lengths: number[]) => lengths.map((length) => "x".repeat(length)).join("/");
  expect(await path(of(80, 80, 38))).toBe(of(80, 80, 38));
  expect(await path(of(80, 80, 39))).toBe(`~0123456789ab/${of(80, 39)}`);
  // 186 characters behind the id fit exactly, and 187 do not.
  expect(await path(of(20, 80, 80, 24))).toBe(`~0123456789ab/${of(80, 80, 24)}`);
  expect(await path(of(20, 80, 80, 24))).toHaveLength(200);
  expect(await path(of(20, 80, 80, 25))).toBe(`~0123456789ab/${of(80, 25)}`);
});

describe("a path", () => {
  test("has the slugs from the top, and is found with its slashes encoded or not, in any case and in any script", async () => {
    const home = await world(running);
    const { owner } = home;
    const top = await newDocument(home, { title: "Käufer Handbuch" });
    const child = await newDocument(home, { title: "設計 メモ", parent_id: top.id });
    expect(child.path).toBe("kaufer-handbuch/設計-メモ");
    for (const path of [
      encodeURI(child.path),
      encodeURIComponent(child.path),
      encodeURI(child.path).replace("kaufer", "KAUFER"),
      encodeURIComponent(child.path).replace("%2F", "%2f"),
    ])
      expect((await byPath(owner, home, path)).body.id, path).toBe(child.id);
    for (const path of ["kaufer-handbuch/", "/kaufer-handbuch", "kaufer-handbuch//x", "kaufer", "%20", "a".repeat(200)])
      expect((await byPath(owner, home, path)).status, path).toBe(404);
    const long = (count: number) => encodeURIComponent("設".repeat(count));
    expect((await byPath(owner, home, long(200))).status).toBe(404);
    expect((await byPath(owner, home, long(201))).body.code).toBe("invalid_request");
    for (const path of ["", "a".repeat(201), "%00", "a%0Ab", "%FF"])
      expect((await byPath(owner, home, path)).body.code, path).toBe("invalid_request");
    expect(
      (await owner.call("POST", `/workspaces/${home.workspaceId}/documents/by-path/a/b`, { body: {} })).status,
    ).toBe(405);
  });

  test("is unique: a second one gets a suffix that nobody can foresee, and keeps it", async () => {
    const home = await world(running);
    const documents = [];
    for (const _ of [1, 2, 3]) documents.push(await newDocument(home, { title: "Notes" }));
    const [first, second, third] = documents.map(({ path }) => path);
    expect(first).toBe("notes");
    expect(second).toMatch(/^notes-[0-9a-z]{8}$/);
    expect(third).toMatch(/^notes-[0-9a-z]{8}$/);
    expect(second).not.toBe(third);
    const id = documents[1]?.id as string;
    expect((await changeDocument(home.owner, id, { title: "NOTES!" })).body.path).toBe(second);
    const child = await newDocument(home, { title: "Below", parent_id: id });
    expect(child.path).toBe(`${second}/below`);
    // Somebody else in another Workspace has their own.
    expect((await newDocument(await world(running), { title: "Notes" })).path).toBe("notes");
  });

  test("many Documents of one title at once all come into being, each with its own", async () => {
    const home = await world(running);
    const made = await Promise.all(Array.from({ length: 12 }, () => newDocument(home, { title: "At once" })));
    expect(new Set(made.map(({ path }) => path)).size).toBe(12);
    expect(made.filter(({ path }) => path === "at-once")).toHaveLength(1);
  });

  test("that it had leads to it for ever, through renames and moves, its own and those further up", async () => {
    const home = await world(running);
    const { owner } = home;
    const top = await newDocument(home, { title: "One" });
    const child = await newDocument(home, { title: "Two", parent_id: top.id });
    await changeDocument(owner, child.id, { title: "Three" });
    await changeDocument(owner, top.id, { title: "Four" });
    await changeDocument(owner, child.id, { parent_id: null });
    expect((await readDocument(owner, child.id)).path).toBe("three");
    for (const path of ["one/two", "one/three", "four/three", "three"])
      expect((await byPath(owner, home, path)).body.id, path).toBe(child.id);
    expect((await byPath(owner, home, "one")).body.id).toBe(top.id);
  });

  test("that one has comes before one that another had, and of those that had it the last one counts", async () => {
    const home = await world(running);
    const { owner } = home;
    const [a, b, c] = [
      await newDocument(home, { title: "Plan" }),
      await newDocument(home, { title: "B" }),
      await newDocument(home, { title: "C" }),
    ];
    const found = async () => (await byPath(owner, home, "plan")).body.id;
    await changeDocument(owner, a.id, { title: "A" });
    expect(await found()).toBe(a.id);
    expect((await changeDocument(owner, b.id, { title: "Plan" })).body.path).toBe("plan");
    expect(await found()).toBe(b.id);
    await changeDocument(owner, b.id, { title: "B" });
    expect(await found()).toBe(b.id);
    expect((await changeDocument(owner, c.id, { title: "Plan" })).body.path).toBe("plan");
    expect(await found()).toBe(c.id);
    await owner.call("DELETE", `/documents/${c.id}`);
    // What is in the trash comes last, although it has left the path last.
    expect(await found()).toBe(b.id);
  });

  test("of what is hidden neither answers nor stands in the way", async () => {
    const home = await world(running);
    const { owner } = home;
    const member = await home.member("member");
    const project = await newProject(home, { visibility: "private" });
    const open = await newDocument(home, { title: "Plan" });
    await changeDocument(owner, open.id, { title: "Open" });
    const secret = await newDocument(home, { title: "Plan", project_id: project.id });
    expect(secret.path).toBe("plan");
    expect((await byPath(owner, home, "plan")).body.id).toBe(secret.id);
    expect((await byPath(member, home, "plan")).body.id).toBe(open.id);
    const own = await newDocument(home, { title: "Plan" }, member);
    expect(own.path).toMatch(/^plan-[0-9a-z]{8}$/);
    await joinProject(home, project.id, member, "viewer");
    expect((await byPath(member, home, "plan")).body.id).toBe(secret.id);
  });

  test("of more than 200 characters keeps its last slugs behind a short id, and is found by it", async () => {
    const home = await world(running);
    const { owner } = home;
    const title = "w".repeat(66);
    let parent_id: string | null = null;
    const chain = [];
    for (let level = 1; level <= 5; level++) {
      const made = await newDocument(home, { title, parent_id });
      chain.push(made);
      parent_id = made.id;
    }
    const [, , third, fourth, fifth] = chain;
    // 66 and 66 and 66 and two slashes are 200.
    expect(third?.path).toBe([title, title, title].join("/"));
    expect(fourth?.path).toBe([`~${fourth?.id.slice(-12)}`, title, title].join("/"));
    expect(fifth?.path).toBe([`~${fifth?.id.slice(-12)}`, title, title].join("/"));
    expect((await byPath(owner, home, fifth?.path as string)).body.id).toBe(fifth?.id);
    await changeDocument(owner, chain[0]?.id as string, { title: "Short" });
    expect((await readDocument(owner, third?.id as string)).path).toBe(`short/${title}/${title}`);
    expect((await readDocument(owner, fourth?.id as string)).path).toBe(fourth?.path);
    expect((await byPath(owner, home, third?.path as string)).body.id).toBe(third?.id);
    // What somebody calls theirs after it is another one.
    const like = await newDocument(home, { title: fifth?.path.split("/")[0] });
    expect(like.path).toBe(fifth?.id.slice(-12));
    const longest = await newDocument(home, { title: "z".repeat(500) });
    expect(longest.path).toBe("z".repeat(80));
  });
});
