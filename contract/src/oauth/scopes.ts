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
