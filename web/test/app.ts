// A person in the application: signed in without a form, in a Workspace of the test's own, with what a page shows
// within reach.
import type { BrowserContextOptions } from "playwright-core";
import { expect } from "vitest";
import type { TestBrowser } from "../../server/test/browser.ts";
import { asSession, type Person, sessionHeaders, type TestService, type World } from "../../server/test/world.ts";
import { faultsOf } from "./look.ts";
import { type Visit, visit } from "./visit.ts";

export interface Seat extends Visit {
  person: Person;
  /** Below the Workspace: "projects/ENG". Loads the application anew. */
  goTo(path: string): Promise<void>;
  /** Goes to a route as a link does, without loading the application anew, which takes less than half of the time. */
  reach(route: string, values?: Readonly<Record<string, string>>, query?: string): Promise<void>;
  /** The titles in a column, from above. */
  column(name: string): Promise<string[]>;
  /** Until nothing waits to be sent, and changes are followed. */
  settled(): Promise<void>;
  /** Waits for the toast with these words, and leaves the pointer on it, which keeps it open. */
  toast(words: string): Promise<void>;
  drag(title: string, to: { column: string } | { above: string }): Promise<void>;
  offline(off: boolean): Promise<void>;
}

const slugOf = ({ workspaceId }: World) => `test-${workspaceId}`.slice(0, 48);

/** Sits down in front of the application. */
export async function seat(
  running: TestService,
  browser: TestBrowser,
  home: World,
  person: Person = home.owner,
  options: BrowserContextOptions = {},
): Promise<Seat> {
  // Wide enough for all columns of a board.
  const one = await visit(running, browser, { viewport: { width: 2080, height: 900 }, ...options });
  const { page } = one;
  const cookies = (sessionHeaders(person.session).cookie as string).split("; ").map((cookie) => {
    const at = cookie.indexOf("=");
    return {
      name: cookie.slice(0, at),
      value: cookie.slice(at + 1),
      url: running.url.replace("http:", "https:"),
      secure: true,
    };
  });
  await page.context().addCookies(cookies);
  const addressOf = (path: string) => `/workspaces/${slugOf(home)}${path && `/${path}`}`;
  const card = (title: string) => page.locator("article", { hasText: title });
  return {
    ...one,
    person: { ...person, call: asSession(running, person.session) },
    goTo: (path) => one.open(addressOf(path)),
    async reach(route, values = {}, query = "") {
      const path = route.replace(
        /:(\w+)/g,
        (_, name) => values[name] ?? expect.fail(`${route} needs a value for ${name}`),
      );
      await page.evaluate((to) => {
        history.pushState(null, "", to);
        dispatchEvent(new PopStateEvent("popstate"));
      }, addressOf(path) + query);
      await one.shows(route);
    },
    column: (name) => page.locator(`[data-column="${name}"] article .card-title`).allInnerTexts(),
    async settled() {
      await page.locator('[data-connection="live"][data-pending="0"]').waitFor({ state: "attached" });
    },
    toast: (words) => page.locator("[data-toast]").getByText(words).hover(),
    async drag(title, to) {
      const target = "column" in to ? page.locator(`[data-column="${to.column}"] header`) : card(to.above);
      const targetPosition = "above" in to ? { x: 60, y: 4 } : undefined;
      await card(title).dragTo(target, { sourcePosition: { x: 100, y: 12 }, targetPosition });
    },
    offline: (off) => page.context().setOffline(off),
  };
}

/** Without a connection a browser says so for each request: that is expected. */
export function offlineIsExpected({ faults }: Visit) {
  const expected = /ERR_INTERNET_DISCONNECTED|ERR_NETWORK_CHANGED|WebSocket connection|ERR_FAILED|ERR_CONNECTION_RESET/;
  faults.splice(0, faults.length, ...faults.filter((fault) => !expected.test(fault)));
}

/** Nothing that axe calls moderate or worse, in light and dark, and a picture of each where SHOTS names a directory. */
export async function looked({ page }: Visit, name: string) {
  const sizes = process.env.SHOTS ? [390, 1280, 1920] : [];
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme });
    // What is still appearing is paler than it will be.
    await page.evaluate(() => {
      const ends = ({ effect }: Animation) => effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY;
      return Promise.allSettled(
        document
          .getAnimations()
          .filter(ends)
          .map(({ finished }) => finished),
      );
    });
    expect(
      await faultsOf(page, ...(colorScheme === "dark" ? ["color-contrast"] : [])),
      `${name} in ${colorScheme}`,
    ).toEqual([]);
    for (const width of sizes) {
      await page.setViewportSize({ width, height: width === 390 ? 844 : width === 1280 ? 800 : 1080 });
      await page.waitForTimeout(200);
      await page.screenshot({ path: `${process.env.SHOTS}/${name}-${width}-${colorScheme}.png` });
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}
