// What each role may do in a Workspace, and which slugs it may have. Pure: the one table behind every permission check and every
// list of capabilities.
import type { Role } from "../kernel/authenticate.ts";
import { slugCandidates, slugOf } from "../kernel/slug.ts";

const read = ["workspace:read", "work:read", "documents:read", "time:read", "agents:read", "knowledge:read"] as const;
const write = ["work:write", "documents:write", "time:write", "agents:run"] as const;
const manage = [
  "workspace:manage",
  "members:manage",
  "work:manage",
  "documents:manage",
  "time:manage",
  "integrations:manage",
  "agents:manage",
  "knowledge:manage",
  "billing:manage",
  "audit:read",
] as const;
const own = ["workspace:archive"] as const;

export type Capability =
  | (typeof read)[number]
  | (typeof write)[number]
  | (typeof manage)[number]
  | (typeof own)[number];

export const capabilitiesOf: Record<Role, readonly Capability[]> = {
  viewer: read,
  member: [...read, ...write],
  admin: [...read, ...write, ...manage],
  owner: [...read, ...write, ...manage, ...own],
};

export const may = (role: Role, capability: Capability) => capabilitiesOf[role].includes(capability);
/** What a role may do with something of the Workspace that is either read or managed. */
export const managing = (role: Role, capability: Capability = "workspace:manage") =>
  may(role, capability) ? [capability] : [];

/** An archived Workspace accepts nothing but being restored, by an owner. */
export const archivedCapabilities: readonly Capability[] = ["workspace:read", "workspace:archive"];

const SLUG_LENGTH = 48;
/** First segments of paths that the service uses itself or keeps for later: they count as taken. */
const RESERVED = new Set(
  `about account accounts admin api app assets auth billing blog dashboard dev docs help home inbox invitations login logout
  mail mcp me metrics mobile new oauth pricing privacy problems public register search security settings signin signup static
  status support svc system terms webhooks well-known workspace workspaces www`.split(/\s+/),
);
export const isReservedSlug = (slug: string) => RESERVED.has(slug);

/** For a Workspace that names none: the first free one is taken. */
export const slugsFor = (name: string) =>
  slugCandidates(slugOf(name, SLUG_LENGTH) || "workspace", SLUG_LENGTH).filter((slug) => !isReservedSlug(slug));
