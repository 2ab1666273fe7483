// Documents that Agents write: each is an action, shown whole or as how it differs, and bound to that. What was not
// approved is not there, and what was can be taken back.
import { afterAll, beforeEach, expect, test } from "vitest";
import { curatedIds, custom, decide, enabled, ofRun, ran, settled, start } from "../../../test/agent-runs.ts";
import { eventually } from "../../../test/eventually.ts";
import { scriptedModel } from "../../../test/scripted-model.ts";
import { joinProject, newProject, newTask } from "../../../test/work.ts";
import { newKey, type Person, service, world } from "../../../test/world.ts";

const provider = await scriptedModel();
const running = service({ roles: ["api", "worker", "realtime"], ...provider.config });
afterAll(() => provider.close());
beforeEach(() => provider.clear());

const WRITES = { tools: ["find", "get_task", "get_document", "create_document", "patch_document", "propose_changes"] };
async function at() {
  const home = await world(running);
  const [ada, bob] = [home.owner, await home.member("member")];
  const project = await newProject(home);
  const documents = `/workspaces/${home.workspaceId}/documents`;
  return {
    home,
    ada,
    bob,
    project,
    /** Made by Ada. */
    async written(body: object) {
      const made = await ada.call("POST", documents, { body: { project_id: project.id, ...body }, key: newKey() });
      expect(made.status, made.text).toBe(201);
      return made.body;
    },
    listed: async (projectId = project.id) =>
      (await ada.call("GET", `${documents}?project_id=${projectId}`)).body.items as Record<string, unknown>[],
    says: async ({ id }: { id: string }) => (await ada.call("GET", `/documents/${id}/markdown`)).body,
    /** What the model does in its first round; then it has said all. */
    calls(...calls: { name: string; args: object }[]) {
      provider.say({ calls }, { text: ["Written."] });
    },
  };
}
const done = (person: Person, home: { workspaceId: string }, agent: object, run: { id: string }) =>
  eventually(async () => {
    const [action] = await ofRun(person, home, agent, run, "actions");
    expect(action.state).toBe("done");
    return action;
  });
const undo = (person: Person, home: { workspaceId: string }, id: string) =>
  person.call("POST", `/workspaces/${home.workspaceId}/operation-receipts/undo`, { body: { id } });

test("release notes become a Document in the Project when their initiator has approved exactly them, under the Agent's name, and can be taken back", async () => {
  const { home, ada, bob, project, calls, listed, says } = await at();
  const agent = await enabled(ada, home, curatedIds.releaseNotes);
  const notes = { project: project.key, title: "Release notes (draft)", markdown: "- You can cut gears" };
  calls({ name: "create_document", args: notes });
  const run = await ran(bob, home, agent);
  expect(run.state).toBe("waiting");
  const [action] = await ofRun(bob, home, agent, run, "actions");
  expect(action).toMatchObject({
    kind: "create_document",
    target: project.key,
    state: "waiting",
    preview: "title: Release notes (draft)\nmarkdown: - You can cut gears",
  });
  expect(await listed()).toEqual([]);
  expect((await decide(bob, home, agent, action, "approve", "0".repeat(64))).body.code).toBe("digest_mismatch");
  expect((await decide(ada, home, agent, action)).status).toBe(404);
  expect((await decide(bob, home, agent, action)).status).toBe(200);
  const { receipt_id } = await done(bob, home, agent, run);
  const [document] = await listed();
  expect(document).toMatchObject({
    title: "Release notes (draft)",
    parent_id: null,
    published_at: null,
    public_id: null,
    created_by_actor_id: agent.actor_id,
  });
  expect((await says(document as { id: string })).markdown).toBe("- You can cut gears");
  expect(await ofRun(bob, home, agent, run, "outputs")).toMatchObject([{ kind: "text", text: "Written." }]);
  const { items } = (await ada.call("GET", `/workspaces/${home.workspaceId}/activity`)).body;
  const told = items.find((item: { provenance: { source: string } }) => item.provenance.source === "agent");
  expect(told.provenance).toMatchObject({ actor_id: agent.actor_id, client: `Person ${bob.userId.slice(-4)}` });
  // Only who it was done for takes it back.
  expect((await undo(ada, home, receipt_id)).body.code).toBe("not_found");
  const undone = await undo(bob, home, receipt_id);
  expect([undone.status, undone.body.state], undone.text).toEqual([200, "committed"]);
  expect(await listed()).toEqual([]);
});

test("a Document that is there is changed as it was shown, and nothing else of it; one that has moved on is left alone", async () => {
  const { home, ada, bob, project, calls, says, written } = await at();
  const agent = await custom(ada, home, { ...WRITES, budgets: { changes_at_once: 5 } });
  const document = await written({ title: "Notes", markdown: "# Notes\n\nGears are of brass.\n\nAsk Ada." });
  const edit = (revision: string, replace = "steel") => ({
    name: "patch_document",
    args: { path: document.path, revision, edits: [{ find: "brass", replace }] },
  });
  calls(edit("1"));
  const run = await ran(bob, home, agent);
  // Whatever it may do at once, what others wrote is not changed without asking.
  const [action] = await ofRun(bob, home, agent, run, "actions");
  expect(action).toMatchObject({ kind: "patch_document", target: document.path, state: "waiting" });
  expect(action.preview).toContain("-Gears are of brass.\n+Gears are of steel.");
  expect(action.preview).not.toContain("+Ask Ada.");
  expect((await says(document)).content_revision).toBe("1");
  expect((await decide(bob, home, agent, action)).status).toBe(200);
  const { receipt_id } = await done(bob, home, agent, run);
  expect(await says(document)).toEqual({
    markdown: "# Notes\n\nGears are of steel.\n\nAsk Ada.",
    content_revision: "2",
  });
  expect((await undo(bob, home, receipt_id)).status).toBe(200);
  expect((await says(document)).markdown).toContain("brass");

  // Somebody has written in it between the draft and the approval.
  calls(edit("3", "iron"));
  const late = await ran(bob, home, agent);
  const [waiting] = await ofRun(bob, home, agent, late, "actions");
  await ada.call("PUT", `/documents/${document.id}/markdown`, { body: { markdown: "Other words." }, ifMatch: "3" });
  expect((await decide(bob, home, agent, waiting)).status).toBe(200);
  await settled(bob, home, agent, late.id, ["queued", "running", "waiting"]);
  expect(await ofRun(bob, home, agent, late, "actions")).toMatchObject([
    { state: "refused", refusal: expect.stringContaining("revision_conflict"), receipt_id: null },
  ]);
  expect((await says(document)).markdown).toBe("Other words.");
  // Read too long ago: it is told so, and nothing waits.
  calls(edit("1"));
  const stale = await ran(bob, home, agent);
  expect([stale.state, await ofRun(bob, home, agent, stale, "actions")]).toEqual(["completed", []]);
  expect(JSON.stringify(provider.asked.at(-1)?.body.messages)).toContain("read it again");
  expect(project.key).not.toBe("");
});

test("an edit whose Document has changed elsewhere before the approval is proposed again on what it says now", async () => {
  const { home, ada, bob, calls, says, written } = await at();
  const agent = await custom(ada, home, WRITES);
  const document = await written({ title: "Notes", markdown: "Gears are of brass.\n\nAsk Ada." });
  const edits = [{ find: "brass", replace: "steel" }];
  calls({ name: "patch_document", args: { path: document.path, revision: "1", edits } });
  const run = await ran(bob, home, agent);
  const [first] = await ofRun(bob, home, agent, run, "actions");
  const body = { markdown: "Gears are of brass.\n\nAsk Grace." };
  expect((await ada.call("PUT", `/documents/${document.id}/markdown`, { body, ifMatch: "1" })).status).toBe(200);
  expect((await decide(bob, home, agent, first)).status).toBe(200);
  expect((await settled(bob, home, agent, run.id)).state).toBe("waiting");
  const [refused, again] = await ofRun(bob, home, agent, run, "actions");
  expect(refused).toMatchObject({ state: "refused", refusal: expect.stringContaining("proposed again") });
  expect(again).toMatchObject({ kind: "patch_document", target: document.path, state: "waiting" });
  expect(again.preview).toContain("content_revision: 1 → 2");
  expect(again.preview).toContain("+Gears are of steel.");
  expect((await decide(bob, home, agent, again)).status).toBe(200);
  expect((await settled(bob, home, agent, run.id)).state).toBe("completed");
  expect((await says(document)).markdown).toBe("Gears are of steel.\n\nAsk Grace.");
});

test("a new Document is made at once where the budget has it, within the audience of what was read, and never below another one", async () => {
  const { home, ada, project, calls, listed, written } = await at();
  const agent = await custom(ada, home, { ...WRITES, budgets: { changes_at_once: 5 } });
  const make = (more: object = {}) => ({
    name: "create_document",
    args: { project: project.key, title: "Draft", markdown: "Words", ...more },
  });
  calls(make());
  const run = await ran(ada, home, agent);
  expect(await ofRun(ada, home, agent, run, "actions")).toMatchObject([{ state: "done", approval: null }]);
  expect(await listed()).toHaveLength(1);
  const parent = await written({ title: "Handbook", markdown: "Read me." });
  calls(make({ below: parent.path }));
  const [below] = await ofRun(ada, home, agent, await ran(ada, home, agent), "actions");
  expect(below).toMatchObject({ state: "waiting", preview: expect.stringContaining(`below: ${parent.path}`) });
  // What it read may be from a Project that fewer people see.
  const hidden = await newProject(home, { visibility: "private" });
  const secret = await newTask(ada, hidden.id, { title: "Secret plan" });
  provider.say(
    { calls: [{ name: "get_task", args: { code: secret.code } }] },
    { calls: [make({ title: "Leak" })] },
    { text: ["Written."] },
  );
  const wide = await ran(ada, home, agent);
  expect(await ofRun(ada, home, agent, wide, "actions")).toMatchObject([{ state: "waiting", target: project.key }]);
  // A dry run plans both, and drafts what nobody will be asked about.
  calls(make({ title: "Dry" }), {
    name: "patch_document",
    args: { path: parent.path, revision: "1", edits: [{ find: "me", replace: "it" }] },
  });
  const dry = await ran(ada, home, agent, { dry_run: true });
  expect(await ofRun(ada, home, agent, dry, "actions")).toMatchObject([{ state: "planned" }, { state: "planned" }]);
  expect((await listed()).map(({ title }) => title).sort()).toEqual(["Draft", "Handbook"]);
});

test("it writes where its initiator may and no further: not outside of Projects, not in those that they only read, not below another Project's", async () => {
  const { home, ada, bob, project, calls, listed, written } = await at();
  const agent = await custom(ada, home, { ...WRITES, budgets: { changes_at_once: 5 } });
  const hidden = await newProject(home, { visibility: "private" });
  await joinProject(home, hidden.id, bob, "viewer");
  const [outside, elsewhere] = [
    await written({ title: "Of all", markdown: "Words", project_id: null }),
    await written({ title: "Theirs", markdown: "Words", project_id: hidden.id }),
  ];
  const edit = (path: string) => ({
    name: "patch_document",
    args: { path, revision: "1", edits: [{ find: "Words", replace: "Other words" }] },
  });
  const make = (more: object) => ({ name: "create_document", args: { title: "New", markdown: "Words", ...more } });
  calls(edit(outside.path), edit(elsewhere.path), make({ project: hidden.key }));
  const run = await ran(bob, home, agent);
  const [only, ...others] = await ofRun(bob, home, agent, run, "actions");
  // Of what it cannot read there is nothing to decide; what it wants to make there is refused when it is made.
  expect([only.kind, only.state, others]).toEqual(["create_document", "waiting", []]);
  expect((await decide(bob, home, agent, only)).status).toBe(200);
  await settled(bob, home, agent, run.id, ["queued", "running", "waiting"]);
  expect(await ofRun(bob, home, agent, run, "actions")).toMatchObject([{ state: "refused", receipt_id: null }]);
  expect((await listed(hidden.id)).map(({ title }) => title)).toEqual(["Theirs"]);
  // Of those that it may write in, one is no place below a Document of the other.
  const theirs = await newProject(home);
  const top = await written({ title: "Top", markdown: "Words", project_id: theirs.id });
  calls(make({ project: project.key, below: top.path }));
  const mixed = await ran(bob, home, agent);
  const [action] = await ofRun(bob, home, agent, mixed, "actions");
  await decide(bob, home, agent, action);
  await settled(bob, home, agent, mixed.id, ["queued", "running", "waiting"]);
  const [refused] = await ofRun(bob, home, agent, mixed, "actions");
  expect(refused).toMatchObject({ state: "refused", refusal: expect.stringContaining("of that Project") });
  // Nobody else's draft is written: propose_changes has no patches for Agents.
  calls({
    name: "propose_changes",
    args: { title: "It", changes: [{ action: "patch", patch: agent.id, patch_version: 1 }] },
  });
  const begun = await start(bob, home, agent);
  expect((await settled(bob, home, agent, begun.body.id)).state).toBe("completed");
  expect(await ofRun(bob, home, agent, begun.body, "actions")).toEqual([]);
});
