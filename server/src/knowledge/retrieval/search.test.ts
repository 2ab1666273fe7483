// The index of Knowledge as somebody who asks meets it: what is found where, what follows a change at once, and that
// nothing hidden has any part in it.
import { expect, test } from "vitest";
import { newAttached, newAttachment, privateUploads } from "../../../test/attachments.ts";
import { any, changeDocument, newDocument, say } from "../../../test/documents.ts";
import { KEYS, knowing } from "../../../test/knowledge.ts";
import { pdfOf } from "../../../test/pdf.ts";
import { joinProject, newComment, newProject, newTask } from "../../../test/work.ts";
import { type Person, type World, world } from "../../../test/world.ts";

const { running, ask, find, passages, index, settings } = knowing();
const rows = async (home: World) =>
  (await running.sql<{ n: number }>("select count(*)::int as n from knowledge_passages", [], home.workspaceId))[0]?.n;

const OFFER = "The new furnace has a\nwarranty of ten years.";
const ok = async (asked: Promise<{ status: number; text: string }>) => {
  const { status, text } = await asked;
  expect(status, text).toBeLessThan(300);
};

test("a passage of each kind is found by what it means, and stands where it says", async () => {
  const home = await world(running);
  const { owner } = home;
  const project = await newProject(home);
  const task = await newTask(owner, project.id, {
    title: "Replace the boiler",
    description_markdown: "The heating in the office is broken.\n\n- [ ] call the plumber",
  });
  const comment = await newComment(owner, task.id, "The craftsman comes on Thursday at nine.");
  const document = await newDocument(home, { title: "Handbook", project_id: project.id });
  await say(running, home, document.id, KEYS);
  const file = await newAttached(owner, `/tasks/${task.id}`, Buffer.from("The invoice was 420 euros, paid in March."));
  const pdf = { filename: "offer.pdf", content_type: "application/pdf" };
  const offer = await newAttached(
    owner,
    `/tasks/${task.id}`,
    pdfOf([["The new furnace has a", "warranty of ten years."]]),
    pdf,
  );
  await settings(home, { included_projects: [project.id], include_workspace_documents: true });
  expect(await passages(home, "boiler"), "nothing is there before it is indexed").toEqual([]);
  // A private file belongs to no place: not even whose it is finds it here.
  await newAttachment(owner, Buffer.from("The secret of the invoice."), {}, privateUploads(home.workspaceId));
  await index();
  expect((await passages(home, "secret invoice")).join()).not.toContain("secret");

  const texts: Record<string, string> = {
    task_title: "Replace the boiler",
    task_description: "The heating in the office is broken.\n\n- [ ] call the plumber",
    comment: "The craftsman comes on Thursday at nine.",
    document: (await owner.call("GET", `/documents/${document.id}/markdown`)).body.markdown,
    attachment: "The invoice was 420 euros, paid in March.",
  };
  for (const [q, kind, id, said] of [
    ["How often do we change our cryptographic secrets?", "document", document.id, /^Keys are rotated/],
    ["Wie lange werden Backups aufgehoben?", "document", document.id, /kept for a week/],
    ["It is cold at work", "task_description", task.id, /heating/],
    ["When does the repairman arrive?", "comment", comment.id, /Thursday/],
    ["What did it cost?", "attachment", file.id, /420 euros/],
    ["How long does the manufacturer guarantee it?", "attachment", offer.id, /warranty of ten years/],
    ["boiler", "task_title", task.id, /^Replace the boiler$/],
  ] as const) {
    const found = await find(home, q);
    expect([found[0].kind, found[0].id], q).toEqual([kind, id]);
    expect(found[0].passage).toMatch(said);
    for (const { passage, start, end, ...item } of found)
      expect((item.id === offer.id ? OFFER : (texts[item.kind] as string)).slice(start, end)).toBe(passage);
  }
  const [first] = await find(home, "key rotation");
  expect(first.revision).toBe((await owner.call("GET", `/documents/${document.id}`)).body.content_revision);
  const versions = await Promise.all(
    [1, 2].map(async () => (await ask(home, "search", "key rotation")).body.result_version),
  );
  expect(versions[0]).toBe(versions[1]);

  const evidence = await owner.call("POST", `/workspaces/${home.workspaceId}/evidence-collections`, {
    body: {
      sources: [
        { kind: first.kind, id: first.id, revision: first.revision, passage: { start: first.start, end: first.end } },
      ],
    },
    key: "captured-from-knowledge",
  });
  expect(evidence.status, evidence.text).toBe(200);
});

test("a passage of a Document has the revision of that Document", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const [handbook, garden] = [
    await newDocument(home, { title: "Handbook", project_id: project.id }),
    await newDocument(home, { title: "Garden", project_id: project.id }),
  ];
  await say(running, home, handbook.id, KEYS);
  for (const color of ["red", "green"]) await say(running, home, garden.id, `Roses grow beside the ${color} fence.`);
  await settings(home, { included_projects: [project.id] });
  await index();
  const revisions = [];
  for (const [q, { id }] of [
    ["key rotation", handbook],
    ["roses", garden],
  ] as const) {
    const { content_revision } = (await home.owner.call("GET", `/documents/${id}`)).body;
    const [found] = await find(home, q);
    expect([found.id, found.revision]).toEqual([id, content_revision]);
    revisions.push(content_revision);
  }
  expect(new Set(revisions).size).toBe(2);
});

test("what nothing is about finds nothing; another word or another spelling still finds what is", async () => {
  const home = await world(running);
  const project = await newProject(home);
  for (const [title, description_markdown] of [
    ["Replace the boiler", "The heating in the office is broken."],
    ["Order new laptops", "Twelve of them, with chargers."],
    ["Company cars", "Vehicles are booked in the calendar."],
    ["Paint the fence", "Green, with two buckets of colour."],
    ["Review the pull request", "It changes how sessions end."],
    ["Upgrade the database", ""],
  ])
    await newTask(home.owner, project.id, { title, description_markdown });
  const handbook = await newDocument(home, { title: "Handbook", project_id: project.id });
  await say(running, home, handbook.id, KEYS);
  await settings(home, { included_projects: [project.id] });
  await index();
  for (const q of ["salary", "What is the capital of Australia?", "recipe for apple pie", "wedding dress"])
    expect(await passages(home, q), q).toEqual([]);
  for (const [q, said] of [
    ["automobile", /cars/],
    ["boilr", /boiler/],
    ["databse", /database/],
    ["How often do we change our cryptographic secrets?", /rotated/],
    ["It is cold at work", /heating/],
  ] as const)
    expect((await passages(home, q))[0], q).toMatch(said);
  await newTask(home.owner, project.id, { title: "Wages", description_markdown: "They are paid on the 25th." });
  await index();
  expect((await passages(home, "salary")).sort()).toEqual(["They are paid on the 25th.", "Wages"]);
});

test("what is changed, moved, thrown away or deleted is gone at once, and found again as it is then", async () => {
  const home = await world(running);
  const { owner } = home;
  const [project, other] = [await newProject(home), await newProject(home)];
  await settings(home, { included_projects: [project.id] });
  const task = await newTask(owner, project.id, { title: "Paint", description_markdown: "The fence is green." });
  const comment = await newComment(owner, task.id, "Two buckets of colour are enough.");
  const document = await newDocument(home, { title: "Garden", project_id: project.id });
  await say(running, home, document.id, "Roses grow beside the fence.");
  await index();
  const all = async () => (await passages(home, "fence roses colour paint")).sort();
  const whole = ["Paint", "Roses grow beside the fence.", "The fence is green.", "Two buckets of colour are enough."];
  expect(await all()).toEqual(whole);
  const expectOnly = async (now: string[], then: string[], why: string) => {
    expect(await all(), `${why}, at once`).toEqual(now);
    await index();
    expect(await all(), `${why}, when it was read again`).toEqual(then);
  };

  await owner.call("PATCH", `/tasks/${task.id}`, {
    body: { description_markdown: "The fence is red." },
    headers: any.headers,
  });
  const red = whole.map((each) => each.replace("green", "red"));
  await expectOnly(["Roses grow beside the fence.", "Two buckets of colour are enough."], red, "a changed Task");
  await owner.call("PATCH", `/tasks/${task.id}`, { body: { priority: "high" }, headers: any.headers });
  expect(await all(), "what is not about its words changes nothing").toEqual(red);
  const seen = (await find(home, "fence")).find(({ kind }) => kind === "task_description");
  expect(seen.revision).toBe((await owner.call("GET", `/tasks/${task.id}`)).body.revision);

  await ok(owner.call("POST", `/tasks/${task.id}/trash`, any));
  await expectOnly(["Roses grow beside the fence."], ["Roses grow beside the fence."], "a Task in the trash");
  await ok(owner.call("POST", `/tasks/${task.id}/restore`, any));
  await expectOnly(["Roses grow beside the fence."], red, "a Task that comes back, with its comments");

  await ok(
    owner.call("PATCH", `/comments/${comment.id}`, { body: { markdown: "Three buckets." }, headers: any.headers }),
  );
  expect((await all()).filter((each) => each.includes("buckets"))).toEqual([]);
  await ok(owner.call("DELETE", `/comments/${comment.id}`, any));
  await index();
  expect((await all()).filter((each) => each.includes("uckets"))).toEqual([]);

  await ok(changeDocument(owner, document.id, { project_id: other.id }));
  await expectOnly(
    ["Paint", "The fence is red."],
    ["Paint", "The fence is red."],
    "a Document in a Project that is not included",
  );
  await settings(home, { included_projects: [project.id, other.id] });
  await index();
  expect(await all()).toContain("Roses grow beside the fence.");
});

test("switching off hides everything at once and removes it with the next look; Documents in no Project are a choice", async () => {
  const home = await world(running);
  const project = await newProject(home);
  await newTask(home.owner, project.id, { title: "Lighthouse keeper" });
  const loose = await newDocument(home, { title: "Coast" });
  await say(running, home, loose.id, "The lighthouse stands on a rock.");
  await settings(home, { included_projects: [project.id] });
  await index();
  expect(await passages(home, "lighthouse")).toEqual(["Lighthouse keeper"]);
  await settings(home, { include_workspace_documents: true });
  await index();
  expect((await passages(home, "lighthouse")).sort()).toEqual([
    "Lighthouse keeper",
    "The lighthouse stands on a rock.",
  ]);
  for (const off of [{ enabled: false }, { enabled: true, included_projects: [] }]) {
    await settings(home, off);
    expect(await passages(home, "lighthouse")).toEqual([]);
    await index();
    expect(await rows(home)).toBe(0);
    await settings(home, { enabled: true, included_projects: [project.id] });
    await index();
    expect((await passages(home, "lighthouse")).length).toBe(2);
  }
  await running.sql("update projects set deleted_at = now() where id = $1", [project.id], home.workspaceId);
  expect(await passages(home, "lighthouse"), "with its only Project, all of it").toEqual([]);
});

test("nothing hidden has a part in what is found, in its order, its version or an answer", async () => {
  const home = await world(running);
  const [open, hidden] = [await newProject(home), await newProject(home, { visibility: "private" })];
  const [member, inside] = [await home.member("member"), await home.member("member")];
  await joinProject(home, hidden.id, inside, "member");
  await settings(home, { included_projects: [open.id, hidden.id], include_workspace_documents: true });
  const subjects = ["harbour", "kitchen", "budget"];
  for (const subject of subjects)
    await newTask(home.owner, open.id, {
      title: `About the ${subject}`,
      description_markdown: `The ${subject} is looked after by Ada.`,
    });
  await index();
  const questions = [
    ...subjects.map((subject) => `Who looks after the ${subject}?`),
    "canary",
    "secret salary of Bob",
    "Ada",
  ];
  const answers = (person: Person) =>
    Promise.all(
      questions.flatMap((q) =>
        (["search", "answer"] as const).map(async (what) => (await ask(home, what, q, person)).text),
      ),
    );
  const before = await answers(member);
  const inBefore = await answers(inside);
  expect(before, "while nothing is hidden, both are told the same").toEqual(inBefore);
  for (const subject of subjects) {
    const task = await newTask(home.owner, hidden.id, {
      title: `Canary of the ${subject}`,
      description_markdown: `The ${subject} is looked after by Bob, whose secret salary is a canary.`,
    });
    await newComment(home.owner, task.id, `A canary sings in the ${subject}. Ada knows.`);
  }
  await index();
  const after = await answers(member);
  expect(after).toEqual(before);
  expect(after.join(" ")).not.toMatch(/canary|bob/i);
  const inAfter = await answers(inside);
  expect(inAfter).not.toEqual(inBefore);
  expect(inAfter.join(" ")).toMatch(/canary/i);
  // And when the Project is opened to all, and closed again.
  const visibility = (value: string) =>
    running.sql("update projects set visibility = $2 where id = $1", [hidden.id, value], home.workspaceId);
  await visibility("workspace");
  expect(await answers(member)).toEqual(inAfter);
  await visibility("private");
  expect(await answers(member)).toEqual(before);
});
