// Private scopes: changes of an inbox, personal Projects, an account and its credentials are delivered to their owner
// alone, whoever or whatever made them.
import pg from "pg";
import { expect, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { following } from "../../../test/following.ts";
import { newInboxItem } from "../../../test/inbox.ts";
import { newComment, newProject, newTask, sessionIn } from "../../../test/work.ts";
import { newKey, type Person, service, type World, world } from "../../../test/world.ts";
import { tellEvents } from "../../history/inbox/fill-inboxes.ts";
import { sweepInbox } from "../../history/inbox/jobs.ts";
import type { RealtimeChange } from "./feed.ts";

const running = service();
const { follow, followAccount } = following(running);
const told = (changes: readonly RealtimeChange[]) => changes.map(({ kind, id, action }) => `${kind} ${id} ${action}`);
/** Past row-level security, as background work does it. */
async function asOwner(work: (client: pg.Client) => Promise<unknown>) {
  const client = new pg.Client(running.databaseUrl);
  await client.connect();
  await work(client).finally(() => client.end());
}
const itemsOf = async ({ workspaceId }: World, person: Person) =>
  (await person.call("GET", `/workspaces/${workspaceId}/inbox`)).body.items as { id: string; revision: string }[];
const change = async (person: Person, path: string, body: object) => {
  const { revision } = (await person.call("GET", path)).body;
  const answer = await person.call("PATCH", path, { body, ifMatch: revision, key: newKey() });
  expect(answer.status, answer.text).toBe(200);
};

test("an inbox that background work writes into is told to its owner alone", async () => {
  const home = await world(running);
  const [ada, bob] = [await home.member("member"), await home.member("member")];
  const project = await newProject(home);
  const [hers, his, all] = [
    await follow(home.workspaceId, ada, "inbox"),
    await follow(home.workspaceId, bob, "inbox"),
    await follow(home.workspaceId, ada, "workspace"),
  ];
  const task = await newTask(home.owner, project.id, { assignee_actor_id: ada.actorId });
  await tellEvents(running.database);
  const [item] = await itemsOf(home, ada);
  expect(await hers.settled()).toEqual([{ kind: "inbox_item", id: item?.id, revision: "1", action: "created" }]);
  expect(await his.settled()).toEqual([]);
  expect(told(await all.settled())).toEqual([`task ${task.id} created`]);
  await newComment(home.owner, task.id);
  await newComment(home.owner, task.id);
  await tellEvents(running.database);
  expect((await hers.settled()).map(({ kind }) => kind)).toContain("inbox_item");
});

test("what its owner reads in one window is told to the other", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const task = await newTask(home.owner, project.id);
  const items = [
    await newInboxItem(running, home, home.owner.actorId, task.id),
    await newInboxItem(running, home, home.owner.actorId, task.id, { category: "mentioned" }),
  ];
  const hears = await follow(home.workspaceId, home.owner, "inbox");
  const { status, text } = await home.owner.call("PATCH", `/inbox-items/${items[0]?.id}`, {
    body: { read: true },
    ifMatch: "1",
  });
  expect(status, text).toBe(200);
  expect(await hears.settled()).toEqual([{ kind: "inbox_item", id: items[0]?.id, revision: "2", action: "changed" }]);
});

test("an inbox loses what it was about, and hears of it: deleted for ever, swept, or out of sight", async () => {
  const home = await world(running);
  const ada = await home.member("member");
  const project = await newProject(home);
  const [gone, old, hidden] = [
    await newTask(home.owner, project.id),
    await newTask(home.owner, project.id),
    await newTask(home.owner, project.id),
  ];
  const [one, two] = [
    await newInboxItem(running, home, ada.actorId, gone.id),
    await newInboxItem(running, home, ada.actorId, old.id),
  ];
  await newInboxItem(running, home, ada.actorId, hidden.id);
  const hears = await follow(home.workspaceId, ada, "inbox");
  await asOwner((client) =>
    client.query("delete from tasks where workspace_id = $1 and id = $2", [home.workspaceId, gone.id]),
  );
  expect(told(await hears.settled())).toEqual([`inbox_item ${one.id} removed`]);
  await running.sql(
    "update inbox_items set read_at = now() - interval '100 days' where id = $1",
    [two.id],
    home.workspaceId,
  );
  await asOwner(sweepInbox);
  expect(told(await hears.settled())).toEqual([`inbox_item ${two.id} removed`]);
  await change(home.owner, `/projects/${project.id}`, { visibility: "private" });
  expect(told(await hears.settled())).toEqual([`inbox ${ada.actorId} changed`]);
});

test("shortcuts and display preferences are told to whoever set them, in their own scope", async () => {
  const home = await world(running);
  const [ada, bob] = [await home.member("member"), await home.member("member")];
  const project = await newProject(home);
  const [hers, his, all] = [
    await follow(home.workspaceId, ada, "personal_projects"),
    await follow(home.workspaceId, bob, "personal_projects"),
    await follow(home.workspaceId, ada, "workspace"),
  ];
  const answer = await ada.call("PUT", `/workspaces/${home.workspaceId}/project-shortcuts`, {
    body: { project_ids: [project.id] },
    ifMatch: "0",
  });
  expect(answer.status, answer.text).toBe(200);
  expect(await hers.settled()).toEqual([
    { kind: "project_shortcuts", id: ada.actorId, revision: "1", action: "changed" },
  ]);
  expect([await his.settled(), await all.settled()]).toEqual([[], []]);
});

test("an account is told to its person in every Workspace, and its sessions apart from it", async () => {
  const home = await world(running);
  const bob = await home.member("member");
  const [account, security, his] = [
    await followAccount(home.owner, "account"),
    await followAccount(home.owner, "account_security"),
    await followAccount(bob, "account_security"),
  ];
  await change(home.owner, "/me", { display_name: "Grace" });
  await eventually(() => expect(told(account)).toEqual([`account ${home.owner.userId} changed`]));
  const another = await sessionIn(running, home.workspaceId, home.owner.userId);
  await eventually(() => expect(security.map(({ kind, action }) => `${kind} ${action}`)).toEqual(["session created"]));
  const { id, revision } = security[0] as RealtimeChange;
  const ended = await another.call("DELETE", `/me/sessions/${id}`, { ifMatch: revision ?? "1" });
  expect(ended.status, ended.text).toBe(204);
  await eventually(() => expect(told(security)).toContain(`session ${id} removed`));
  expect(account.length).toBe(1);
  expect(his).toEqual([]);
});

test("an account's credentials that somebody else ends are told to it", async () => {
  const home = await world(running);
  const ada = await home.member("member");
  await home.token(["svc:read"], ada);
  const security = await followAccount(ada, "account_security");
  const { body } = await home.owner.call("GET", `/workspaces/${home.workspaceId}/members?limit=100`);
  const member = body.items.find(({ user_id }: { user_id: string }) => user_id === ada.userId);
  const removed = await home.owner.call("DELETE", `/workspaces/${home.workspaceId}/members/${member.id}`, {
    ifMatch: member.revision,
    key: newKey(),
  });
  expect(removed.status, removed.text).toBeLessThan(300);
  await eventually(() =>
    expect(security.map(({ kind, action }) => `${kind} ${action}`)).toContain("api_token removed"),
  );
});
