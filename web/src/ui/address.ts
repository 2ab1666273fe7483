// The addresses inside a Workspace: `/workspaces/{slug}/projects/ENG/list?priority=high&task=ENG-7`. A pattern has names for its variable
// parts; the query has the filters, and the Task that is open beside the page.
import { go } from "../router.tsx";

export type Params = Readonly<Record<string, string>>;

/** What stands behind the slug: "" for its first page. */
export const restOf = (pathname: string) => pathname.replace(/^\/workspaces\/[^/]+\/?/, "").replace(/\/$/, "");

/** The values of the names in a pattern such as "projects/:key", or null where the path is another one. */
export function matched(pattern: string, path: string): Params | null {
  const [names, parts] = [pattern.split("/"), path.split("/")];
  if (names.length !== parts.length) return null;
  const params: Record<string, string> = {};
  for (const [at, name] of names.entries()) {
    const part = parts[at] as string;
    if (!name.startsWith(":")) {
      if (name !== part) return null;
    } else if (part === "") return null;
    else {
      const text = decoded(part);
      if (text === null) return null;
      params[name.slice(1)] = text;
    }
  }
  return params;
}
/** Null where a `%` begins nothing: no page has such an address. */
function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

/** An address in the Workspace that is open. */
export function within(path: string): string {
  const slug = /^\/workspaces\/([^/]+)/.exec(location.pathname)?.[1] ?? "";
  return `/workspaces/${slug}${path === "" ? "" : `/${path}`}`;
}
export type ProjectView = "overview" | "board" | "list" | "timeline" | "calendar" | "milestones" | "settings";
export const projectPath = (key: string, view: ProjectView = "board") =>
  within(view === "board" ? `projects/${key}` : `projects/${key}/${view}`);

/** The same page with other values in its query; null takes one away. */
export function withQuery(changes: Record<string, string | null>): string {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes))
    if (value === null || value === "") query.delete(name);
    else query.set(name, value);
  return location.pathname + (query.size > 0 ? `?${query}` : "");
}
/** Opens a Task beside the page that is shown, or closes it. */
export const openTask = (id: string | null) => go(withQuery({ task: id }));
