// The addresses of the pages. The service has the same list and serves nothing else as a page; a test holds them equal.
export const paths = [
  "/",
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
  "/signed-out",
  "/error",
] as const;
export type Path = (typeof paths)[number];

export const isPage = (path: string): path is Path => (paths as readonly string[]).includes(path);
