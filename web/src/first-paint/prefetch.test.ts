// An answer that was asked for ahead is given once, to whoever asks for the same, and never where something else may be
// true by now.
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { askAhead, fetchAhead, forgetAhead } from "./prefetch.ts";

vi.hoisted(() => {
  vi.stubGlobal("localStorage", { getItem: () => null });
  vi.stubGlobal("addEventListener", () => {});
});

let sent: string[] = [];
const refused = new Set<string>();
/** Each answer says how many have been asked for by then. */
async function service(url: string, { method = "GET" }: RequestInit = {}) {
  sent.push(`${method} ${url}`);
  if (refused.has(url)) return new Response("{}", { status: 503 });
  const items = [
    { id: "w", slug: "engines" },
    { id: "p", key: "ENG" },
  ];
  return Response.json({ at: sent.length, workspace_id: "w", actor_id: "a", items });
}
const get = async (url: string) => (await (await fetchAhead(url, { method: "GET" })).json()).at as number;

beforeEach(() => {
  forgetAhead();
  sent = [];
  refused.clear();
  vi.stubGlobal("fetch", service);
  vi.stubGlobal("document", { cookie: "theme=dark; __Host-svc_csrf=x" });
  vi.stubGlobal("location", { pathname: "/workspaces/engines/projects/eng/list" });
});
afterAll(() => void vi.unstubAllGlobals());
const BOARD = "/api/v1/projects/p/board?limit=20&include=counts";
const FIRST = ["/api/v1/me", "/api/v1/workspaces?limit=100", "/api/v1/realtime/baseline"].map((url) => `GET ${url}`);
const LISTS = ["hidden", "archived"].map((which) => `GET /api/v1/workspaces/w/projects?${which}=true&limit=100`);

test("what the address names is asked for, each answer given once", async () => {
  await askAhead("engines");
  expect(sent).toEqual([...FIRST, ...LISTS, `GET ${BOARD}`]);
  expect(await get(BOARD)).toBe(6);
  expect(await get(BOARD)).toBe(7);
});

test("nothing is asked for without a session, nor of a Workspace that the session is not in", async () => {
  await askAhead("looms");
  expect(sent).toEqual(FIRST);
  expect(await get("/api/v1/realtime/baseline"), "of the other Workspace").toBe(4);
  expect(await get("/api/v1/me")).toBe(1);
  vi.stubGlobal("document", { cookie: "theme=dark" });
  sent = [];
  await askAhead("engines");
  expect(sent).toEqual([]);
});

test("what was refused is asked for again", async () => {
  refused.add(BOARD);
  await askAhead("engines");
  refused.clear();
  expect(await get(BOARD)).toBe(7);
});

test("a write makes every answer old, and is sent itself", async () => {
  await askAhead("engines");
  await fetchAhead("/api/v1/me", { method: "PATCH" });
  expect(sent.at(-1)).toBe("PATCH /api/v1/me");
  expect(await get("/api/v1/me")).toBe(8);
});

test("what nobody has asked for in ten seconds is forgotten", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  await askAhead("engines");
  vi.advanceTimersByTime(9_999);
  expect(await get("/api/v1/me")).toBe(1);
  vi.advanceTimersByTime(1);
  expect(await get(BOARD)).toBe(7);
});

test("what is answered once answers are forgotten is given to nobody", async () => {
  const asking = askAhead("engines");
  forgetAhead();
  await asking;
  expect(sent).toEqual(FIRST);
  expect(await get("/api/v1/me")).toBe(4);
});
