// A filter in the address finds what the service's own list finds with the same words.
import { expect, test } from "vitest";
import { newTask, workshopOn } from "../../../server/test/work.ts";
import { service } from "../../../server/test/world.ts";
import type { Status, Task } from "../store/rows.ts";
import { filtersIn, passes, written } from "./filters.ts";

const running = service();

test("every filter, plain and negated, shows the Tasks that the service lists", async () => {
  const { owner, home, project, workspaceId } = await workshopOn(running);
  const { actorId } = await home.member("member");
  const label = (await owner.call("POST", `/workspaces/${workspaceId}/label-definitions`, { body: { name: "Bug" } }))
    .body.id;
  const { items: statuses } = (await owner.call("GET", `/projects/${project.id}/statuses?limit=100`)).body as {
    items: Status[];
  };
  const done = statuses.find(({ category }) => category === "completed") as Status;
  for (const body of [
    { title: "Alpha", priority: "high", assignee_actor_id: actorId, label_ids: [label] },
    { title: "Beta gears", priority: "low", status_id: done.id },
    { title: "Gamma GEARS", assignee_actor_id: owner.actorId },
  ])
    await newTask(owner, project.id, body);
  const { items } = (await owner.call("GET", `/projects/${project.id}/tasks?limit=100`)).body as { items: Task[] };
  const statusOf = (id: string) => statuses.find((status) => status.id === id);
  for (const query of [
    ...[
      "priority=high,low",
      "priority=!high",
      "priority=none",
      `assignee_actor_id=${actorId},none`,
      "assignee_actor_id=!none",
    ],
    ...[`label_id=${label}`, "label_id=none", `label_id=!${label}`, "category=completed", `status_id=!${done.id}`],
    ...[
      "text=gears",
      "milestone_id=none",
      "milestone_id=!none",
      `created_by_actor_id=${owner.actorId}`,
      `created_by_actor_id=!${owner.actorId}`,
      `priority=!none&assignee_actor_id=${actorId}`,
    ],
  ]) {
    const listed = (await owner.call("GET", `/projects/${project.id}/tasks?limit=100&${query}`)).body.items as Task[];
    const filters = filtersIn(new URLSearchParams(query));
    const shown = items.filter((task) => passes(task, filters, statusOf));
    expect(shown.map(({ title }) => title).sort(), query).toEqual(listed.map(({ title }) => title).sort());
    for (const [name, filter] of Object.entries(filters))
      expect(new URLSearchParams(query).get(name)).toBe(name === "text" ? filter.values[0] : written(filter));
  }
});
