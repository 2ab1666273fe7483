// What may be done with a Workspace and its people, which slugs it may have, and which names strangers are told. Pure. What each role gives is
// in accounts/account/rules.ts: an account tells its person, too.
import type { Capability } from "@svc/contract/capabilities.ts";
import type { Role } from "../../platform/kernel/authenticate.ts";
import { slugCandidates, slugOf } from "../../platform/wire/slug.ts";
import { may, type WorkspaceCapability } from "../account/rules.ts";

export { may, type WorkspaceCapability, workspaceCapabilities } from "../account/rules.ts";

/** What a role may do with something of the Workspace that is either read or managed. */
export const managing = (role: Role, capability: WorkspaceCapability = "workspace:manage") =>
  may(role, capability) ? [capability] : [];

/** An archived one is there for its owners only, and accepts nothing but being restored. */
export const archivedCapabilities = ({ claimable }: { claimable: boolean }): readonly Capability[] =>
  claimable ? ["workspace:read", "workspace:restore"] : ["workspace:read"];

export interface Standing {
  role: Role;
  state: "invited" | "active" | "suspended" | "removed" | "left";
}
const isOwner = ({ role, state }: Standing) => role === "owner" && state === "active";

/** With what a membership refuses to become another, whoever asks; null where it does not. Nobody changes their own. */
export function membershipRefusal(before: Standing & { self: boolean; other_owner: boolean }, after: Standing) {
  if (before.self) return "self_membership_mutation";
  return isOwner(before) && !isOwner(after) && !before.other_owner ? "last_owner" : null;
}

/** Of somebody's membership. The last owner is neither removed nor made anything else. */
export function memberCapabilities(
  caller: Role,
  member: Standing & { self: boolean; other_owner: boolean },
): Capability[] {
  if (!may(caller, "members:manage") || membershipRefusal(member, { role: "viewer", state: "removed" })) return [];
  if (member.state === "removed" || member.state === "left") return ["member:restore"];
  return member.state === "invited" ? ["member:remove"] : ["member:update", "member:remove"];
}

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

/** Read as a mail program or a reader would: other writings of a dot, a slash and an at sign are the same signs, and a domain has any letters. */
const SAME_SIGNS = [
  [/[\u3002\u06d4\u0701\u0702\u2cf9\ua4f8\ua60e]/gu, "."],
  [/[\u2044\u2215\u29f8\u2571]/gu, "/"],
] as const;
const LINK_LIKE = /[@/\\]|[\p{L}\p{N}_]\.[\p{L}\p{N}]|h(?:tt|xx)ps?:/iu;
function looksLikeLink(name: string): boolean {
  const read = SAME_SIGNS.reduce((text, [sign, same]) => text.replace(sign, same), name.normalize("NFKC"));
  return LINK_LIKE.test(read.replace(/\p{DI}/gu, ""));
}
/** Anybody can choose a name and have it told to a stranger, so one that could pass for a link or an address is not told. */
export const toldName = (name: string | null): string | null => (name === null || looksLikeLink(name) ? null : name);

/** As the names of members are kept: without accents, and with one space between words. */
export const soughtName = (q: string) =>
  q
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/^@ ?/, "");
