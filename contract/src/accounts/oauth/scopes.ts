// Every scope that an OAuth client can be given, with the words in which a person is asked for it. The three broad ones are those of
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

/** The 37 scopes of an MCP client, by the words for them. */
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
/** The scopes that open an MCP tool. Clients may name the others, and a person is not asked for them. A test compares the list with the tools. */
export const offeredScopes: readonly string[] = opening.trim().split(/\s/);
/** The same without those whose tools need a person. */
export const serviceScopes: readonly string[] = offeredScopes.filter((scope) => !scope.startsWith("svc:change_sets:"));
