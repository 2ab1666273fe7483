// A published Document as a stranger reads it: what it says, nothing of what is private around it, and only the files
// that stand in it.
import { expect, test } from "vitest";
import { newAttached } from "../../../../test/attachments.ts";
import { any, changeDocument, newDocument } from "../../../../test/documents.ts";
import { smallPicture } from "../../../../test/pictures.ts";
import { newMilestone, newProject, newTask } from "../../../../test/work.ts";
import { service, type World, world } from "../../../../test/world.ts";
import { newId } from "../../../platform/wire/ids.ts";

const running = service();
const API = "/api/v1/public/documents";
const ask = async (path: string, method = "GET") => {
  const answer = await fetch(`${running.url}${API}/${path}`, { method });
  const text = await answer.text();
  return { status: answer.status, text, body: JSON.parse(text), headers: answer.headers };
};
const write = ({ owner }: World, id: string, markdown: string) =>
  owner.call("PUT", `/documents/${id}/markdown`, { body: { markdown }, ...any });
async function published(home: World, markdown: string, body: object = {}) {
  const document = await newDocument(home, body);
  const said = await write(home, document.id, markdown);
  expect(said.status, said.text).toBe(200);
  const { public_id } = (await changeDocument(home.owner, document.id, { published: true })).body;
  return { ...document, public_id: public_id as string };
}

const setVisibility = async (owner: World["owner"], id: string, visibility: string) => {
  const changed = await owner.call("PATCH", `/projects/${id}`, { body: { visibility }, ...any });
  expect(changed.status, changed.text).toBe(200);
};

test("it is read without a credential, and taken back at once", async () => {
  const home = await world(running);
  const { id, public_id } = await published(home, "# Welcome\n\nTo **everybody**.", {
    title: "Open house",
    icon: "🏠",
  });
  const { status, body, headers } = await ask(public_id);
  expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
  expect(body).toMatchObject({ public_id, title: "Open house", icon: "🏠" });
  expect(Object.keys(body).sort()).toEqual([
    "content",
    "icon",
    "locale",
    "public_id",
    "published_at",
    "title",
    "updated_at",
  ]);
  expect(body.content.content[0]).toMatchObject({ type: "heading", content: [{ type: "text", text: "Welcome" }] });
  await write(home, id, "Changed");
  expect((await ask(public_id)).text).toContain("Changed");
  await changeDocument(home.owner, id, { published: false });
  const gone = await ask(public_id);
  const never = await ask("4pW0ZQm8yTjH2cVx6RkLb1");
  expect([gone.status, gone.body.code, never.body.code]).toEqual([404, "not_found", "not_found"]);
  const again = (await changeDocument(home.owner, id, { published: true })).body.public_id;
  expect(again).not.toBe(public_id);
  expect([(await ask(public_id)).status, (await ask(again)).status]).toEqual([404, 200]);
});

test("no mention leads inside: a Task of an open Project is its bare code, and nothing of a private one or of a draft is named", async () => {
  const home = await world(running);
  const { owner, workspaceId } = home;
  const hidden = await newProject(home, { name: "Secret works", visibility: "private" });
  const task = await newTask(owner, hidden.id, { title: "Secret gears" });
  const milestone = await newMilestone(owner, hidden.id, { name: "Secret day" });
  const open = await newTask(owner, (await newProject(home)).id, { title: "Secret for now" });
  const draft = await newDocument(home, { title: "Secret draft" });
  const shown = await published(home, "Hello", { title: "Shown" });
  const { public_id } = await published(
    home,
    [
      `[Secret gears](svc:task/${task.id})`,
      `[Secret day](svc:milestone/${milestone.id})`,
      `[Secret works](svc:project/${hidden.id})`,
      `[Secret draft](svc:document/${draft.id})`,
      `[Shown](svc:document/${shown.id})`,
      `[Secret for now](svc:task/${open.id})`,
    ].join(" / "),
    { title: "Open" },
  );
  const { status, text, body } = await ask(public_id);
  expect(status).toBe(200);
  expect(text).not.toMatch(/[Ss]ecret/);
  for (const id of [
    task.id,
    milestone.id,
    hidden.id,
    draft.id,
    shown.id,
    open.id,
    workspaceId,
    owner.actorId,
    owner.userId,
  ])
    expect(text).not.toContain(id);
  const words = body.content.content[0].content.map((node: { text: string }) => node.text).join("");
  expect(words).toBe(`a Task / a Milestone / a Project / a Document / Shown / ${open.code}`);
  expect(text).not.toContain(hidden.key);
  expect(text).toContain(`/p/${shown.public_id}`);
  expect(text).not.toContain("svc:");
});

test("files are given out for a short time, those that stand in what it says now and no others", async () => {
  const home = await world(running);
  const { owner } = home;
  const png = { filename: "gear.png", content_type: "image/png" };
  const document = await newDocument(home);
  const inside = await newAttached(owner, `/documents/${document.id}`, await smallPicture(), png);
  const beside = await newAttached(owner, `/documents/${document.id}`);
  await write(home, document.id, `![Gear](attachment:${inside.id})`);
  const { public_id } = (await changeDocument(owner, document.id, { published: true })).body;
  const get = (id: string, how: string) => ask(`${public_id}/attachments/${id}/${how}`, "POST");
  const addresses: string[] = [];
  for (const how of ["download", "preview"]) {
    const { status, body } = await get(inside.id, how);
    expect(status).toBe(200);
    const file = await fetch(body.url.replace("localhost", "127.0.0.1"));
    expect([file.status, file.headers.get("content-type")]).toEqual([200, expect.stringMatching(/^image\//)]);
    expect(body.url).not.toContain(home.workspaceId);
    expect(Date.parse(body.expires_at) - Date.now()).toBeLessThanOrEqual(60_000);
    addresses.push(body.url.replace("localhost", "127.0.0.1"));
    for (const id of [beside.id, newId()]) expect((await get(id, how)).status).toBe(404);
  }
  await write(home, document.id, `[Notes](attachment:${beside.id})`);
  expect((await get(inside.id, "download")).status).toBe(404);
  expect((await get(beside.id, "preview")).body.code).toBe("preview_unavailable");
  expect((await get(beside.id, "download")).status).toBe(200);
  await running.sql("update attachments set scan_state = 'pending' where id = $1", [beside.id], home.workspaceId);
  expect((await get(beside.id, "download")).body.code).toBe("scan_pending");
  await write(home, document.id, `![Gear](attachment:${inside.id})`);
  expect((await get(inside.id, "download")).status).toBe(200);
  for (const address of addresses) expect((await fetch(address)).status).toBe(200);
  await changeDocument(owner, document.id, { published: false });
  expect((await get(inside.id, "download")).status).toBe(404);
  for (const address of addresses) expect((await fetch(address)).status, "an address given out before").toBe(404);
});

test("in a private Project nothing is published, and one that turns private hides what was", async () => {
  const home = await world(running);
  const { owner } = home;
  const hidden = await newProject(home, { visibility: "private" });
  const shut = await newDocument(home, { title: "Plans", project_id: hidden.id });
  const below = await newDocument(home, { title: "Below", parent_id: shut.id });
  for (const { id } of [shut, below]) {
    const refused = await changeDocument(owner, id, { published: true });
    expect([refused.status, refused.body.code, refused.body.errors[0].pointer]).toEqual([
      409,
      "project_private",
      "/body/published",
    ]);
  }
  const loose = await published(home, "x", { title: "Loose" });
  const moved = await changeDocument(owner, loose.id, { project_id: hidden.id, published: true });
  expect(moved.body.code).toBe("project_private");
  expect((await ask(loose.public_id)).status).toBe(200);

  const project = await newProject(home);
  const shown = await published(home, "Words", { title: "Plans of ours", project_id: project.id });
  const naming = await published(home, `[Ours](svc:document/${shown.id})`, { title: "Naming" });
  expect((await ask(naming.public_id)).text).toContain("Plans of ours");
  await setVisibility(owner, project.id, "private");
  expect((await ask(shown.public_id)).status).toBe(404);
  expect((await ask(naming.public_id)).text).not.toContain("Plans of ours");
  const again = await changeDocument(owner, shown.id, { published: true });
  expect([again.status, again.body.public_id]).toEqual([200, shown.public_id]);
  expect((await changeDocument(owner, shown.id, { published: false })).status).toBe(200);
  expect((await changeDocument(owner, shown.id, { published: true })).body.code).toBe("project_private");
  await setVisibility(owner, project.id, "workspace");
  const anew = await changeDocument(owner, shown.id, { published: true });
  expect((await ask(anew.body.public_id)).text).toContain("Words");
});

test("the trash, a deleted Project and an archived Workspace hide it", async () => {
  const home = await world(running);
  const { owner, workspaceId } = home;
  const project = await newProject(home);
  const [thrown, placed, kept] = [
    await published(home, "x", { title: "Thrown" }),
    await published(home, "x", { title: "Placed", project_id: project.id }),
    await published(home, "x", { title: "Kept" }),
  ];
  for (const { public_id } of [thrown, placed, kept]) expect((await ask(public_id)).status).toBe(200);
  await owner.call("DELETE", `/documents/${thrown.id}`);
  await owner.call("DELETE", `/projects/${project.id}`);
  for (const { public_id } of [thrown, placed]) expect((await ask(public_id)).status).toBe(404);
  await running.sql("update workspaces set archived_at = now() where id = $1", [workspaceId], workspaceId);
  expect((await ask(kept.public_id)).status).toBe(404);
});
