// A filter in the address finds what the service's own list finds with the same words.
import { expect, test } from "vitest";
import { newTask, workshopOn } from "../../../../server/test/work.ts";
import { service } from "../../../../server/test/world.ts";
import type { Status, Task } from "../../store/rows.ts";
import { plusDays, today } from "../../ui/formats/dates.ts";
import { filtersIn, passes, written } from "./filters.ts";

const running = service();
const titlesOf = (tasks: readonly Task[]) => tasks.map(({ title }) => title).sort();

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
    const shown = items.filter((task) => passes(task, filters, { statusOf, today: today("UTC") }));
    expect(titlesOf(shown), query).toEqual(titlesOf(listed));
    for (const [name, filter] of Object.entries(filters))
      expect(new URLSearchParams(query).get(name)).toBe(name === "text" ? filter.values[0] : written(filter));
  }
});

test("due dates, each word and several, plain and negated, in the calendar of whoever looks", async () => {
  const { owner, project, home } = await workshopOn(running);
  const { items: statuses } = (await owner.call("GET", `/projects/${project.id}/statuses?limit=100`)).body as {
    items: Status[];
  };
  const statusOf = (id: string) => statuses.find((status) => status.id === id);
  const days = [-30, -2, -1, 0, 1, 5, 6, 7, 8];
  for (const away of days)
    await newTask(owner, project.id, { title: String(away), due_date: plusDays(today("UTC"), away) });
  await newTask(owner, project.id, { title: "never" });
  for (const { id, category } of statuses)
    await newTask(owner, project.id, { title: category, status_id: id, due_date: plusDays(today("UTC"), -9) });
  const { items } = (await owner.call("GET", `/projects/${project.id}/tasks?limit=100`)).body as { items: Task[] };
  const words = ["overdue", "today", "week", "none", "overdue,today", "today,week", "overdue,week,none"];
  const asked = [...words, ...words.map((word) => `!${word}`)].map((word) => `due=${word}`);
  // At any moment it is tomorrow in the first, or yesterday in the second, or both.
  for (const zone of ["Pacific/Kiritimati", "Pacific/Pago_Pago", "UTC"]) {
    const member = await home.member("member");
    await running.sql("update users set timezone = $2 where id = $1", [member.userId, zone]);
    const first = days.find((away) => plusDays(today("UTC"), away) === today(zone)) ?? Number.NaN;
    for (const query of [...asked, "due=overdue&category=!started"]) {
      const listed = (await member.call("GET", `/projects/${project.id}/tasks?limit=100&${query}`)).body
        .items as Task[];
      const filters = filtersIn(new URLSearchParams(query));
      const shown = items.filter((task) => passes(task, filters, { statusOf, today: today(zone) }));
      expect(titlesOf(shown), `${zone} ${query}`).toEqual(titlesOf(listed));
      if (query === "due=week")
        expect(titlesOf(shown)).toEqual(
          days
            .filter((away) => away >= first && away <= first + 6)
            .map(String)
            .sort(),
        );
      if (query === "due=overdue")
        for (const over of ["completed", "cancelled"]) expect(titlesOf(shown)).not.toContain(over);
    }
  }
});
