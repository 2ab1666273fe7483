// Maps addresses to pages of a Workspace. Add a line for a new page; each loads when it first opens.
import { useAddress } from "../router.tsx";
import type { Home } from "../store/current-member.ts";
import { useFact, useStore } from "../store/react.ts";
import type { Replica } from "../store/replica.ts";
import { matched, restOf } from "../ui/address.ts";
import { type Later, later } from "../ui/lazy-part.tsx";
import { Nowhere } from "../ui/page.tsx";
import type { PageProps } from "./page-props.ts";

const lazy = later<PageProps>;
const board = lazy(() => import("../tasks/board/board.tsx"));
const documents = lazy(() => import("../documents/page.tsx"));

const Start = lazy(() => import("./start/start.tsx").then((file) => ({ default: file.Start })));
const settings = lazy(() => import("../settings/settings.tsx"));
const projectSettings = lazy(() => import("../settings/project/page.tsx"));

const studio = lazy(() => import("../agents/studio.tsx"));

const pages: readonly [pattern: string, page: Later<PageProps>][] = [
  ["", lazy(() => import("../work/home.tsx"))],
  ["start", Start],
  ["inbox", lazy(() => import("../inbox/inbox.tsx"))],
  ["activity", lazy(() => import("../activity/activity.tsx"))],
  ["search", lazy(() => import("../search/search.tsx"))],
  ["time", lazy(() => import("../time/week.tsx"))],
  ["time/report", lazy(() => import("../time/report.tsx"))],
  ["settings", settings],
  ["settings/:section", settings],
  ["settings/:section/:id", settings],
  ["changes", lazy(() => import("../review/list.tsx"))],
  ["changes/:id", lazy(() => import("../review/change-set-page.tsx"))],
  ["agents", lazy(() => import("../agents/page.tsx"))],
  ["agents/new", studio],
  ["agents/:id", lazy(() => import("../agents/agent-page.tsx"))],
  ["agents/:id/edit", studio],
  ["receipts", lazy(() => import("../receipts/receipts.tsx"))],
  ["projects/:key", board],
  ["projects/:key/list", lazy(() => import("../tasks/list/list.tsx"))],
  ["projects/:key/overview", lazy(() => import("../tasks/plan/overview.tsx"))],
  ["projects/:key/milestones", lazy(() => import("../tasks/plan/milestones.tsx"))],
  ["projects/:key/timeline", lazy(() => import("../tasks/plan/timeline.tsx"))],
  ["projects/:key/calendar", lazy(() => import("../tasks/plan/calendar.tsx"))],
  ["projects/:key/settings", projectSettings],
  ["projects/:key/settings/:section", projectSettings],
  ["tasks/:code", lazy(() => import("../tasks/panel/page.tsx"))],
  ["documents", documents],
  ["documents/:id", documents],
];

/**
 * Pages that may be saved as a picture (picture.ts) while no Task is open beside them: lists of work, never a page that
 * shows a secret.
 */
const pictured = ["", "inbox", "projects/:key", "projects/:key/list"];
export const isPictured = ({ pathname, searchParams }: URL) =>
  !searchParams.has("task") && pictured.some((pattern) => matched(pattern, restOf(pathname)) !== null);

const pageAt = (rest: string) => pages.find(([pattern]) => matched(pattern, rest) !== null)?.[1];
/** Loads the page of the current address while its data loads. */
export const fetchPage = async () => pageAt(restOf(location.pathname))?.fetch();
/** Loads the pages that a single key opens from there. */
export const fetchNear = () => ["projects/x", "projects/x/list"].map((rest) => pageAt(rest)?.fetch());

export function CurrentPage({ create }: { create: () => void }) {
  const rest = restOf(useAddress().pathname);
  const home = useFact<Home>("home");
  const hasProject = useStore(({ store }) => !store.all("project").next().done);
  for (const [pattern, Page] of pages) {
    const params = matched(pattern, rest);
    if (params === null) continue;
    // A member without any Project gets the start page.
    if (rest === "" && home && !hasProject) return <Start params={params} create={create} />;
    return <Page key={pattern} params={params} create={create} />;
  }
  return <Nowhere />;
}

/** Id of the Project in the current address. */
export function openProjectId({ store }: Replica): string | null {
  const key = /^projects\/([^/]+)/.exec(restOf(location.pathname))?.[1]?.toUpperCase();
  for (const project of store.all("project")) if (project.key === key) return project.id;
  return null;
}
