// What is brought of a Project, and what is read anew after changes that cannot be told.
import { expect, test } from "vitest";
import { together } from "../store/domain.ts";
import type { Replica } from "../store/replica.ts";
import { Store } from "../store/store.ts";
import { heldProjects, isHere, loadedFact, loadProject, reloadProjects } from "./load.ts";

/** A replica whose boards are answered when the test says so. */
function opened() {
  const store = new Store(together([]));
  const asked: string[] = [];
  const answers = new Map<string, () => void>();
  const none = async () => ({ items: [] });
  const api = {
    getProjectBoard: ({ project_id }: { project_id: string }) => {
      asked.push(project_id);
      return new Promise((answer) => answers.set(project_id, () => answer({ columns: [] })));
    },
    listMilestones: none,
    async *listProjectLabels() {},
  };
  const replica = {
    api,
    store,
    take: store.accept.bind(store),
    setFact: store.setFact.bind(store),
  } as unknown as Replica;
  return { replica, asked, answer: (id: string) => answers.get(id)?.() };
}

test("a Project counts as held from when it is asked for, and is here once something of it is answered", async () => {
  const { replica, answer } = opened();
  const loading = loadProject(replica, "p");
  expect([heldProjects(replica), isHere(replica, "p")]).toEqual([["p"], false]);
  answer("p");
  await loading;
  expect([isHere(replica, "p"), replica.store.fact(loadedFact("p"))]).toEqual([true, "all"]);
});

test("what was being read when changes could not be told is read once more, and others do not keep the open one waiting", async () => {
  const { replica, asked, answer } = opened();
  const other = loadProject(replica, "other");
  const open = loadProject(replica, "open");
  const anew = reloadProjects(replica, heldProjects(replica), "open");
  answer("open");
  await open;
  await expect.poll(() => asked).toEqual(["other", "open", "open"]);
  answer("open");
  await anew;
  expect(replica.store.fact(loadedFact("open"))).toBe("all");
  answer("other");
  await other;
  // It is read anew when it is opened.
  await expect.poll(() => replica.store.fact(loadedFact("other"))).toBe("part");
});
