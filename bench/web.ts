// npm run bench -- --only web: waiting times of a person in the application, in a real browser, with 10,000 Tasks in a
// Project. Each time runs from the key press or click to the frame that shows its effect. On a database of its own;
// headless, so it proves nothing that only a real phone could show.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { buildWeb } from "../scripts/build-web.mjs";
import { startEmbedded } from "../server/src/platform/database/embedded/postgres.ts";
import { migrate } from "../server/src/platform/database/start/migrations.ts";
import { csrfTokenOf } from "../server/src/platform/wire/ids.ts";
import { start as startBrowser } from "../server/test/browser.ts";
import { type Data, fill } from "./data.ts";
import { endAll, startService } from "./processes.ts";
import { printColumns } from "./table.ts";

const TASKS = 10_000;
const TIMES = 40;
/** A connection of 40 ms and 10 Mbit/s, emulated by Chromium. */
const LINE = { offline: false, latency: 40, downloadThroughput: 1_250_000, uploadThroughput: 1_250_000 };
const USE_MINUTES = 10;

const SPREAD = `
update tasks t set status_id = s.ids[1 + t.number % cardinality(s.ids)],
  priority = (array['none','low','medium','high','urgent'])[1 + t.number % 5],
  assignee_actor_id = case t.number % 3 when 0 then $2::uuid end,
  due_date = case t.number % 4 when 0 then current_date + (t.number % 60)::int end
from (select array_agg(id order by position) as ids from statuses
  where workspace_id = $1 and category in ('backlog', 'unstarted', 'started')) s
where t.workspace_id = $1`;

interface Stage {
  browser: Browser;
  origin: string;
  slug: string;
  session: string;
}

async function measure(what: string): Promise<void> {
  await buildWeb();
  const directory = mkdtempSync(join(tmpdir(), "svc-bench-"));
  const database = await startEmbedded(directory);
  const browser = await startBrowser();
  try {
    await migrate(database.url);
    const data = await fill(database.url, [TASKS], "WEB");
    const slug = await spread(database.url, data);
    const { port } = await startService(database.url, {});
    const session = (data.people[0] as Data["people"][number]).session;
    const stage: Stage = { browser, origin: `http://localhost:${port}`, slug, session };
    if ("visits".includes(what)) await measureVisits(stage);
    if ("acts".includes(what)) await measureActs(stage);
    if ("scrolling".includes(what)) await measureScrolling(stage);
    if ("heap".includes(what)) await measureHeap(stage);
  } finally {
    await browser.close();
    await endAll();
    await database.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function spread(url: string, { workspaceId, people }: Data): Promise<string> {
  const client = new pg.Client(url);
  // The database ends this connection when something fails; the error would hide the cause.
  client.on("error", () => {});
  await client.connect();
  await client.query(SPREAD, [workspaceId, people[0]?.actorId]);
  const { rows } = await client.query("select slug from workspaces where id = $1", [workspaceId]);
  await client.query("vacuum analyze");
  await client.end();
  return rows[0].slug;
}

async function person({ browser, origin, session }: Stage): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const cookies = { "__Host-svc_session": session, "__Host-svc_csrf": csrfTokenOf(session) };
  const url = origin.replace("http:", "https:");
  await context.addCookies(Object.entries(cookies).map(([name, value]) => ({ name, value, url, secure: true })));
  return { context, page: await context.newPage() };
}
const addressOf = ({ origin, slug }: Stage, path: string) => `${origin}/workspaces/${slug}/${path}`;
const BOARD = "[data-column] article";
const LIST = "ul [data-task]";
const PANEL = 'aside[aria-label*="WEB0-"]';
const FILTER = "#filter-text";
const BOARD_TAB = 'header nav a[href$="/projects/WEB0"]';
const LIST_TAB = 'header nav a[href*="/projects/WEB0/list"]';
/** Waits until the page is subscribed and has no pending write. */
const settled = (page: Page) =>
  page.locator('[data-connection="live"][data-pending="0"]').waitFor({ state: "attached", timeout: 120_000 });
/** Waits until all Tasks are loaded: they arrive page by page. */
async function whole(page: Page) {
  await settled(page);
  await page.waitForLoadState("networkidle", { timeout: 300_000 });
}

/** Waits for the page's own record of its first visible content. */
async function expectSeen(page: Page): Promise<{ seen: number; cards: number }> {
  for (;;) {
    const { seen, cards } = await page.evaluate(() => {
      const { seen, cards } = globalThis as unknown as { seen?: number; cards?: number };
      return { seen, cards };
    });
    if (seen !== undefined && cards !== undefined) return { seen, cards };
    await page.waitForTimeout(200);
  }
}

/**
 * A first visit over a slow connection, and later ones: time until cards are visible, which may be a preview, and until
 * they are usable, requests and bytes.
 */
async function measureVisits(stage: Stage) {
  const { context, page } = await person(stage);
  const wire = await context.newCDPSession(page);
  await wire.send("Network.enable");
  await wire.send("Network.emulateNetworkConditions", LINE);
  let [requests, bytes] = [0, 0];
  wire.on("Network.loadingFinished", ({ encodedDataLength }) => {
    requests++;
    bytes += encodedDataLength;
  });
  // The page records the times itself: polling it would make it slower.
  await page.addInitScript((wanted) => {
    const note = (name: string, selector: string) => {
      const look = () => {
        if (!document.querySelector(selector)) return requestAnimationFrame(look);
        return requestAnimationFrame(() => setTimeout(() => Object.assign(globalThis, { [name]: performance.now() })));
      };
      look();
    };
    note("seen", "article");
    note("cards", wanted);
  }, BOARD);
  const rows: string[][] = [];
  for (const name of ["first", "second", "third", "fourth"]) {
    // Starts from an empty page, so that activity of the previous one does not count.
    await page.goto("about:blank");
    [requests, bytes] = [0, 0];
    await page.goto(addressOf(stage, "projects/WEB0"));
    const { seen, cards } = await expectSeen(page);
    const painted = await page.evaluate(
      () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN,
    );
    await settled(page);
    const live = await page.evaluate(() => performance.now());
    rows.push([
      name,
      ...[painted, seen, cards, live].map((time) => (time as number).toFixed(0)),
      String(requests),
      (bytes / 1000).toFixed(0),
    ]);
    await whole(page);
  }
  printColumns(["visit over 40 ms", "first paint ms", "seen ms", "usable ms", "up to date ms", "requests", "kB"], rows);
  await context.close();
}

/**
 * Time from an action to the frame that shows its result, both measured in the page: `wanted` is visible; with `other`,
 * another element than before.
 */
async function timed(page: Page, act: Act, wanted: string, other = false): Promise<number> {
  return page.evaluate(
    async ({ act: { click, type, press }, wanted, other }) => {
      const find = (selector: string) => document.querySelector<HTMLElement>(selector);
      const before = other ? find(wanted)?.dataset.task : undefined;
      const isThere = () => find(wanted) !== null && (!other || find(wanted)?.dataset.task !== before);
      const since = performance.now();
      if (click) find(click)?.click();
      if (press)
        document.activeElement?.dispatchEvent(
          new KeyboardEvent("keydown", { ...press, bubbles: true, cancelable: true }),
        );
      if (type) {
        const field = find(type.into) as HTMLInputElement;
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(field, type.text);
        field.dispatchEvent(new Event("input", { bubbles: true }));
      }
      await new Promise<void>((shown, failed) => {
        const look = () => {
          if (isThere()) requestAnimationFrame(() => setTimeout(shown));
          else if (performance.now() - since > 10_000) failed(new Error(`${wanted} is not there`));
          else requestAnimationFrame(look);
        };
        look();
      });
      return performance.now() - since;
    },
    { act, wanted, other },
  );
}
interface Act {
  click?: string;
  type?: { into: string; text: string };
  press?: { key: string; shiftKey?: boolean };
}

async function measureActs(stage: Stage) {
  const { context, page } = await person(stage);
  await page.goto(addressOf(stage, "projects/WEB0"));
  await whole(page);
  const rows: string[][] = [];
  const acts: Record<string, (round: number) => Promise<number>> = {
    "open the list": async () => {
      await timed(page, { click: BOARD_TAB }, BOARD);
      return timed(page, { click: LIST_TAB }, LIST);
    },
    "open the board": async () => {
      await timed(page, { click: LIST_TAB }, LIST);
      return timed(page, { click: BOARD_TAB }, BOARD);
    },
    "move a card": async () => {
      await page.locator(`${BOARD} [data-open]`).first().focus();
      const [id, column] = await page.evaluate(() => [
        (document.activeElement as HTMLElement).dataset.open,
        document.activeElement?.closest<HTMLElement>("[data-column]")?.dataset.column,
      ]);
      const there = `[data-column]:not([data-column="${column}"]) [data-task="${id}"]`;
      return timed(page, { press: { key: "ArrowRight", shiftKey: true } }, there);
    },
    "type in a filter": async (round) => {
      if (round === 0) await timed(page, { click: LIST_TAB }, LIST);
      const took = await timed(page, { type: { into: FILTER, text: String(1000 + round * 37) } }, LIST, true);
      await timed(page, { type: { into: FILTER, text: "" } }, LIST, true);
      return took;
    },
    "open a Task": async (round) => {
      const nth = `ul li:nth-child(${3 + (round % 10)}) [data-open]`;
      const took = await timed(page, { click: nth }, PANEL);
      await page.keyboard.press("Escape");
      await page.locator(PANEL).waitFor({ state: "detached" });
      return took;
    },
  };
  for (const [name, act] of Object.entries(acts)) {
    const times: number[] = [];
    for (let round = 0; round < TIMES; round++) times.push(await act(round));
    times.sort((a, b) => a - b);
    const at = (share: number) => (times[Math.floor((times.length - 1) * share)] as number).toFixed(0);
    rows.push([name, at(0.5), at(0.95), at(1)]);
  }
  printColumns([`with ${TASKS.toLocaleString("en")} Tasks`, "p50 ms", "p95 ms", "longest ms"], rows);
  await context.close();
}

/**
 * Scrolling by wheel: frames, and main-thread tasks above 50 ms. An empty page of the same height shows the machine's
 * own limit.
 */
async function measureScrolling(stage: Stage) {
  const { context, page } = await person(stage);
  const rows: string[][] = [];
  await page.goto("about:blank");
  await page.evaluate(() => {
    document.body.innerHTML = '<div style="height: 360000px"></div>';
  });
  rows.push(["an empty page", ...(await scrolled(page))]);
  for (const [name, path] of [
    ["the list", "projects/WEB0/list"],
    ["a column of the board", "projects/WEB0"],
  ] as const) {
    await page.goto(addressOf(stage, path));
    await whole(page);
    await page.waitForTimeout(1000);
    rows.push([name, ...(await scrolled(page))]);
  }
  printColumns(["scrolling for 10 s", "frames a second", "above 34 ms", "tasks above 50 ms", "longest ms"], rows);
  await context.close();
}
async function scrolled(page: Page): Promise<string[]> {
  await page.evaluate(() => {
    const seen = { frames: [] as number[], long: [] as number[] };
    Object.assign(globalThis, { seen });
    new PerformanceObserver((list) => seen.long.push(...list.getEntries().map(({ duration }) => duration))).observe({
      type: "longtask",
    });
    let last = performance.now();
    const frame = (now: number) => {
      seen.frames.push(now - last);
      last = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  await page.mouse.move(400, 500);
  for (let turn = 0; turn < 10 * 20; turn++) {
    await page.mouse.wheel(0, 1500);
    await page.waitForTimeout(50);
  }
  const { frames, long } = await page.evaluate(
    () => (globalThis as unknown as { seen: { frames: number[]; long: number[] } }).seen,
  );
  const rate = frames.length / (frames.reduce((sum, ms) => sum + ms, 0) / 1000);
  const slow = `${frames.filter((ms) => ms > 34).length} of ${frames.length}`;
  return [rate.toFixed(0), slow, String(long.length), long.length > 0 ? Math.max(...long).toFixed(0) : ""];
}

/** Ten minutes of use: switches between layouts, opens and closes Tasks, toggles filters. */
async function measureHeap(stage: Stage) {
  const { context, page } = await person(stage);
  await page.goto(addressOf(stage, "projects/WEB0"));
  await whole(page);
  const wire = await context.newCDPSession(page);
  const heap = async () => {
    await wire.send("HeapProfiler.collectGarbage");
    return (await wire.send("Runtime.getHeapUsage")).usedSize / 1e6;
  };
  const before = await heap();
  const end = performance.now() + USE_MINUTES * 60_000;
  for (let turn = 0; performance.now() < end; turn++) {
    await timed(page, { click: LIST_TAB }, LIST);
    await timed(page, { click: `ul li:nth-child(${3 + (turn % 10)}) [data-open]` }, PANEL);
    await page.keyboard.press("Escape");
    await timed(page, { type: { into: FILTER, text: String(1000 + turn) } }, LIST, true);
    await timed(page, { type: { into: FILTER, text: "" } }, LIST, true);
    await page.waitForTimeout(500);
    await timed(page, { click: BOARD_TAB }, BOARD);
    await page.waitForTimeout(500);
  }
  console.log(
    `Heap: ${before.toFixed(0)} MB after opening, ${(await heap()).toFixed(0)} MB after ${USE_MINUTES} minutes of use.`,
  );
  await context.close();
}

await measure(process.env.BENCH_WHAT ?? "");
// The parent would wait for the channel to close.
process.disconnect?.();
