// The pictures of the README: small enough to be loaded at once, and named there. `PICTURES=docs/pictures npm test --
// web/test/pictures` takes them anew, of a small Workspace that is made here.

import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { clientOf } from "../../client/test/client-of.ts";
import { tellEvents } from "../../server/src/history/inbox/fill-inboxes.ts";
import { asserted } from "../../server/test/asserts.ts";
import { browser } from "../../server/test/browser.ts";
import { propose } from "../../server/test/changes.ts";
import { newDocument } from "../../server/test/documents.ts";
import { webpOf } from "../../server/test/pictures.ts";
import { newComment, newMilestone, newProject, newTask } from "../../server/test/work.ts";
import { service, world } from "../../server/test/world.ts";
import { type Seat, seat } from "./app.ts";

const running = service({});
const chromium = browser();
const MOST_BYTES = 120_000;
const root = join(import.meta.dirname, "../..");

test("every picture is shown in the README, and none is large", () => {
  const text = readFileSync(join(root, "README.md"), "utf8");
  const shown = [...text.matchAll(/docs\/pictures\/([\w-]+\.webp)/g)].map(([, name]) => name as string);
  const pictures = readdirSync(join(root, "docs/pictures"));
  expect([...new Set(shown)].sort()).toEqual(pictures.sort());
  for (const name of pictures)
    expect(statSync(join(root, "docs/pictures", name)).size, name).toBeLessThanOrEqual(MOST_BYTES);
});

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const DESCRIPTION = `The train of **12 gears** turns the first column. Each tooth is cut by hand, so every gear is measured twice.

- [x] Drawing of the blank
- [x] Brass ordered
- [ ] First gear cut and measured

| Gear | Teeth | Depth |
|---|---|---|
| Drive | 40 | 2.5 mm |
| Carry | 20 | 2.5 mm |

> [!NOTE]
> The drawing in \`gears.dxf\` is the one that counts.`;
const HANDBOOK = `A difference engine adds. Everything else follows from that, and from the order in which its columns turn.

## How a turn works

1. The even columns stand still, and the odd ones are added to them.
2. The carry is swept up, column by column.
3. The odd columns stand still.

| Column | Wheels | Carries |
|---|---|---|
| First | 20 | 19 |
| Second | 20 | 19 |

## Before the crank is turned

- [x] Every wheel is at zero
- [x] The locks are out
- [ ] Somebody watches the carry

> [!WARNING]
> Never turn the crank backwards: the carry levers bend.

\`\`\`
f(x) = x² + x + 41
\`\`\``;

async function workshop() {
  const home = await world(running);
  const [grace, charles] = [await home.member("member"), await home.member("admin")];
  const named = [home.owner, grace, charles].map(({ userId }) => userId);
  await running.sql(
    `update users set display_name = n.name, timezone = 'UTC' from unnest($1::uuid[], $2::text[]) n(id, name)
      where users.id = n.id`,
    [named, ["Ada Lovelace", "Grace Hopper", "Charles Babbage"]],
  );
  await running.sql("update workspaces set name = 'Analytical Engines' where id = $1", [home.workspaceId]);
  const project = await newProject(home, { name: "Difference Engine", key: "ENG", color: "blue" });
  await newProject(home, { name: "Printing press", key: "PRS", color: "green" });
  await newProject(home, { name: "Punched cards", key: "CRD", color: "amber" });
  const { owner } = home;
  const statuses = (await clientOf(owner).listProjectStatuses({ project_id: project.id })).items;
  const milestone = await newMilestone(owner, project.id, { name: "First turn", target_date: day(20) });
  const label = async (name: string, color: "amber" | "blue") =>
    (
      await clientOf(owner).createWorkspaceLabel({
        workspace_id: home.workspaceId,
        name,
        color,
        purpose: "task",
      })
    ).id;
  const [brass, drawing] = [await label("Brass", "amber"), await label("Drawing", "blue")];
  const people = { ada: owner.actorId, grace: grace.actorId, charles: charles.actorId };
  const rows: [title: string, status: string, priority: string, who: keyof typeof people | null, due: number | null][] =
    [
      ["Find a cheaper supplier of brass", "Backlog", "low", null, null],
      ["Write down how the crank is oiled", "Backlog", "none", "charles", null],
      ["Cut the gears of the first column", "In Progress", "urgent", "ada", 2],
      ["Measure every tooth twice", "In Progress", "high", "grace", 4],
      ["Draw the carry mechanism", "In Progress", "medium", "charles", 6],
      ["Order 40 steel pins", "Todo", "high", "grace", 1],
      ["Test the locks of the odd columns", "Todo", "medium", "ada", 9],
      ["Build the frame out of oak", "Todo", "medium", null, 12],
      ["Print the first table of squares", "Todo", "low", "grace", 18],
      ["Agree on the number of digits", "Done", "high", "charles", -3],
      ["Rent the workshop in Dorset Street", "Done", "none", "ada", -8],
    ];
  const tasks = [];
  for (const [at, [title, status, priority, who, due]] of rows.entries())
    tasks.push(
      await newTask(owner, project.id, {
        title,
        priority,
        assignee_actor_id: who && people[who],
        due_date: due === null ? null : day(due),
        status_id: statuses.find(({ name }: { name: string }) => name === status)?.id,
        label_ids: at % 3 === 0 ? [brass] : at % 4 === 0 ? [drawing] : [],
        milestone_id: milestone.id,
        ...(at === 2 && { description_markdown: DESCRIPTION }),
      }),
    );
  const gears = tasks[2];
  await clientOf(owner).createTaskRelation({
    task_id: gears.id,
    type: "blocked_by",
    related_task_id: tasks[5].id,
  });
  await newTask(owner, project.id, { title: "Cut the drive gear", parent_id: gears.id });
  await newComment(grace, gears.id, "The first blank is **ready**. Shall I start with the drive gear?");
  await newComment(charles, gears.id, "Yes, and keep the carry gears for Thursday.");
  for (const at of [6, 0])
    await clientOf(charles).updateTask(
      { task_id: tasks[at].id, assignee_actor_id: owner.actorId, title: rows[at]?.[0] },
      { at: tasks[at] },
    );
  const handbook = await newDocument(home, { title: "Handbook of the engine", markdown: HANDBOOK });
  await newDocument(home, { title: "Turning the crank", markdown: "By hand.", parent_id: handbook.id });
  await newDocument(home, { title: "Minutes", markdown: "What we said." });
  await propose(
    owner,
    home,
    [
      { action: "task.update", task_id: tasks[3].id, revision: tasks[3].revision, set: { priority: "urgent" } },
      { action: "task.create", project_id: project.id, set: { title: "Oil the axles", priority: "high" } },
    ],
    { title: "Make room for the carry", reason: "The carry is late, and everything behind it waits." },
  );
  await tellEvents(running.database);
  return { home, gears, handbook };
}

test.runIf(process.env.PICTURES)("the pictures are taken", async () => {
  const { home, gears, handbook } = await workshop();
  const size = { viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1.5 };
  const ada = await seat(running, chromium, home, home.owner, size);
  const take = async (name: string, colorScheme: "light" | "dark", until: Parameters<Seat["page"]["locator"]>[0]) => {
    await ada.page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await asserted(ada.page.locator(until).first().waitFor());
    await ada.settled();
    await ada.page.waitForLoadState("networkidle");
    writeFileSync(
      join(root, process.env.PICTURES as string, `${name}.webp`),
      await webpOf(await ada.page.screenshot()),
    );
  };
  await ada.goTo("projects/ENG");
  await take("board-light", "light", "article");
  await take("board-dark", "dark", "article");
  await ada.goTo("projects/ENG/list");
  await take("list", "light", "ul [data-task]");
  await ada.goTo(`tasks/${gears.code}`);
  await take("task", "light", "[data-comment]");
  await ada.goTo(`documents/${handbook.id}`);
  await take("document", "dark", '[contenteditable="true"]');
  await ada.goTo("inbox");
  await ada.page.locator("[data-item]", { hasText: gears.code }).click();
  await take("inbox", "light", "[data-comment]");
  await ada.goTo("changes");
  await ada.page.getByRole("link", { name: /Make room/ }).click();
  await take("review", "light", "h1:has-text('Make room')");
});
