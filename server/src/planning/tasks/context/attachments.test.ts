// The files of a Task. Who sees them and what becomes of them is tested with attachments themselves.
import { expect, test } from "vitest";
import { attach, newAttachment } from "../../../../test/attachments.ts";
import { newProject, newTask, trashTask } from "../../../../test/work.ts";
import { service, world } from "../../../../test/world.ts";
import { newId } from "../../../platform/wire/ids.ts";

const running = service();

test("a Task lists its files, newest first, and takes none in the trash", async () => {
  const home = await world(running);
  const { owner } = home;
  const task = await newTask(owner, (await newProject(home)).id);
  const files = [await newAttachment(owner), await newAttachment(owner), await newAttachment(owner)];
  for (const { id } of files.slice(0, 2)) expect((await attach(owner, `/tasks/${task.id}`, id)).status).toBe(201);
  const { items } = (await owner.call("GET", `/tasks/${task.id}/attachments`)).body;
  expect(items.map(({ id }: { id: string }) => id)).toEqual([files[1].id, files[0].id]);
  await trashTask(running, home, task.id);
  expect((await attach(owner, `/tasks/${task.id}`, files[2].id)).body.code).toBe("task_trashed");
});

test("what is refused says where it stands: a file that is not there, and one that is infected", async () => {
  const home = await world(running);
  const task = await newTask(home.owner, (await newProject(home)).id);
  const infected = await newAttachment(home.owner);
  await running.sql("update attachments set scan_state = 'infected' where id = $1", [infected.id], home.workspaceId);
  for (const [id, code] of [
    [newId(), "invalid_reference"],
    [infected.id, "attachment_infected"],
  ])
    expect((await attach(home.owner, `/tasks/${task.id}`, id)).body).toMatchObject({
      code,
      errors: [{ pointer: "/body/attachment_id", code }],
    });
});
