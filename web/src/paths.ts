// Addresses of the pages. The service has the same list; a test asserts that both are equal. All addresses below
// /workspaces belong to a Workspace.
export const paths = [
  "/",
  "/account",
  "/login",
  "/register",
  "/second-factor",
  "/forgot",
  "/reset",
  "/verified",
  "/email-change",
  "/invitation",
  "/workspaces/new",
  "/consent",
  "/security",
  "/review",
  "/confirmed",
  "/signed-out",
  "/error",
] as const;
export type Path = (typeof paths)[number];

/** Slug of the Workspace in an address. */
export const workspaceIn = (path: string): string | null =>
  path === "/workspaces/new" ? null : (/^\/workspaces\/([^/]+)(?:\/|$)/.exec(path)?.[1] ?? null);

export const isPage = (path: string) => (paths as readonly string[]).includes(path) || workspaceIn(path) !== null;

/**
 * First API requests of the application, in any Workspace. The document's preload headers name them; the service has
 * the same list.
 */
export const asksFirst = ["/api/v1/me", "/api/v1/workspaces?limit=100", "/api/v1/realtime/baseline"] as const;
