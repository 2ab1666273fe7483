// Ten tasks as people give them to an assistant, played over the official client: it looks, does what is small, and
// proposes what is not, and its person reads each proposal in a browser and approves it there. What then is so is asked
// of the service.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { clientOf } from "../../client/test/client-of.ts";
import { browser } from "../../server/test/browser.ts";
import { newDocument } from "../../server/test/documents.ts";
import { mcpToken, taskByCode } from "../../server/test/mcp.ts";
import { newMilestone, newProject, newTask } from "../../server/test/work.ts";
import { service, sessionHeaders, type World, world } from "../../server/test/world.ts";
import { type Visit, visit } from "./visit.ts";

const running = service({});
const chromium = browser();
// biome-ignore lint/suspicious/noExplicitAny: what tools answer.
type Told = any;
type Use = (name: string, args?: object) => Promise<Told>;

async function assistantOf(place: World): Promise<Use> {
  const client = new Client({ name: "assistant", version: "1.0.0" });
  const requestInit = { headers: { authorization: `Bearer ${await mcpToken(running, place)}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${running.url}/mcp`), { requestInit }));
  return async (name, args = {}) => {
    const { isError, content, structuredContent } = await client.callTool({ name, arguments: { ...args } });
    expect(isError, JSON.stringify(content)).toBeFalsy();
    return structuredContent;
  };
}
async function personOf({ owner }: World): Promise<Visit> {
  const person = await visit(running, chromium);
  await person.page.context().addCookies(
    sessionHeaders(owner.session)
      .cookie.split("; ")
      .map((cookie) => {
        const [name = "", value = ""] = cookie.split("=");
        return { name, value, url: running.url.replace("http:", "https:"), secure: true };
      }),
  );
  return person;
}

/** A Project at work: people, Statuses that are used, bugs, and what was done last week. */
async function workshop() {
  const place = await world(running);
  const { owner, workspaceId } = place;
  const [ada, bob] = [await place.member("member"), await place.member("member")];
  const [eng, ops] = [await newProject(place, { name: "Engine" }), await newProject(place, { name: "Operations" })];
  const label = await clientOf(owner).createWorkspaceLabel({
    workspace_id: workspaceId,
    name: "Bug",
    color: "red",
    purpose: "task",
  });
  const bug = { label_ids: [label.id] };
  const task = (title: string, body: object = {}) => newTask(owner, eng.id, { title, ...body });
  const made = {
    leak: await task("Oil leaks", { ...bug, assignee_actor_id: ada.actorId }),
    squeak: await task("Gears squeak", { ...bug, assignee_actor_id: ada.actorId }),
    paint: await task("Paint the case", { assignee_actor_id: ada.actorId }),
    file: await task("File the teeth"),
    late: await task("Order brass", { due_date: "2026-01-05" }),
    pump: await task("Replace the pump", { description_markdown: "Drain it, swap it, fill it." }),
    twin: await task("Oil is leaking"),
    alarm: await task("Alarm at night"),
  };
  await newMilestone(owner, eng.id, { name: "First turn", target_date: "2027-03-31" });
  await newDocument(place, { title: "How we cut", markdown: "# How we cut\n\nWe cut brass.\n\nAsk Ada." });
  return { place, ada, bob, eng, ops, made };
}

test("an assistant does ten tasks: what is small at once, and everything else once its person has approved it in a browser", async () => {
  const { place, ada, bob, eng, ops, made } = await workshop();
  const use = await assistantOf(place);
  const person = await personOf(place);
  /** Proposed by the assistant, read and approved by the person, and applied by the assistant. */
  async function approved(title: string, changes: object[], seen: string): Promise<Told> {
    const { id, version, digest, state, review_url } = await use("propose_changes", { title, changes });
    expect([title, state]).toEqual([title, "proposed"]);
    await person.open(review_url.slice(running.url.length));
    await person.heading(title);
    await person.page.getByText(seen).first().waitFor();
    await person.press("Approve");
    await person.page.getByText("You have approved it").waitFor();
    const applied = await use("apply_change_set", { id, version, digest });
    expect(applied.state).toBe("applied");
    return applied;
  }
  const now = (task: { code: string }) => taskByCode(place, task.code);
  const nameOf = (member: { userId: string }) => `Person ${member.userId.slice(-4)}`;

  // 1. "Start filing the teeth, and tell the others."
  let { task } = await use("get_task", { code: made.file.code });
  const started = await use("advance_task", { code: task.code, revision: task.revision, step: "start" });
  await use("comment", { code: task.code, markdown: "Started on the first ten teeth." });
  expect([started.status, (await now(made.file)).assignee_actor_id]).toEqual(["In Progress", place.owner.actorId]);

  // 2. "I am done with it; it took two hours."
  const done = await use("advance_task", { code: task.code, revision: started.revision, step: "finish" });
  await use("log_time", { code: task.code, duration: "2h", date: "2027-01-04" });
  const { duration } = await use("my_work", { view: "time", from: "2027-01-01", to: "2027-01-31" });
  expect([done.status, duration]).toEqual(["Done", "PT2H"]);

  // 3. "Close everything done in ENG last week": what is finished there goes out of sight.
  const finished = await use("list_tasks", { project: eng.key, category: ["completed"], save: true });
  expect(finished.items.map(({ code }: Told) => code)).toEqual([made.file.code]);
  const { id, version } = finished.result_set;
  await approved("Close what was done last week", [{ action: "trash", result_set: { id, version } }], "File the teeth");
  expect((await now(made.file)).trashed_at).not.toBeNull();

  // 4. "Move the open bugs of Ada to Bob."
  const bugs = await use("list_tasks", { project: eng.key, labels: ["bug"], assignee: ada.userId, save: true });
  const handed = {
    action: "update",
    result_set: { id: bugs.result_set.id, version: 1 },
    set: { assignee: bob.userId },
  };
  await approved("Hand the bugs of Ada to Bob", [handed], nameOf(bob));
  for (const each of [made.leak, made.squeak]) expect((await now(each)).assignee_actor_id).toBe(bob.actorId);
  expect((await now(made.paint)).assignee_actor_id).toBe(ada.actorId);

  // 5. "What is overdue gets a new date."
  const { items: overdue } = await use("list_tasks", { project: eng.key, due_before: "2026-02-01" });
  const dated = overdue.map(({ code, revision }: Told) => ({
    action: "update",
    code,
    revision,
    set: { due_date: "2027-02-01", priority: "high" },
    reason: "It was due in January 2026.",
  }));
  await approved("New dates", dated, "Order brass");
  expect(await now(made.late)).toMatchObject({ due_date: "2027-02-01", priority: "high" });

  // 6. "Break the pump down into parts."
  ({ task } = await use("get_task", { code: made.pump.code, detail: "full" }));
  const parts = task.description_markdown.replace(".", "").split(", ") as string[];
  const created = parts.map((title) => ({ action: "create", project: eng.key, set: { title, parent: task.code } }));
  await approved("Parts of the pump", created, "swap it");
  expect((await use("get_task", { code: task.code })).related).toHaveLength(3);

  // 7. "These two are the same: say so, and drop the newer one."
  const { items: found } = await use("list_tasks", { project: eng.key, title: "leak" });
  const twin = found.find(({ code }: Told) => code === made.twin.code);
  await approved(
    "One leak is enough",
    [
      { action: "relate", code: made.twin.code, set: { type: "duplicates", to: made.leak.code } },
      { action: "trash", code: twin.code, revision: twin.revision },
    ],
    "Oil is leaking",
  );
  expect((await now(made.twin)).trashed_at).not.toBeNull();

  // 8. "The alarm belongs to Operations."
  ({ task } = await use("get_task", { code: made.alarm.code }));
  const move = { action: "move", code: task.code, revision: task.revision, project: ops.key };
  const moved = await approved("The alarm is theirs", [move], "Operations");
  expect((await now(made.alarm)).project_id).toBe(ops.id);

  // 9. "No, take that back."
  const receipt = await use("get_receipt", { id: moved.command });
  expect([receipt.operation, receipt.can_undo]).toEqual(["applyChangeSet", true]);
  await use("undo", { command: moved.command });
  expect((await now(made.alarm)).project_id).toBe(eng.id);

  // 10. "We use steel now: write that into the Document, and plan the change."
  const { content_revision: revision } = await use("get_document", { path: "how-we-cut" });
  const edits = [{ find: "brass", replace: "steel" }];
  const draft = await use("patch_document", { path: "how-we-cut", revision, edits });
  await approved(
    "Steel",
    [
      { action: "patch", patch: draft.patch, patch_version: draft.version },
      { action: "milestone", project: eng.key, set: { name: "All of steel", target_date: "2027-06-30" } },
      { action: "create", project: eng.key, set: { title: "Order steel", milestone: `${eng.key}-M1`, assignee: "me" } },
    ],
    "Order steel",
  );
  expect((await use("get_document", { path: "how-we-cut" })).markdown).toContain("We cut steel.");
  expect((await use("get_project", { key: eng.key })).milestones).toHaveLength(2);
  expect((await use("my_work")).items.map(({ title }: Told) => title)).toEqual(["Order steel"]);
});
