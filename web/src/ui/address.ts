// Addresses inside a Workspace, such as `/workspaces/{slug}/projects/ENG/list?priority=high&task=ENG-7`. Patterns
// contain named parameters; the query contains the filters and the open Task.
import { go } from "../router.tsx";

export type Params = Readonly<Record<string, string>>;

/** Path after the slug; "" for the start page. */
export const restOf = (pathname: string) => pathname.replace(/^\/workspaces\/[^/]+\/?/, "").replace(/\/$/, "");

/** Parameters of a pattern such as "projects/:key", or null if the path does not match. */
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
/** Null for an invalid percent-encoding, which no page address contains. */
function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

/** Prefixes a path with the current Workspace. */
export function within(path: string): string {
  const slug = /^\/workspaces\/([^/]+)/.exec(location.pathname)?.[1] ?? "";
  return `/workspaces/${slug}${path === "" ? "" : `/${path}`}`;
}
export type ProjectView = "overview" | "board" | "list" | "timeline" | "calendar" | "milestones" | "settings";
export const projectPath = (key: string, view: ProjectView = "board") =>
  within(view === "board" ? `projects/${key}` : `projects/${key}/${view}`);

/** Current address with changed query parameters; null removes one. */
export function withQuery(changes: Record<string, string | null>): string {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes))
    if (value === null || value === "") query.delete(name);
    else query.set(name, value);
  return location.pathname + (query.size > 0 ? `?${query}` : "");
}
/** Opens a Task beside the current page, or closes it. */
export const openTask = (id: string | null) => go(withQuery({ task: id }));
