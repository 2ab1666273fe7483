// A first visit: what its address names is asked for while the scripts that show it are on their way, and is taken for
// nothing that it is not.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { asserted } from "../../server/test/asserts.ts";
import { browser } from "../../server/test/browser.ts";
import { joinWorkspace, newProject, newTask, sessionIn } from "../../server/test/work.ts";
import { service, type World, world } from "../../server/test/world.ts";
import { seat } from "./app.ts";

const running = service({});
const chromium = browser();

async function withBoard(home: World, title: string) {
  const project = await newProject(home, { name: "Difference Engine", key: "ENG" });
  await newTask(home.owner, project.id, { title });
  return project;
}
/** Path and query of all that is asked of the service, in order. */
function askedOn(page: Page): string[] {
  const asked: string[] = [];
  page.on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.startsWith("/api/v1/")) asked.push(pathname.slice("/api/v1".length) + search);
  });
  return asked;
}
/** Holds back what is asked for at these addresses; answers with what lets it go. */
async function held(page: Page, pattern: RegExp): Promise<() => void> {
  let open = () => {};
  const opened = new Promise<void>((go) => {
    open = go;
  });
  await page.route(pattern, async (route) => {
    await opened;
    await route.continue();
  });
  return open;
}

test("its Tasks are asked for while the scripts that show them are on their way, and nothing twice", async () => {
  const home = await world(running);
  const project = await withBoard(home, "Cut the gears");
  const ada = await seat(running, chromium, home);
  const asked = askedOn(ada.page);
  const letScripts = await held(ada.page, /\/assets\/(?:pages|app)-/);
  const going = ada.goTo("projects/ENG");
  const wanted = [
    "/me",
    "/workspaces?limit=100",
    "/realtime/baseline",
    `/workspaces/${home.workspaceId}/projects?hidden=true&limit=100`,
    `/workspaces/${home.workspaceId}/projects?archived=true&limit=100`,
    `/projects/${project.id}/board?limit=20&include=counts`,
  ];
  await expect.poll(() => asked).toEqual(wanted);
  letScripts();
  await going;
  await ada.page.getByText("Cut the gears").waitFor();
  await ada.settled();
  expect(asked.filter((path) => wanted.includes(path))).toEqual(wanted);
});

test("what there is is asked for once it is known where it stands, so that no change is missed in between", async () => {
  const home = await world(running);
  await withBoard(home, "Cut the gears");
  const ada = await seat(running, chromium, home);
  const asked = askedOn(ada.page);
  const letBaseline = await held(ada.page, /\/realtime\/baseline$/);
  const answered = ada.page.waitForResponse(/\/workspaces\?limit=100$/);
  await ada.goTo("projects/ENG");
  await (await answered).finished();
  await ada.page.getByRole("navigation", { name: "Navigation" }).waitFor();
  expect(asked.filter((path) => /\/projects/.test(path))).toEqual([]);
  letBaseline();
  await ada.page.getByText("Cut the gears").waitFor();
  await ada.settled();
});

test("a Workspace that the session is not in is moved to first, and its changes are followed from there", async () => {
  const [home, other] = [await world(running), await world(running)];
  const project = await withBoard(home, "Cut the gears");
  await joinWorkspace(running, home.workspaceId, other.owner.userId);
  const session = await sessionIn(running, other.workspaceId, other.owner.userId);
  const bob = await seat(running, chromium, home, { ...other.owner, session: session.session });
  const asked = askedOn(bob.page);
  await bob.goTo("projects/ENG");
  await bob.page.getByText("Cut the gears").waitFor();
  await bob.settled();
  const moved = asked.indexOf("/auth/session/workspace");
  expect(moved).toBeGreaterThan(0);
  expect(asked.lastIndexOf("/realtime/baseline")).toBeGreaterThan(moved);
  expect(asked.slice(0, moved).filter((path) => /\/projects/.test(path))).toEqual([]);
  await newTask(home.owner, project.id, { title: "Oil the crank" });
  await bob.page.getByText("Oil the crank").waitFor();
});

test("what the service could not answer ahead is asked for again", async () => {
  const home = await world(running);
  await withBoard(home, "Cut the gears");
  const ada = await seat(running, chromium, home);
  const asked = askedOn(ada.page);
  const refused = new Set<string>();
  await ada.page.route(/\/api\/v1\/(?:me|workspaces\?|realtime\/baseline$|projects\/[^/]+\/board)/, async (route) => {
    const path = new URL(route.request().url()).pathname;
    if (refused.has(path)) return route.continue();
    refused.add(path);
    return route.fulfill({ status: 503, contentType: "application/problem+json", body: '{"code":"overloaded"}' });
  });
  await ada.goTo("projects/ENG");
  await ada.page.getByText("Cut the gears").waitFor();
  await ada.settled();
  expect(asked.filter((path) => path === "/me").length).toBeGreaterThan(1);
});

test("a change between the answer and the page that takes it is shown", async () => {
  const home = await world(running);
  const project = await withBoard(home, "Cut the gears");
  const ada = await seat(running, chromium, home);
  const letScripts = await held(ada.page, /\/assets\/(?:pages|app)-/);
  const answered = ada.page.waitForResponse(/\/board\?/);
  const going = ada.goTo("projects/ENG");
  await (await answered).finished();
  await newTask(home.owner, project.id, { title: "Oil the crank" });
  letScripts();
  await going;
  await ada.page.getByText("Cut the gears").waitFor();
  await asserted(ada.page.getByText("Oil the crank").waitFor());
});

test("a page whose own script is late shows what was answered before it", async () => {
  const home = await world(running);
  const project = await newProject(home, { name: "Difference Engine", key: "ENG" });
  const [start_date, due_date] = ["2030-01-07", "2030-01-09"];
  await newTask(home.owner, project.id, { title: "Cut the gears", start_date, due_date });
  const ada = await seat(running, chromium, home);
  const letPage = await held(ada.page, /\/assets\/timeline-/);
  // Nothing is told: what is shown was read.
  await ada.page.routeWebSocket(/./, () => {});
  const followed = ada.page.waitForResponse(/\/realtime\/baseline\?scope=discuss/);
  const going = ada.goTo("projects/ENG/timeline");
  // By then the Workspace is opened, and its changes are followed.
  await (await followed).finished();
  letPage();
  await going;
  await asserted(ada.page.locator("[data-bar=ENG-1]").waitFor({ state: "attached" }));
});

test("a change while a Project's first answer is on its way is shown", async () => {
  const home = await world(running);
  const project = await withBoard(home, "Cut the gears");
  const ada = await seat(running, chromium, home);
  await ada.goTo("");
  await ada.settled();
  let [answer, arrive] = [() => {}, () => {}];
  const answered = new Promise<void>((go) => {
    answer = go;
  });
  const arrived = new Promise<void>((go) => {
    arrive = go;
  });
  await ada.page.route(/\/board\?/, async (route) => {
    const response = await route.fetch();
    answer();
    await arrived;
    await route.fulfill({ response });
  });
  await ada.page.getByRole("link", { name: "Difference Engine" }).first().click();
  await answered;
  // Read by whoever is told of it.
  const told = ada.page.waitForResponse(/\/api\/v1\/tasks\/[^/]+(?:\?|$)/);
  await newTask(home.owner, project.id, { title: "Oil the crank" });
  await told;
  arrive();
  await ada.page.getByText("Cut the gears").waitFor();
  await asserted(ada.page.getByText("Oil the crank").waitFor());
});

test("whoever has no session is asked to sign in, and nothing of a Workspace is asked for", async () => {
  const home = await world(running);
  const nobody = await seat(running, chromium, home);
  await nobody.page.context().clearCookies();
  const asked = askedOn(nobody.page);
  await nobody.goTo("projects/ENG");
  await nobody.page.getByLabel("Password", { exact: true }).waitFor();
  expect(asked.filter((path) => !path.startsWith("/auth/"))).toEqual([]);
});

test("a line of the list that stands for another Task by now has nothing left of the one before", async () => {
  const home = await world(running);
  const project = await withBoard(home, "Cut the gears");
  const more = async (count: number, named: string) => {
    for (let at = 0; at < count; at++) await newTask(home.owner, project.id, { title: `${named} ${at}` });
  };
  await more(45, "Tooth");
  const ada = await seat(running, chromium, home);
  await ada.goTo("projects/ENG/list");
  await ada.settled();
  const { page } = ada;
  await page.locator("li [data-task] input[type=checkbox]").first().waitFor();
  // Each takes the place of one that is out of sight then.
  await more(45, "Wheel");
  await page.getByText("Wheel 44").waitFor();
  await expect
    .poll(() =>
      page
        .locator("li [data-task]")
        .evaluateAll((lines) => [
          ...new Set(lines.map((line) => line.querySelectorAll("input[type=checkbox]").length)),
        ]),
    )
    .toEqual([1]);
});
