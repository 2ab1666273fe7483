// Every scope that an OAuth client can be granted, with its text for the consent page. The three broad scopes are for
// developer clients and API tokens; the groups by resource are additive and for MCP clients.
const resources = [
  "agents",
  "attachments",
  "change_sets",
  "comments",
  "documents",
  "integrations",
  "labels",
  "members",
  "milestones",
  "projects",
  "statuses",
  "tasks",
  "time",
  "views",
  "workspace",
] as const;
const readOnly = ["activity", "search", "knowledge", "inbox"] as const;

export const broadScopes = ["svc:read", "svc:write", "svc:discuss"] as const;

const spoken = (resource: string) => resource.replaceAll("_", " ");

/** The 37 scopes of an MCP client, each with its text for the consent page. */
export const scopeWords: Readonly<Record<string, string>> = {
  "svc:read": "Read everything that you can read in the Workspace",
  "svc:write": "Create and change what you can change in the Workspace",
  "svc:discuss": "Take part in your Discuss conversations",
  ...Object.fromEntries(readOnly.map((name) => [`svc:${name}:read`, `Read ${spoken(name)}`])),
  ...Object.fromEntries(
    resources.flatMap((name) => [
      [`svc:${name}:read`, `Read ${spoken(name)}`],
      [`svc:${name}:write`, `Create and change ${spoken(name)}`],
    ]),
  ),
};
export const mcpScopes: readonly string[] = Object.keys(scopeWords);

const opening = `
svc:read svc:write svc:search:read svc:inbox:read svc:change_sets:read svc:change_sets:write svc:comments:write svc:documents:read svc:documents:write
svc:members:read svc:projects:read svc:tasks:read svc:tasks:write svc:time:read svc:time:write`;
/**
 * Scopes that unlock an MCP tool. Clients may request the others, which the consent page does not show. A test compares
 * this list with the tools.
 */
export const offeredScopes: readonly string[] = opening.trim().split(/\s/);
/** Offered scopes, without those whose tools need a person. */
export const serviceScopes: readonly string[] = offeredScopes.filter((scope) => !scope.startsWith("svc:change_sets:"));
