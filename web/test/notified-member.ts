// A Workspace whose owner has three notifications in the inbox: Grace assigned two Tasks to them and commented on one.
import { expect } from "vitest";
import { clientOf } from "../../client/test/client-of.ts";
import { tellEvents } from "../../server/src/history/inbox/fill-inboxes.ts";
import { newComment, newProject, newTask } from "../../server/test/work.ts";
import { type TestService, world } from "../../server/test/world.ts";

export async function notifiedMember(running: TestService) {
  const home = await world(running);
  const project = await newProject(home, { name: "Difference Engine", key: "ENG" });
  const grace = await home.member("member");
  const first = await newTask(grace, project.id, { title: "Cut the gears", assignee_actor_id: home.owner.actorId });
  const second = await newTask(grace, project.id, { title: "Oil the axles", assignee_actor_id: home.owner.actorId });
  await newComment(grace, first.id, "Brass, or **steel**?");
  const inbox = async () => await clientOf(home.owner).listInbox({ workspace_id: home.workspaceId, state: "all" });
  // The worker does this every ten seconds.
  await tellEvents(running.database);
  expect((await inbox()).items.length).toBe(3);
  return { home, project, grace, first, second, inbox };
}
