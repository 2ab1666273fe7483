// What each role may do in a Workspace. Pure: the one table behind every permission check and every list of capabilities.
import type { Role } from "../kernel/authenticate.ts";

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
/** Owners and admins see and manage everything in the Workspace. */
export const manages = (role: Role) => role === "owner" || role === "admin";
