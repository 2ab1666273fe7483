// Pure rules: email normalization, reserved usernames, validation of push subscriptions, notification defaults, and the
// capabilities of each role in a Workspace.
import { ECDH } from "node:crypto";
import type { Capability } from "@svc/contract/capabilities.ts";
import type { NotificationCategory } from "@svc/contract/types.ts";
import type { Role } from "../../platform/kernel/authentication.ts";
import type { Fault } from "../../platform/wire/problem.ts";

/** Normalizes an email address for storage, comparison and lookup. */
export const normalisedEmail = (email: string) => email.trim().normalize("NFC").toLowerCase();

interface Subscription {
  endpoint: string;
  keys: { p256dh: string; auth: string };
}

export function pushEndpointFaults({ endpoint, keys }: Subscription): Fault[] {
  const fault = (pointer: string, code: string, detail: string) => [{ pointer: `/body/${pointer}`, code, detail }];
  return [
    ...(isPushService(endpoint)
      ? []
      : fault("endpoint", "wrong_format", "must be an https URL of a push service on the public Internet")),
    ...(isPoint(keys.p256dh) ? [] : fault("keys/p256dh", "wrong_format", "must be a point of P-256, uncompressed")),
    ...(Buffer.from(keys.auth, "base64url").length === 16
      ? []
      : fault("keys/auth", "wrong_format", "must be 16 bytes as base64url")),
  ];
}

/** Host names that are not public, or that mean this machine or its local network (RFC 2606, 6761, 6762, 8375). */
const LOCAL_NAME = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home\.arpa|invalid|test)\.?$/;

/**
 * A push service has a public host name. IP addresses are refused in every notation, because the URL parser normalizes
 * them. The egress client checks the resolved address again on every push.
 */
function isPushService(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hostname, hash } = new URL(text);
  const named = /\.[a-z][a-z0-9-]*\.?$/.test(hostname) && !LOCAL_NAME.test(hostname);
  return protocol === "https:" && username === "" && password === "" && hash === "" && named;
}

function isPoint(text: string): boolean {
  const point = Buffer.from(text, "base64url");
  if (point.length !== 65 || point[0] !== 4) return false;
  try {
    return ECDH.convertKey(point, "prime256v1").length === 65;
  } catch {
    return false;
  }
}

/** Words that address more than one person, or that sound like the service itself. */
const RESERVED = new Set("admin all channel everyone here me root support svc system team".split(" "));
export const isReservedUsername = (username: string) => RESERVED.has(username);

export interface Ways {
  in_app: boolean;
  push: boolean;
  email: boolean;
}
const everywhere: Ways = { in_app: true, push: true, email: true };
const atOnce: Ways = { in_app: true, push: true, email: false };
const inside: Ways = { in_app: true, push: false, email: false };
/** Categories that address a person directly are pushed or mailed; the rest only appear in the application. */
export const notificationDefaults: Readonly<Record<NotificationCategory, Ways>> = {
  assigned: everywhere,
  mentioned: everywhere,
  review_requested: everywhere,
  commented: atOnce,
  due_soon: atOnce,
  status_changed: inside,
  project_updates: inside,
  reminder: everywhere,
  request_received: everywhere,
  request_decided: everywhere,
  // A dedicated email covers this category.
  webhook_disabled: atOnce,
};

const read = ["workspace:read", "work:read", "documents:read", "time:read", "knowledge:read", "agents:read"] as const;
const write = ["work:write", "documents:write", "time:write", "agents:run"] as const;
const manage = [
  "workspace:manage",
  "members:manage",
  "work:manage",
  "documents:manage",
  "time:manage",
  "knowledge:manage",
  "agents:manage",
  "billing:manage",
  "integrations:manage",
] as const;
const own = ["workspace:archive"] as const;

/** A permission that a role grants in a Workspace. */
export type WorkspaceCapability =
  | (typeof read)[number]
  | (typeof write)[number]
  | (typeof manage)[number]
  | (typeof own)[number];

/** The only source for permission checks and capability lists. */
const permissionsOf: Record<Role, readonly WorkspaceCapability[]> = {
  viewer: read,
  member: [...read, ...write],
  admin: [...read, ...write, ...manage],
  owner: [...read, ...write, ...manage, ...own],
};

export const may = (role: Role, capability: WorkspaceCapability) => permissionsOf[role].includes(capability);
export const workspaceCapabilities = (role: Role): readonly Capability[] => permissionsOf[role];
