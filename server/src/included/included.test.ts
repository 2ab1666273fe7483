// What a read brings along: each thing once, as the reader may see it, for every credential that may read the row, in the same round-trip.
import { describe, expect, test } from "vitest";
import { newMilestone, newProject, newTask } from "../../test/work.ts";
import { service, world } from "../../test/world.ts";

const running = service();

describe("a list of Tasks", () => {
  test("brings Statuses, people, labels, Projects, Milestones and parents along, each once, in one round-trip", async () => {
    const home = await world(running);
    const { owner, workspaceId } = home;
    const member = await home.member("member");
    const project = await newProject(home);
    const milestone = await newMilestone(owner, project.id);
    const label = await owner.call("POST", `/projects/${project.id}/label-definitions`, { body: { name: "Brass" } });
    const parent = await newTask(owner, project.id, { title: "Whole" });
    const child = await newTask(owner, project.id, {
      title: "Part",
      assignee_actor_id: member.actorId,
      milestone_id: milestone.id,
    });
    await owner.call("PUT", `/task/${child.id}/labels`, { body: { label_ids: [label.body.id] }, ifMatch: "1" });
    await owner.call("POST", `/tasks/${child.id}/relations`, {
      body: { type: "child_of", related_task_id: parent.id },
    });
    const names = "status,assignee,people,labels,project,milestone,parent";
    for (const path of [`/workspaces/${workspaceId}/tasks`, `/projects/${project.id}/tasks`]) {
      const answer = await owner.call("GET", `${path}?include=${names}`);
      expect([answer.status, answer.trips], answer.text).toEqual([200, 1]);
      const { items, included } = answer.body;
      const row = items.find(({ id }: { id: string }) => id === child.id);
      expect(row.parent_id).toBe(parent.id);
      expect(Object.keys(included).sort()).toEqual(["actors", "labels", "milestones", "projects", "statuses", "tasks"]);
      expect(included.statuses[row.status_id]).toMatchObject({ id: row.status_id, category: "unstarted" });
      expect(Object.keys(included.actors).sort()).toEqual([owner.actorId, member.actorId].sort());
      expect(included.actors[member.actorId]).toMatchObject({ kind: "human", picture_url: null });
      expect(included.labels[label.body.id]).toMatchObject({ name: "Brass", overrides: [] });
      expect(included.projects).toEqual({ [project.id]: expect.objectContaining({ key: project.key }) });
      expect(included.milestones[milestone.id].name).toBe(milestone.name);
      expect(included.tasks).toEqual({ [parent.id]: expect.objectContaining({ title: "Whole", code: parent.code }) });
    }
  });

  test("brings nothing along unasked, and a name that it does not know is refused with a pointer", async () => {
    const home = await world(running);
    await newTask(home.owner, (await newProject(home)).id);
    const path = `/workspaces/${home.workspaceId}/tasks`;
    expect((await home.owner.call("GET", path)).body).not.toHaveProperty("included");
    for (const wrong of ["everything", "status,", "", "status%20,people"]) {
      const { status, body } = await home.owner.call("GET", `${path}?include=${wrong}`);
      expect([status, body.errors[0].pointer], wrong).toEqual([400, "/query/include"]);
    }
  });

  test("holds what the page shows and not what comes next, and a cursor goes on with another include", async () => {
    const home = await world(running);
    const [one, two] = [await newProject(home), await newProject(home)];
    await newTask(home.owner, one.id);
    await newTask(home.owner, two.id);
    const path = `/workspaces/${home.workspaceId}/tasks`;
    const first = await home.owner.call("GET", `${path}?limit=1&include=project`);
    expect(Object.keys(first.body.included.projects)).toEqual([two.id]);
    const second = await home.owner.call("GET", `${path}?limit=1&include=status&cursor=${first.body.next_cursor}`);
    expect([second.body.items[0].project_id, Object.keys(second.body.included)]).toEqual([one.id, ["statuses"]]);
    const none = await home.owner.call("GET", `${path}?text=nothing&include=project`);
    expect([none.body.items, none.body.included]).toEqual([[], {}]);
  });

  test("shows no parent that the reader does not see, neither its id nor its title", async () => {
    const home = await world(running);
    const [hidden, open] = [await newProject(home, { visibility: "private" }), await newProject(home)];
    const [parent, child] = [await newTask(home.owner, hidden.id), await newTask(home.owner, open.id)];
    await home.owner.call("POST", `/tasks/${child.id}/relations`, {
      body: { type: "child_of", related_task_id: parent.id },
    });
    const member = await home.member("member");
    const path = `/projects/${open.id}/tasks?include=parent,counts`;
    const seen = await member.call("GET", path);
    expect([seen.body.items[0].parent_id, seen.body.included.tasks]).toEqual([null, {}]);
    expect((await home.owner.call("GET", path)).body.items[0].parent_id).toBe(parent.id);
    const alone = await member.call("GET", `/tasks/${child.id}?include=parent`);
    expect([alone.body.parent_id, alone.body.included.tasks]).toEqual([null, {}]);
  });
});
