// Answers from the sources: what they say and where it stands, and who may not ask for them.
import { expect, test } from "vitest";
import { newDocument, say } from "../../test/documents.ts";
import { KEYS, knowing } from "../../test/knowledge.ts";
import { newProject, newTask } from "../../test/work.ts";
import { world } from "../../test/world.ts";

const { running, ask, index, settings, logged } = knowing();

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
