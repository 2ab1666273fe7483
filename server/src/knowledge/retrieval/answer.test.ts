// Answers from the sources: what they say and where it stands, and who may not ask for them.
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { newDocument, say } from "../../../test/documents.ts";
import { KEYS, knowing } from "../../../test/knowledge.ts";
import { letAiIn } from "../../../test/mcp.ts";
import { scriptedModel } from "../../../test/scripted-model.ts";
import { newProject, newTask } from "../../../test/work.ts";
import { type World, world } from "../../../test/world.ts";
import { inWorkspace } from "../../platform/background/jobs.ts";
import { RELEASE_LEFT, settleCredits } from "./credit-store.ts";

const { running, ask, index, settings, logged } = knowing();
const provider = await scriptedModel();
const withModel = knowing(provider.config);
afterAll(() => provider.close());
beforeEach(() => provider.clear());

test("an answer is made of sentences that stand in the sources, or there is none", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const document = await newDocument(home, { title: "Handbook", project_id: project.id });
  await say(running, home, document.id, KEYS);
  const task = await newTask(home.owner, project.id, {
    title: "Rotate",
    description_markdown: "Remember: Whoever is on duty does it.",
  });
  await settings(home, { included_projects: [project.id] });
  await index();
  const { body } = await ask(home, "answer", "When are the signing keys rotated?");
  expect([body.state, body.mode]).toEqual(["answered", "extractive"]);
  expect(body.sentences[0].text).toBe("Keys are rotated on the first Monday of a quarter.");
  const markdown = (await home.owner.call("GET", `/documents/${document.id}/markdown`)).body.markdown;
  for (const { text, sources } of body.sentences)
    for (const { kind, id, start, end } of sources)
      expect(
        (id === task.id
          ? kind === "task_title"
            ? "Rotate"
            : "Remember: Whoever is on duty does it."
          : markdown
        ).slice(start, end),
      ).toBe(text);
  const nothing = await ask(home, "answer", "What is the capital of Australia?");
  expect(nothing.body).toEqual({ state: "not_found", sentences: [], mode: "extractive" });
});

test("a question has 1 to 200 characters, comes from no other site, and stands in no log", async () => {
  const home = await world(running);
  for (const what of ["search", "answer"] as const) {
    expect((await ask(home, what, "x".repeat(200))).status).toBe(200);
    for (const q of ["x".repeat(201), "", "   "]) expect((await ask(home, what, q)).status, `"${q}"`).toBe(400);
  }
  const from = (site: string, what: string) =>
    home.owner.call("GET", `/workspaces/${home.workspaceId}/knowledge/${what}?q=whisper`, {
      headers: { "sec-fetch-site": site },
    });
  for (const site of ["cross-site", "same-site"]) {
    const { status, body } = await from(site, "answer");
    expect([status, body.code], site).toEqual([403, "invalid_csrf_token"]);
    expect((await from(site, "search")).status).toBe(200);
  }
  for (const site of ["same-origin", "none"]) expect((await from(site, "answer")).status).toBe(200);
  expect(logged()).toContain("answerFromKnowledge");
  expect(logged()).not.toMatch(/whisper|xxxx/);
});

describe("with a model", () => {
  const QUESTION = "When are the signing keys rotated?";
  async function handbook() {
    const home = await world(withModel.running);
    const project = await newProject(home, { visibility: "private" });
    const document = await newDocument(home, { title: "Handbook", project_id: project.id });
    await say(withModel.running, home, document.id, KEYS);
    await withModel.settings(home, { included_projects: [project.id] });
    await withModel.index();
    return { home, document, projectId: project.id };
  }
  const answered = async (home: World, person = home.owner) =>
    (await withModel.ask(home, "answer", QUESTION, person)).body;

  test("it writes, each sentence rests on passages that were found, and any other is dropped", async () => {
    const { home, document, projectId } = await handbook();
    await newTask(home.owner, projectId, {
      title: "Keys",
      description_markdown: "Bob is on duty for the signing keys.",
    });
    await withModel.index();
    provider.say({
      text: [
        "Keys are changed every quarter, on its first Monday. [1]\n- Whoever is on duty rotates them [1][2].\nThe " +
          "moon is made of cheese.\n",
        "It is so. [9]\nSee [here](https://evil.example) [1]\nLook at https://evil.example/?q=secret [1]\n",
      ],
    });
    const body = await answered(home);
    expect([body.state, body.mode]).toEqual(["answered", "model"]);
    expect(body.sentences.map(({ text }: { text: string }) => text)).toEqual([
      "Keys are changed every quarter, on its first Monday.",
      "Whoever is on duty rotates them",
    ]);
    expect(body.sentences[0].sources).toMatchObject([{ kind: "document", id: document.id }]);
    expect(JSON.stringify(provider.asked[0]?.body)).toContain("Keys are rotated on the first Monday");
    expect(provider.asked[0]?.body.tools).toBeUndefined();
    provider.say({ text: ["NOT FOUND"] });
    expect(await answered(home)).toEqual({ state: "not_found", sentences: [], mode: "model" });
    expect(withModel.logged()).not.toMatch(/signing keys|changed every quarter/);
  });

  test("nothing goes to it of what the caller does not see, or where the Workspace lets no AI in; where it fails the sources answer", async () => {
    const { home } = await handbook();
    const bob = await home.member("member");
    expect(await answered(home, bob)).toEqual({ state: "not_found", sentences: [], mode: "extractive" });
    await letAiIn(home.owner, home.workspaceId, false);
    expect(await answered(home)).toMatchObject({ state: "answered", mode: "extractive" });
    expect(provider.asked).toEqual([]);
    await letAiIn(home.owner, home.workspaceId, true);
    for (const reply of [{ status: 401 }, { text: ["No."], after: "refusal" as const }]) {
      provider.clear();
      provider.say(reply);
      const body = await answered(home);
      expect([body.mode, body.sentences[0].text]).toEqual([
        "extractive",
        "Keys are rotated on the first Monday of a quarter.",
      ]);
      expect(provider.asked).toHaveLength(1);
    }
  });

  test("a model that hangs is left in time: the sources answer, and the service is not called overloaded", async () => {
    const { home } = await handbook();
    provider.say({ before: new Promise(() => {}) });
    const hung = await withModel.ask(home, "answer", QUESTION);
    expect([hung.status, hung.body.mode, hung.body.state]).toEqual([200, "extractive", "answered"]);
    await expect.poll(() => provider.asked[0]?.aborted).toBe(true);
  });

  test("credits are reserved before and settled once, a balance never goes below nothing, and without any the sources answer", async () => {
    const { home } = await handbook();
    const { workspaceId } = home;
    const owner = withModel.running.asOwner;
    await owner(`create or replace function entitled(workspace uuid,
      entitlement text) returns boolean language sql stable parallel safe
      return entitlement <> 'unlimited_knowledge_credits' or workspace <> '${workspaceId}'`);
    const balance = async () =>
      (
        await owner<{ b: number }>("select balance::int as b from knowledge_credits where workspace_id = $1", [
          workspaceId,
        ])
      )[0]?.b;
    expect((await answered(home)).mode).toBe("extractive");
    await owner("insert into knowledge_credits (workspace_id, balance) values ($1, 5)", [workspaceId]);
    const gate = Promise.withResolvers<void>();
    provider.say({ before: gate.promise, text: ["Each quarter. [1]"] });
    const asking = answered(home);
    await expect.poll(() => provider.asked.length).toBe(1);
    const held = (await balance()) as number;
    expect(held).toBeLessThan(5);
    gate.resolve();
    expect((await asking).mode).toBe("model");
    // 28 tokens are one credit, begun.
    expect(await balance()).toBe(4);
    provider.say({ status: 401 });
    expect((await answered(home)).mode).toBe("extractive");
    expect(await balance()).toBe(4);
    // Many at once: as many as there is room for, and never one more.
    provider.always({ text: ["Each quarter. [1]"] });
    const many = await Promise.all(Array.from({ length: 12 }, () => answered(home)));
    const paid = many.filter(({ mode }) => mode === "model").length;
    expect(await balance()).toBe(4 - paid);
    expect(paid).toBeGreaterThan(0);
    // What a process that died has left is given back, once.
    await owner("update knowledge_credits set balance = 0 where workspace_id = $1", [workspaceId]);
    await owner(
      `insert into knowledge_credit_entries (workspace_id, id, state, reserved, created_at)
        values ($1, gen_random_uuid(), 'reserved', 3, now() - interval '11 minutes')`,
      [workspaceId],
    );
    for (let count = 0; count < 2; count++) await owner(RELEASE_LEFT);
    expect(await balance()).toBe(3);
    const entries = await owner<{ id: string }>(
      "select id from knowledge_credit_entries where workspace_id = $1 and state = 'settled' limit 1",
      [workspaceId],
    );
    await inWorkspace(withModel.running.database.writer, workspaceId, (tx) =>
      settleCredits(tx, entries[0]?.id as string, 1),
    );
    expect(await balance()).toBe(3);
  });
});
