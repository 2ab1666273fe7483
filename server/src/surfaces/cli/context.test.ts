// The context of a Task on the command line: as in the browser, by code.
import { expect, test } from "vitest";
import { newDocument } from "../../../test/documents.ts";
import { newComment, newMilestone, newProject, newTask } from "../../../test/work.ts";
import { service, world } from "../../../test/world.ts";

const running = service();

test("it is what the browser has, without the ids", async () => {
  const home = await world(running);
  const { owner, workspaceId } = home;
  const project = await newProject(home);
  const milestone = await newMilestone(owner, project.id);
  const task = await newTask(owner, project.id, { milestone_id: milestone.id, description_markdown: "Brass." });
  const other = await newTask(owner, project.id);
  await owner.call("POST", `/tasks/${task.id}/relations`, { body: { type: "blocked_by", related_task_id: other.id } });
  await newComment(owner, task.id);
  await owner.call("POST", `/documents/${(await newDocument(home)).id}/links/task/${task.id}`);
  const token = await home.token(["svc:read"]);
  const path = `/cli/tasks/${task.code.toLowerCase()}/context`;
  const { status, body, trips } = await owner.bearer(token, "GET", path);
  expect([status, trips]).toEqual([200, 1]);
  const browser = (await owner.call("GET", `/workspaces/${workspaceId}/tasks/${task.id}/context`)).body;
  const bare = (rows: Record<string, unknown>[]) => rows.map(({ id, ...rest }) => rest);
  expect(body.related).toEqual(bare(browser.related));
  expect([body.documents.length, body.documents]).toEqual([1, bare(browser.documents)]);
  expect(body.comments).toEqual(bare(browser.comments));
  expect([body.project, body.milestone]).toEqual(bare([browser.project, browser.milestone]));
  expect(body.task).toMatchObject({
    code: task.code,
    description_markdown: "Brass.",
    milestone_code: `${project.key}-M1`,
  });
  expect(body).toMatchObject({ profile: "compact", content_trust: "untrusted", truncated: [], inaccessible: false });
  expect((await owner.bearer(token, "GET", `${path}?profile=full`)).body.profile).toBe("full");
});

test("it stays within 16 and 64 KiB of multi-byte text", async () => {
  const home = await world(running);
  const task = await newTask(home.owner, (await newProject(home)).id, { description_markdown: "漢".repeat(100_000) });
  for (let made = 0; made < 11; made++) await newComment(home.owner, task.id, "\u{1f600}".repeat(5_000));
  const token = await home.token(["svc:read"]);
  for (const [profile, most] of [
    ["compact", 16_384],
    ["full", 65_536],
  ] as const) {
    const { text, body } = await home.owner.bearer(token, "GET", `/cli/tasks/${task.code}/context?profile=${profile}`);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(most);
    expect(Buffer.byteLength(text)).toBeGreaterThan(most - 64);
    expect(body.truncated).toEqual(["description", "comments"]);
    expect(body.comments.every(({ truncated }: { truncated: boolean }) => truncated)).toBe(true);
  }
});
