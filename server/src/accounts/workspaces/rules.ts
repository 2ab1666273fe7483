// Pure rules: capabilities on a Workspace and its members, allowed slugs, and names that may be shown to strangers.
// accounts/account/rules.ts holds the permissions of each role, because account responses use them too.
import type { Capability } from "@svc/contract/capabilities.ts";
import type { Role } from "../../platform/kernel/authentication.ts";
import { slugCandidates, slugOf } from "../../platform/wire/slug.ts";
import { may, type WorkspaceCapability } from "../account/rules.ts";

export { may, type WorkspaceCapability, workspaceCapabilities } from "../account/rules.ts";

/** Capabilities on a resource that a role can either only read or also manage. */
export const managing = (role: Role, capability: WorkspaceCapability = "workspace:manage") =>
  may(role, capability) ? [capability] : [];

/** An archived Workspace is visible only to its owners and accepts only a restore. */
export const archivedCapabilities = ({ claimable }: { claimable: boolean }): readonly Capability[] =>
  claimable ? ["workspace:read", "workspace:restore"] : ["workspace:read"];

export interface MembershipState {
  role: Role;
  state: "invited" | "active" | "suspended" | "removed" | "left";
}
const isOwner = ({ role, state }: MembershipState) => role === "owner" && state === "active";

/**
 * Error code of a membership change that nobody may make; null if it is allowed. Nobody changes their own membership.
 */
export function membershipRefusal(
  before: MembershipState & { self: boolean; other_owner: boolean },
  after: MembershipState,
) {
  if (before.self) return "self_membership_mutation";
  return isOwner(before) && !isOwner(after) && !before.other_owner ? "last_owner" : null;
}

/** Capabilities on another person's membership. The last owner can be neither removed nor demoted. */
export function memberCapabilities(
  caller: Role,
  member: MembershipState & { self: boolean; other_owner: boolean },
): Capability[] {
  if (!may(caller, "members:manage") || membershipRefusal(member, { role: "viewer", state: "removed" })) return [];
  if (member.state === "removed" || member.state === "left") return ["member:restore"];
  return member.state === "invited" ? ["member:remove"] : ["member:update", "member:remove"];
}

const SLUG_LENGTH = 48;
/** First path segments that the service uses or reserves: they count as taken. */
const RESERVED = new Set(
  `about account accounts admin api app assets auth billing blog dashboard dev docs help home inbox invitations login logout
  mail mcp me metrics mobile new oauth pricing privacy problems public register search security settings signin signup static
  status support svc system terms webhooks well-known workspace workspaces www`.split(/\s+/),
);
export const isReservedSlug = (slug: string) => RESERVED.has(slug);

/** Candidates for a Workspace without a requested slug; the first free one is used. */
export const slugsFor = (name: string) =>
  slugCandidates(slugOf(name, SLUG_LENGTH) || "workspace", SLUG_LENGTH).filter((slug) => !isReservedSlug(slug));

/**
 * Normalizes look-alikes of dot and slash as a mail program or a reader would read them; a domain may have any letters.
 */
const SAME_SIGNS = [
  [/[\u3002\u06d4\u0701\u0702\u2cf9\ua4f8\ua60e]/gu, "."],
  [/[\u2044\u2215\u29f8\u2571]/gu, "/"],
] as const;
const LINK_LIKE = /[@/\\]|[\p{L}\p{N}_]\.[\p{L}\p{N}]|h(?:tt|xx)ps?:/iu;
function looksLikeLink(name: string): boolean {
  const read = SAME_SIGNS.reduce((text, [sign, same]) => text.replace(sign, same), name.normalize("NFKC"));
  return LINK_LIKE.test(read.replace(/\p{DI}/gu, ""));
}
/**
 * Null for a name that could pass for a link or an address, because anyone can choose a name and have it mailed to a
 * stranger.
 */
export const toldName = (name: string | null): string | null => (name === null || looksLikeLink(name) ? null : name);

/** Normalizes a search text like the stored member names: without accents, and with one space between words. */
export const soughtName = (q: string) =>
  q
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/^@ ?/, "");
