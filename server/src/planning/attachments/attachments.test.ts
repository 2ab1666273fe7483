// Attachments of Tasks and Projects: who sees them, how many there are, how they are given out, and how they go.
import { describe, expect, test } from "vitest";
import { attach, newAttached, newAttachment } from "../../../test/attachments.ts";
import { overlapping } from "../../../test/overlap.ts";
import { smallPicture } from "../../../test/pictures.ts";
import { send } from "../../../test/storages.ts";
import { eventsOf, joinProject, newProject, newTask, pages, trashTask } from "../../../test/work.ts";
import { newKey, type Person, service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();
const get = (person: Person, id: string) => person.call("GET", `/attachments/${id}`);
const give = (person: Person, id: string, how: "download" | "preview") =>
  person.call("POST", `/attachments/${id}/${how}`, { key: newKey() });
const refusal = ({ status, body }: { status: number; body: { code: string } }) => [status, body.code];

async function places(home: World, person: Person = home.owner) {
  const project = await newProject(home);
  const task = await newTask(person, project.id);
  return { project, task, atTask: `/tasks/${task.id}`, atProject: `/projects/${project.id}` };
}
/** So many attachments of a Task or a Project, by SQL. */
const fill = (
  { workspaceId, owner }: World,
  column: "task_id" | "project_id",
  of: string,
  projectId: string,
  count: number,
) =>
  running.sql(
    `insert into attachments (workspace_id, id, state, filename, content_type, size, sha256, scan_state,
     uploaded_by_actor_id, expires_at, completed_at, attached_at, ${column}, task_project_id)
     select $1, gen_random_uuid(), 'stored', 'File ' || n, 'text/plain', 1, sha256(''), 'clean', $2, now(), now(),
       now() - n * interval '1 second', $3, $4
     from generate_series(1, $5::int) n`,
    [workspaceId, owner.actorId, of, projectId, count],
    workspaceId,
  );

test("a file is its uploader's alone until it is attached, and then everybody's who sees the Task or Project", async () => {
  const home = await world(running);
  const [author, colleague, viewer] = [
    await home.member("member"),
    await home.member("member"),
    await home.member("viewer"),
  ];
  const { atTask, atProject, task, project } = await places(home);
  for (const [place, wanted] of [
    [atTask, { task_id: task.id, project_id: project.id }],
    [atProject, { task_id: null, project_id: project.id }],
  ] as const) {
    const { id } = await newAttachment(author);
    expect((await get(author, id)).status).toBe(200);
    for (const other of [home.owner, colleague, viewer]) {
      expect((await get(other, id)).status).toBe(404);
      expect((await give(other, id, "download")).status).toBe(404);
      expect((await other.call("DELETE", `/attachments/${id}`)).status).toBe(404);
    }
    const attached = await attach(author, place, id);
    expect(attached.status, attached.text).toBe(201);
    expect(attached.trips).toBeLessThanOrEqual(5);
    expect(attached.body).toMatchObject({ ...wanted, revision: "2", attached_at: expect.any(String) });
    expect(attached.body.capabilities).toEqual(["attachment:download", "attachment:delete"]);
    expect((await get(home.owner, id)).body.capabilities).toEqual(["attachment:download", "attachment:delete"]);
    for (const other of [colleague, viewer]) {
      expect((await get(other, id)).body.capabilities).toEqual(["attachment:download"]);
      expect((await give(other, id, "download")).status).toBe(200);
      expect(refusal(await other.call("DELETE", `/attachments/${id}`))).toEqual([403, "forbidden"]);
    }
    const events = await eventsOf(running, home, id);
    expect(events.at(-1)).toMatchObject({ type: "attachment.attached", activity: null });
  }
});

test("only one's own file that is attached nowhere is attached, and of any other no more is said than of none", async () => {
  const home = await world(running);
  const { owner } = home;
  const member = await home.member("member");
  const foreign = await world(running);
  const { atTask, atProject } = await places(home);
  const others = [
    newId(),
    (await newAttachment(member)).id,
    (await newAttachment(foreign.owner)).id,
    (await newAttached(owner, atTask)).id,
    (await newAttached(owner, atProject)).id,
  ];
  for (const place of [atTask, atProject])
    for (const id of others) {
      const { status, body } = await attach(owner, place, id);
      expect([status, body.code, body.errors]).toEqual([
        422,
        "invalid_reference",
        [{ pointer: "/body/attachment_id", code: "invalid_reference", detail: expect.any(String) }],
      ]);
    }
});

test("of many who attach one file at once, one does", async () => {
  const home = await world(running);
  const { owner } = home;
  const [one, other] = [await places(home), await places(home)];
  const { id } = await newAttachment(owner);
  const tries = [one, other].flatMap(({ atTask, atProject }) => [atTask, atProject, atTask, atProject]);
  const answers = await Promise.all(tries.map((place) => attach(owner, place, id)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 422)).toHaveLength(7);
});

test("a file that is attached while its uploader deletes it is seen as attached, and is deleted", async () => {
  const home = await world(running);
  const { task, project } = await places(home);
  const [person, other] = [await home.member("member"), await home.member("member")];
  const [mine, taken] = [await newAttachment(person), await newAttachment(other)];
  const attaching = `update attachments set task_id = $2, task_project_id = $3, attached_at = now(), uploaded_by_actor_id = $4
      where id = $1`;
  const deleting = (id: string, uploader: Person, by: Person) => {
    const hold: [string, ...string[]] = [attaching, id, task.id, project.id, uploader.actorId];
    return overlapping(running, hold, 1, () => by.call("DELETE", `/attachments/${id}`), home.workspaceId);
  };
  expect((await deleting(mine.id, person, person)).status).toBe(204);
  expect((await get(person, mine.id)).status).toBe(404);
  // As it is then, it is somebody else's.
  expect((await deleting(taken.id, person, other)).status).toBe(403);
});

test("a Task and a Project have a hundred at most, of many at once too", async () => {
  const home = await world(running);
  const { owner } = home;
  const { atTask, atProject, task, project } = await places(home);
  await fill(home, "task_id", task.id, project.id, 99);
  await fill(home, "project_id", project.id, project.id, 99);
  for (const place of [atTask, atProject]) {
    const files = await Promise.all(Array.from({ length: 4 }, () => newAttachment(owner)));
    const answers = await Promise.all(files.map(({ id }) => attach(owner, place, id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe("limit_reached");
    const added = answers.find(({ status }) => status === 201)?.body.id;
    await owner.call("DELETE", `/attachments/${added}`);
    const again = files.find(({ id }) => id !== added);
    expect((await attach(owner, place, again?.id)).status).toBe(201);
  }
});

test("the lists show the newest first, page by page, each its own", async () => {
  const home = await world(running);
  const { owner } = home;
  const { atTask, atProject, task, project } = await places(home);
  const second = await newTask(owner, project.id);
  await fill(home, "task_id", task.id, project.id, 7);
  await fill(home, "task_id", second.id, project.id, 4);
  await fill(home, "project_id", project.id, project.id, 5);
  const names = async (path: string) => (await pages(owner, path, 3)).items.map(({ filename }) => filename);
  const files = (count: number) => Array.from({ length: count }, (_, index) => `File ${index + 1}`);
  expect(await names(`${atTask}/attachments`)).toEqual(files(7));
  expect(await names(`${atProject}/attachments`)).toEqual(files(5));
  const all = (await pages(owner, `${atProject}/task-attachments`, 3)).items;
  expect(all).toHaveLength(11);
  expect([...all].sort((a, b) => String(b.attached_at).localeCompare(String(a.attached_at)))).toEqual(all);
  expect(new Set(all.map(({ task_id }) => task_id))).toEqual(new Set([task.id, second.id]));
  await trashTask(running, home, second.id);
  expect(await names(`${atProject}/task-attachments`)).toEqual(files(7));
  expect(await names(`/tasks/${second.id}/attachments`)).toEqual(files(4));
});

test("a Task in the trash takes no file, and those that it has can be saved and deleted", async () => {
  const home = await world(running);
  const { atTask, task } = await places(home);
  const { id } = await newAttached(home.owner, atTask);
  const loose = await newAttachment(home.owner);
  await trashTask(running, home, task.id);
  expect(refusal(await attach(home.owner, atTask, loose.id))).toEqual([409, "task_trashed"]);
  expect((await give(home.owner, id, "download")).status).toBe(200);
  expect((await home.owner.call("DELETE", `/attachments/${id}`)).status).toBe(204);
});

test("a Task takes its attachments along into another Project", async () => {
  const home = await world(running);
  const { atTask, task, atProject } = await places(home);
  const other = await newProject(home);
  const { id } = await newAttached(home.owner, atTask);
  const move = "update tasks set project_id = $2, number = 1000 where id = $1";
  await running.sql(move, [task.id, other.id], home.workspaceId);
  expect((await get(home.owner, id)).body).toMatchObject({ task_id: task.id, project_id: other.id });
  const listed = async (place: string) => (await home.owner.call("GET", `${place}/task-attachments`)).body.items.length;
  expect([await listed(atProject), await listed(`/projects/${other.id}`)]).toEqual([0, 1]);
});

describe("in a private Project", () => {
  test("members, owners and admins see attachments, and each only does what they may there", async () => {
    const home = await world(running);
    const [lead, partner, reader, admin, stranger] = [
      await home.member("member"),
      await home.member("member"),
      await home.member("member"),
      await home.member("admin"),
      await home.member("member"),
    ];
    const outsider = (await world(running)).owner;
    const { project, atTask, atProject } = await places(home);
    await running.sql("update projects set visibility = 'private' where id = $1", [project.id], home.workspaceId);
    for (const [person, role] of [
      [lead, "lead"],
      [partner, "member"],
      [reader, "viewer"],
    ] as const)
      await joinProject(home, project.id, person, role);
    const own = await newAttached(partner, atTask);
    for (const person of [stranger, outsider]) {
      const loose = await newAttachment(person);
      for (const place of [atTask, atProject]) {
        expect((await person.call("GET", `${place}/attachments`)).status).toBe(404);
        expect((await attach(person, place, loose.id)).status).toBe(404);
      }
      expect((await person.call("GET", `${atProject}/task-attachments`)).status).toBe(404);
      expect((await get(person, own.id)).status).toBe(404);
      for (const how of ["download", "preview"] as const) expect((await give(person, own.id, how)).status).toBe(404);
    }
    const loose = await newAttachment(reader);
    expect(refusal(await attach(reader, atTask, loose.id))).toEqual([403, "forbidden"]);
    expect((await get(reader, own.id)).body.capabilities).toEqual(["attachment:download"]);
    for (const manager of [lead, admin, home.owner])
      expect((await get(manager, own.id)).body.capabilities).toEqual(["attachment:download", "attachment:delete"]);
    expect((await lead.call("DELETE", `/attachments/${own.id}`, { ifMatch: "1" })).body.code).toBe("revision_conflict");
    expect((await lead.call("DELETE", `/attachments/${own.id}`, { ifMatch: "2" })).status).toBe(204);
    expect((await get(partner, own.id)).status).toBe(404);
  });

  test("whoever lost access in between sees nothing more, their own files included", async () => {
    const home = await world(running);
    const partner = await home.member("member");
    const { project, atTask } = await places(home);
    await running.sql("update projects set visibility = 'private' where id = $1", [project.id], home.workspaceId);
    await joinProject(home, project.id, partner, "member");
    const { id } = await newAttached(partner, atTask);
    const url = (await give(partner, id, "download")).body.url.replace("localhost", "127.0.0.1");
    await home.owner.call("DELETE", `/projects/${project.id}/members/${partner.actorId}`);
    expect((await get(partner, id)).status).toBe(404);
    expect((await give(partner, id, "download")).status).toBe(404);
    expect((await partner.call("DELETE", `/attachments/${id}`)).status).toBe(404);
    // Completing it again tells no more.
    expect((await partner.call("POST", `/attachment-uploads/${id}/complete`)).status).toBe(404);
    // A URL that was given lives on for its five minutes.
    expect((await send(url, "GET")).status).toBe(200);
    await home.owner.call("DELETE", `/projects/${project.id}`);
    expect((await get(home.owner, id)).status).toBe(404);
  });
});

test("only pictures are shown in place, and whatever is saved is saved under its name", async () => {
  const home = await world(running);
  const { atTask } = await places(home);
  const image = await smallPicture();
  const png = await newAttached(home.owner, atTask, image, { filename: "a.png", content_type: "image/png" });
  expect(png.capabilities).toEqual(["attachment:download", "attachment:preview", "attachment:delete"]);
  const { body } = await give(home.owner, png.id, "preview");
  expect(body.content_type).toBe("image/png");
  const minutes = (Date.parse(body.expires_at) - Date.now()) / 60_000;
  expect(minutes > 4 && minutes <= 5).toBe(true);
  const shown = await send(body.url.replace("localhost", "127.0.0.1"), "GET");
  expect([shown.headers["content-disposition"], shown.body.equals(image)]).toEqual(["inline", true]);
  const page = Buffer.from("<html><script>alert(1)</script></html>");
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
  for (const [bytes, content_type] of [
    [page, "text/html"],
    [svg, "image/svg+xml"],
    [Buffer.from("%PDF-1.7"), "application/pdf"],
  ] as const) {
    const { id } = await newAttached(home.owner, atTask, bytes, { content_type });
    expect(refusal(await give(home.owner, id, "preview"))).toEqual([409, "preview_unavailable"]);
    const { url } = (await give(home.owner, id, "download")).body;
    const saved = await send(url.replace("localhost", "127.0.0.1"), "GET");
    expect(saved.headers["content-disposition"]).toMatch(/^attachment; filename="notes.txt"/);
  }
});

test("a file that is not clean is not given out, and an infected one is attached to nothing", async () => {
  const home = await world(running);
  const { atTask } = await places(home);
  const png = { content_type: "image/png" };
  const scanned = (id: string, state: string) =>
    running.sql("update attachments set scan_state = $2 where id = $1", [id, state], home.workspaceId);
  const { id } = await newAttached(home.owner, atTask, await smallPicture(), png);
  for (const [state, code] of [
    ["pending", "scan_pending"],
    ["infected", "attachment_infected"],
    ["failed", "scan_failed"],
  ] as const) {
    await scanned(id, state);
    for (const how of ["download", "preview"] as const)
      expect(refusal(await give(home.owner, id, how))).toEqual([409, code]);
    expect((await get(home.owner, id)).body).toMatchObject({ scan_state: state, capabilities: ["attachment:delete"] });
  }
  const loose = await newAttachment(home.owner);
  await scanned(loose.id, "infected");
  expect(refusal(await attach(home.owner, atTask, loose.id))).toEqual([409, "attachment_infected"]);
  await scanned(loose.id, "pending");
  expect((await attach(home.owner, atTask, loose.id)).status).toBe(201);
});

test("deleting leaves nothing to see, and when the Task is gone for good so are its attachments", async () => {
  const home = await world(running);
  const { atTask, task } = await places(home);
  const [first, second] = [await newAttached(home.owner, atTask), await newAttached(home.owner, atTask)];
  const deleted = await home.owner.call("DELETE", `/attachments/${first.id}`);
  expect([deleted.status, deleted.trips <= 5]).toEqual([204, true]);
  expect((await home.owner.call("DELETE", `/attachments/${first.id}`)).status).toBe(404);
  expect(
    (await home.owner.call("GET", `${atTask}/attachments`)).body.items.map(({ id }: { id: string }) => id),
  ).toEqual([second.id]);
  await running.sql("delete from tasks where id = $1", [task.id], home.workspaceId);
  // Not even to whoever uploaded it, as one that was never attached.
  expect((await get(home.owner, second.id)).status).toBe(404);
  const { atProject } = await places(home);
  expect((await attach(home.owner, atProject, second.id)).status).toBe(422);
});
