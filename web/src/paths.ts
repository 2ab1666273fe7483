// The addresses of the pages. The service has the same list; a test holds them equal. Every address below /workspaces is a Workspace's.
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

/** The slug in the address of a Workspace, or of something in it. */
export const workspaceIn = (path: string): string | null =>
  path === "/workspaces/new" ? null : (/^\/workspaces\/([^/]+)(?:\/|$)/.exec(path)?.[1] ?? null);

export const isPage = (path: string) => (paths as readonly string[]).includes(path) || workspaceIn(path) !== null;

/** What the application asks for first, in whichever Workspace. A browser is told so with the document: the service has the same list. */
export const asksFirst = ["/api/v1/me", "/api/v1/workspaces?limit=100", "/api/v1/realtime/baseline"] as const;
