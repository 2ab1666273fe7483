// One call of each that gives a Task labels, a parent, relations, files and followers, or moves it with others, for the
// check that each finds what it touches by an index.
import type { Answer } from "./answer.ts";
import { newAttachment } from "./attachments.ts";
import { commandOf, undo } from "./commands.ts";
import { newProject, newTask } from "./work.ts";
import { newKey, type World } from "./world.ts";

/** What they name is made before, and not by them. */
export async function givenCalls(home: World, projectId: string): Promise<() => Promise<Answer[]>> {
  const { workspaceId, owner } = home;
  const [label] = (await owner.call("GET", `/workspaces/${workspaceId}/label-definitions`)).body.items;
  const task = () => newTask(owner, projectId);
  const [other, whole, one, two] = [await newProject(home), await task(), await task(), await task()];
  const body = {
    title: "Cut the gears",
    label_ids: [label.id],
    parent_id: whole.id,
    relations: [{ type: "blocks", related_task_id: one.id }],
    attachment_ids: [(await newAttachment(owner)).id],
    follower_actor_ids: [owner.actorId],
  };
  return async () => {
    const made = await owner.call("POST", `/projects/${projectId}/tasks`, { body, key: newKey() });
    const { id } = made.body;
    const bulk = (changes: object) =>
      owner.call("POST", `/workspaces/${workspaceId}/tasks/bulk`, { body: { task_ids: [id], changes } });
    const changes = { parent_id: two.id, label_ids: [] };
    const changed = await owner.call("PATCH", `/tasks/${id}`, { body: changes, ifMatch: "1" });
    const undone = await undo(owner, commandOf(changed));
    const moved = await bulk({ project_id: other.id, remove_label_ids: [label.id], assignee_actor_id: owner.actorId });
    const answers = [made, changed, undone, moved, await undo(owner, commandOf(moved))];
    return [...answers, await bulk({ add_label_ids: [label.id] })];
  };
}
