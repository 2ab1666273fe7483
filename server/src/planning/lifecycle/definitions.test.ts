// Lifecycle definitions and behaviors as everybody reads them.
import { behaviors } from "@svc/contract/planning/lifecycle/behaviors.ts";
import { expect, test } from "vitest";
import { newStep, states, statuses } from "../../../test/steps.ts";
import { newProject } from "../../../test/work.ts";
import { service, type World, world } from "../../../test/world.ts";

const running = service();
const pathOf = ({ workspaceId }: World) => `/workspaces/${workspaceId}/lifecycle-definitions`;
interface Definition {
  kind: string;
  revision: string;
  stages: { name: string; behaviors: Record<string, boolean>; statuses: { id: string; name: string }[] }[];
}
const read = async (home: World, query = ""): Promise<Definition[]> =>
  (await home.owner.call("GET", pathOf(home) + query)).body.items;

test("every behavior is listed with its kinds and its consumer, to everybody who is signed in", async () => {
  const { owner } = await world(running);
  const { status, body } = await owner.call("GET", "/lifecycle-behaviors");
  expect(status).toBe(200);
  expect(body.items.map(({ key }: { key: string }) => key)).toEqual(Object.keys(behaviors));
  expect(body.items.find(({ key }: { key: string }) => key === "awaits_review")).toMatchObject({
    kinds: ["task"],
    consumer: "completion",
  });
  expect((await running.send("GET", "/lifecycle-behaviors")).status).toBe(401);
});

test("a Workspace has one definition for each kind, with its stages and what is bound to them", async () => {
  const home = await world(running);
  const { status, body, trips } = await (await home.member("viewer")).call("GET", pathOf(home));
  expect([status, trips]).toEqual([200, 2]);
  const told = body.items.map(({ kind, stages }: Definition) => [
    kind,
    stages.map(({ name, statuses }) => `${name}: ${statuses.map((bound) => bound.name).join()}`),
  ]);
  expect(told).toEqual([
    [
      "task",
      [
        "Backlog: Backlog",
        "Unstarted: Todo",
        "Started: In Progress",
        "Review: In Review",
        "Completed: Done",
        "Cancelled: Cancelled",
      ],
    ],
    [
      "project",
      ["Backlog: Backlog", "Planned: Planned", "Active: In Progress", "Completed: Completed", "Cancelled: Cancelled"],
    ],
    ["milestone", ["Planned: ", "Active: ", "Completed: ", "Cancelled: "]],
  ]);
  expect((await (await world(running)).owner.call("GET", pathOf(home))).status).toBe(404);
});

test("a stage has all behaviors that apply to its kind and no others", async () => {
  const home = await world(running);
  for (const { kind, stages } of await read(home))
    for (const stage of stages) {
      const applying = Object.entries(behaviors).filter(([, { kinds }]) => (kinds as readonly string[]).includes(kind));
      expect(Object.keys(stage.behaviors).sort()).toEqual(applying.map(([key]) => key).sort());
    }
});

test("a kind is asked for alone", async () => {
  const home = await world(running);
  expect((await read(home, "?kind=milestone")).map(({ kind }) => kind)).toEqual(["milestone"]);
  expect((await home.owner.call("GET", `${pathOf(home)}?kind=document`)).status).toBe(400);
});

test("what is bound is Workspace-wide and not archived, in workflow order; each change of it advances the revision", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const bound = async (kind: string, stage: number) => {
    const [definition] = await read(home, `?kind=${kind}`);
    return [definition?.revision, definition?.stages[stage]?.statuses.map(({ name }) => name)];
  };
  expect(await bound("task", 2)).toEqual(["1", ["In Progress"]]);
  const blocked = await newStep(home, statuses, { name: "Blocked" });
  expect(await bound("task", 2)).toEqual(["2", ["In Progress", "Blocked"]]);
  await newStep(home, statuses, { name: "Own" }, `/projects/${project.id}/statuses`);
  expect(await bound("task", 2)).toEqual(["3", ["In Progress", "Blocked"]]);
  await home.owner.call("POST", `/statuses/${blocked.id}/move`, { body: { after_id: null } });
  expect(await bound("task", 2)).toEqual(["3", ["Blocked", "In Progress"]]);
  await home.owner.call("DELETE", `/statuses/${blocked.id}`);
  expect(await bound("task", 2)).toEqual(["4", ["In Progress"]]);
  expect(await bound("project", 2)).toEqual(["1", ["In Progress"]]);
  await newStep(home, states, { name: "Busy" });
  expect(await bound("project", 2)).toEqual(["2", ["In Progress", "Busy"]]);
});
