import { isTimeZone } from "@svc/contract/types.ts";
import { expect, test } from "vitest";
import { joinProject, newProject, newTask, pages } from "../../../../test/work.ts";
import { type Person, service, world } from "../../../../test/world.ts";

const running = service();

async function team() {
  const home = await world(running);
  const project = await newProject(home);
  const statuses = (await home.owner.call("GET", `/projects/${project.id}/statuses`)).body.items;
  const status = (name: string) => statuses.find((one: { name: string }) => one.name === name).id as string;
  const path = `/workspaces/${home.workspaceId}/work`;
  const work = async (view: string, person: Person): Promise<string[]> => {
    const answer = await person.call("GET", `${path}?view=${view}`);
    expect([answer.status, answer.trips], answer.text).toEqual([200, 1]);
    return answer.body.items.map(({ title }: { title: string }) => title);
  };
  const [ada, bob] = [await home.member("member"), await home.member("member")];
  return { ...home, home, project, status, path, work, ada, bob };
}

test("assigned, created and delegated show open work, the latest change first", async () => {
  const { ada, bob, project, status, work, path } = await team();
  await newTask(ada, project.id, { title: "Own", assignee_actor_id: ada.actorId });
  await newTask(ada, project.id, { title: "Given", assignee_actor_id: bob.actorId });
  await newTask(ada, project.id, { title: "Nobody's" });
  for (const name of ["Done", "Cancelled"])
    await newTask(ada, project.id, { title: name, assignee_actor_id: ada.actorId, status_id: status(name) });
  expect(await work("assigned", ada)).toEqual(["Own"]);
  expect(await work("created", ada)).toEqual(["Nobody's", "Given", "Own"]);
  expect(await work("delegated", ada)).toEqual(["Given"]);
  expect(await work("assigned", bob)).toEqual(["Given"]);
  expect(await work("created", bob)).toEqual([]);
  expect(await work("completed", ada)).toEqual(["Done"]);
  expect((await ada.call("GET", path)).body.items.map(({ title }: { title: string }) => title)).toEqual(["Own"]);
  expect((await ada.call("GET", `${path}?view=mine`)).body.errors[0].pointer).toBe("/query/view");
});

test("due_soon is overdue or due within seven days, the soonest first", async () => {
  const { ada, project, status, work } = await team();
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const mine = { assignee_actor_id: ada.actorId };
  for (const days of [7, 8, -30, 0, 30])
    await newTask(ada, project.id, { title: String(days), due_date: day(days), ...mine });
  await newTask(ada, project.id, { title: "Done", due_date: day(0), status_id: status("Done"), ...mine });
  await newTask(ada, project.id, { title: "Whenever", ...mine });
  expect(await work("due_soon", ada)).toEqual(["-30", "0", "7"]);
});

test("due_soon follows the calendar of the account", async () => {
  const { ada, project, work } = await team();
  const today = (zone: string) => new Intl.DateTimeFormat("en-CA", { timeZone: zone }).format(new Date());
  const zone = today("Pacific/Kiritimati") === today("UTC") ? "Pacific/Pago_Pago" : "Pacific/Kiritimati";
  const edge = new Date(Date.parse(today(zone)) + 7 * 86_400_000).toISOString().slice(0, 10);
  const past = new Date(Date.parse(today(zone)) + 8 * 86_400_000).toISOString().slice(0, 10);
  for (const due_date of [edge, past])
    await newTask(ada, project.id, { title: due_date, due_date, assignee_actor_id: ada.actorId });
  await running.sql("update users set timezone = $2 where id = $1", [ada.userId, zone]);
  expect(await work("due_soon", ada)).toEqual([edge]);
});

test("the database knows every time zone that an account can have", async () => {
  const { ada } = await team();
  const abbreviations =
    "ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST VST";
  const unknown = [...abbreviations.split(" "), "aet", "US/Pacific-New", "Canada/East-Saskatchewan"];
  const known = ["UTC", "GMT", "EST", "EST5EDT", "Zulu", "Asia/Calcutta", ...Intl.supportedValuesOf("timeZone")];
  expect(unknown.filter(isTimeZone)).toEqual([]);
  expect(known.filter((zone) => !isTimeZone(zone))).toEqual([]);
  await running.sql("select count(now() at time zone zone) from unnest($1::text[]) zone", [known]);
  const { body } = await ada.call("PATCH", "/me", { body: { timezone: "AET" }, headers: { "if-match": "*" } });
  expect(body.errors[0].pointer).toBe("/body/timezone");
});

test("reviewing is for those who lead the Project or manage the Workspace", async () => {
  const { home, owner, ada, bob, project, status, work } = await team();
  await joinProject(home, project.id, ada, "lead");
  await joinProject(home, project.id, bob, "member");
  await newTask(bob, project.id, { title: "Look at it", status_id: status("In Review") });
  await newTask(bob, project.id, { title: "Not yet", status_id: status("In Progress") });
  expect(await work("reviewing", ada)).toEqual(["Look at it"]);
  expect(await work("reviewing", owner)).toEqual(["Look at it"]);
  expect(await work("reviewing", bob)).toEqual([]);
  // Nor for somebody who only views the Workspace, whatever they are in the Project.
  const viewer = await home.member("viewer");
  await joinProject(home, project.id, viewer, "lead");
  expect(await work("reviewing", viewer)).toEqual([]);
});

test("what is trashed, archived, deleted or not visible any more is left out", async () => {
  const { home, owner, ada, project, work, workspaceId } = await team();
  const mine = { assignee_actor_id: ada.actorId };
  const hidden = await newProject(home, { visibility: "private" });
  await joinProject(home, hidden.id, ada, "member");
  const [archived, deleted] = [await newProject(home), await newProject(home)];
  for (const { id, name } of [
    { ...hidden, name: "Hidden" },
    { ...archived, name: "Archived" },
    { ...deleted, name: "Deleted" },
  ])
    await newTask(ada, id, { title: name, ...mine });
  const trashed = await newTask(ada, project.id, { title: "Trashed", ...mine });
  expect((await work("assigned", ada)).length).toBe(4);
  await running.sql("update tasks set trashed_at = now() where id = $1", [trashed.id], workspaceId);
  await running.sql("update projects set archived_at = now() where id = $1", [archived.id], workspaceId);
  await owner.call("DELETE", `/projects/${deleted.id}`);
  expect(await work("assigned", ada)).toEqual(["Hidden"]);
  await owner.call("DELETE", `/projects/${hidden.id}/members/${ada.actorId}`);
  for (const view of ["assigned", "created"]) expect(await work(view, ada), view).toEqual([]);
});

test("pages of every view hold everything once", async () => {
  const { owner, bob, project, status, path } = await team();
  const due_date = new Date().toISOString().slice(0, 10);
  for (let count = 0; count < 5; count++) {
    await newTask(owner, project.id, { assignee_actor_id: owner.actorId, due_date });
    await newTask(owner, project.id, { assignee_actor_id: bob.actorId, status_id: status("In Review") });
    await newTask(owner, project.id, { assignee_actor_id: owner.actorId, status_id: status("Done") });
  }
  const expected = { assigned: 5, created: 10, reviewing: 5, delegated: 5, due_soon: 5, completed: 5 };
  for (const [view, count] of Object.entries(expected)) {
    const { items } = await pages(owner, `${path}?view=${view}`, 2);
    expect([new Set(items.map(({ id }) => id)).size, items.length], view).toEqual([count, count]);
  }
});
