// Capabilities of an installation, contexts of its sealed secrets, and the spelling of self-hosted addresses. Pure.
import type { Capability } from "@svc/contract/capabilities.ts";
import { may } from "../../accounts/workspaces/rules.ts";
import type { Role } from "../../platform/kernel/authentication.ts";

/** Provider key of private connectors. */
export const PRIVATE_CONNECTOR = "private_connector";

export type InstallationState = "active" | "degraded" | "revoked";

export const installationCapabilities = (role: Role): Capability[] =>
  may(role, "integrations:manage") ? ["integration_installation:manage", "integration_installation:delete"] : [];

/** Contexts that seal the tokens of an installation and the secret that signs its deliveries. */
export const credentialRow = (installationId: string) => `integration credential ${installationId}`;
export const signingRow = (installationId: string) => `integration secret ${installationId}`;

/** Canonical spelling of an origin, so that one account is connected once; null if it is no plain origin. */
export function originOf(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const { protocol, origin, pathname, username, password, search, hash } = new URL(address);
  const plain = pathname === "/" && [username, password, search, hash].every((part) => part === "");
  return plain && /^https?:$/.test(protocol) ? origin : null;
}

/** Effects of events at a resource on the Tasks of a Project. */
export interface ResourceRules {
  opened_status_id: string | null;
  review_status_id: string | null;
  merged_status_id: string | null;
  sync_comments: boolean;
  create_tasks: boolean;
  resolve_with_task: boolean;
}
export const noRules: ResourceRules = {
  opened_status_id: null,
  review_status_id: null,
  merged_status_id: null,
  sync_comments: false,
  create_tasks: false,
  resolve_with_task: false,
};
