// Rich entities of other services that are linked to a Task.
import { expect, test } from "vitest";
import { plantInstallation } from "../../../test/integrations.ts";
import { newProject, newTask } from "../../../test/work.ts";
import { service, world } from "../../../test/world.ts";
import { inWorkspace } from "../../platform/background/jobs.ts";
import { keepEntity } from "./apply/entity-store.ts";

const running = service();
const path = (id: string) => `/tasks/${id}/rich-entities`;

test("is seen by whoever sees the Task, and by nobody else", async () => {
  const home = await world(running);
  const { owner } = home;
  const task = await newTask(owner, (await newProject(home)).id);
  const hidden = await newTask(owner, (await newProject(home, { visibility: "private" })).id);
  const viewer = await home.member("viewer");
  const { id } = await plantInstallation(running, home.workspaceId, owner.actorId);
  const entity = { kind: "commit" as const, title: "Mesh", url: "", state: "pushed" };
  const keep = (taskId: string, title: string, changedAt: string, externalId = "1") =>
    inWorkspace(running.database.writer, home.workspaceId, (tx) =>
      keepEntity(
        tx,
        taskId,
        { installationId: id, resourceId: null, providerKey: "webhook" },
        { ...entity, title, externalId, changedAt },
      ),
    );
  await keep(task.id, "Newer", "2026-11-02T00:00:00Z");
  await keep(hidden.id, "Hidden", "2026-11-02T00:00:00Z");
  expect(await keep(task.id, "Older", "2026-11-01T00:00:00Z"), "what is older replaces nothing").toBeUndefined();
  expect(await keep(task.id, "Newer", "2026-11-03T00:00:00Z"), "what says nothing new changes nothing").toBeUndefined();
  const seen = await viewer.call("GET", path(task.id));
  expect(seen.body.items).toMatchObject([{ title: "Newer", url: null, revision: "1", author_name: null }]);
  expect((await viewer.call("GET", path(hidden.id))).status).toBe(404);
  expect((await owner.call("GET", path(hidden.id))).body.items).toHaveLength(1);
  const { owner: stranger } = await world(running);
  expect((await stranger.call("GET", path(task.id))).status).toBe(404);
  for (let at = 2; at <= 500; at++) await keep(task.id, "More", "2026-11-02T00:00:00Z", String(at));
  expect(await keep(task.id, "One too many", "2026-11-02T00:00:00Z", "501")).toBeUndefined();
  expect(await keep(task.id, "Changed", "2026-11-04T00:00:00Z", "500")).toMatchObject({ made: false });
});
