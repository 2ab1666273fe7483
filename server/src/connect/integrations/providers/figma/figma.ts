// Figma: links to it show their frames.
import type { ProviderDefinition } from "../../client/provider.ts";
import { connection, FIGMA, scopes } from "./connection.ts";
import { links, look } from "./frames.ts";

export const figma: ProviderDefinition = {
  key: "figma",
  name: "Figma",
  authorization: "oauth",
  scopes,
  needs: ["client_id", "client_secret"],
  base: FIGMA,
  selfHosted: false,
  identities: true,
  events: ["link"],
  actions: {},
  perMinute: 60,
  secretOf: null,
  connection: { ...connection, look },
  links,
  webhook: null,
};
