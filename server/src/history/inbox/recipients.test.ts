// One event with more recipients than a page holds: everybody who is to be told is told once, whichever category it is,
// and those who muted it are not.
import { expect, test } from "vitest";
import { newComment, newMilestone, newProject, newTask } from "../../../test/work.ts";
import { service, type World, world } from "../../../test/world.ts";
import { RECIPIENTS_PAGE } from "../../planning/tasks/subscriptions/store.ts";
import { tellEvents } from "./fill-inboxes.ts";

const running = service();
const MANY = RECIPIENTS_PAGE + 505;

/** So many members, without the cost of calls. */
async function crowd({ workspaceId }: World): Promise<void> {
  await running.asOwner(
    `with made as (select gen_random_uuid() as user_id, gen_random_uuid() as actor_id, n
     from generate_series(1, $2::int) n),
     people as (insert into users (id, email, display_name, username)
       select user_id, user_id || '@example.com', 'Person ' || n, user_id::text from made returning id),
     acting as (insert into actors (workspace_id, id, kind, user_id) select $1, actor_id, 'human', user_id from made)
     insert into memberships (workspace_id, id, actor_id, user_id, role, state)
     select $1, gen_random_uuid(), actor_id, user_id, 'member', 'active' from made`,
    [workspaceId, MANY],
  );
}
const CROWD = "from memberships m where m.workspace_id = $1 and m.role = 'member'";
const itemsOf = (home: World, category: string) =>
  running.asOwner<{ count: number; people: number }>(
    `select count(*)::int as count, count(distinct actor_id)::int as people from inbox_items
      where workspace_id = $1 and category = $2`,
    [home.workspaceId, category],
  );

test("all followers of a Task are told of a comment, but for those who muted it", async () => {
  const home = await world(running);
  await crowd(home);
  const project = await newProject(home);
  const task = await newTask(home.owner, project.id);
  // Every third one has muted it, so that no page is full of recipients.
  await running.asOwner(
    `insert into task_subscriptions (workspace_id, task_id, actor_id, follows, muted)
     select m.workspace_id, $2, m.actor_id, true, row_number() over (order by m.actor_id) % 3 = 0 ${CROWD}`,
    [home.workspaceId, task.id],
  );
  await tellEvents(running.database);
  await newComment(home.owner, task.id);
  await tellEvents(running.database);
  const heard = MANY - Math.floor(MANY / 3);
  expect(await itemsOf(home, "commented")).toEqual([{ count: heard, people: heard }]);
});

test("all members of a Project are told of a Milestone", async () => {
  const home = await world(running);
  await crowd(home);
  const project = await newProject(home);
  await running.asOwner(
    `insert into project_members (workspace_id, project_id, actor_id, role)
      select m.workspace_id, $2, m.actor_id, 'lead' ${CROWD}`,
    [home.workspaceId, project.id],
  );
  await tellEvents(running.database);
  await newMilestone(home.owner, project.id);
  await tellEvents(running.database);
  expect(await itemsOf(home, "project_updates")).toEqual([{ count: MANY, people: MANY }]);
});

test("everybody whom a comment mentions is told that, and not that there is a comment", async () => {
  const home = await world(running);
  await crowd(home);
  const project = await newProject(home);
  const task = await newTask(home.owner, project.id);
  await running.asOwner(
    `insert into task_subscriptions (workspace_id, task_id, actor_id, follows, muted)
      select m.workspace_id, $2, m.actor_id, true, false ${CROWD}`,
    [home.workspaceId, task.id],
  );
  const named = await running.asOwner<{ username: string }>(
    `select u.username from (select m.user_id ${CROWD} order by m.actor_id desc limit 20) m
      join users u on u.id = m.user_id`,
    [home.workspaceId],
  );
  await tellEvents(running.database);
  await newComment(home.owner, task.id, named.map(({ username }) => `@${username}`).join(" "));
  await tellEvents(running.database);
  expect(await itemsOf(home, "mentioned")).toEqual([{ count: 20, people: 20 }]);
  expect(await itemsOf(home, "commented")).toEqual([{ count: MANY - 20, people: MANY - 20 }]);
});
