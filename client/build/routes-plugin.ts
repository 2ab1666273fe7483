// For whoever bundles the client: the routes are worked out while it is built, so that neither schemas nor their library reach a browser.
import type { Plugin } from "vite";
import { routes } from "../src/routes.ts";

export const routesWorkedOut = (): Plugin => ({
  name: "routes-worked-out",
  enforce: "pre",
  load: (id) => (id.endsWith("/client/src/routes.ts") ? `export const routes = ${JSON.stringify(routes)};` : undefined),
});
