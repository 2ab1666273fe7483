// The letter that invites. Whoever creates a Workspace chooses its name and whom we write to, so a name that could pass for a link or an
// address is left out, and the inviting address is named only where it is proved.
import { isolated, letter } from "../kernel/letter.ts";
import type { Letter } from "../kernel/outside.ts";

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

export interface Inviting {
  origin: string;
  to: string;
  token: string;
  workspaceName: string;
  inviter: string | null;
}
export function invitationLetter({ origin, to, token, workspaceName, inviter }: Inviting): Letter {
  const place = looksLikeLink(workspaceName) ? "a Workspace" : `the Workspace "${isolated(workspaceName)}"`;
  return letter({
    to,
    subject: "You are invited to a Workspace",
    paragraphs: [`${inviter ?? "Somebody"} invites you to ${place}.`],
    action: {
      label: "Open the invitation",
      url: `${origin}/api/v1/auth/continuations/invitation?token=${encodeURIComponent(token)}`,
    },
    closing: [
      "The invitation is for this address only. It can be accepted once, within 7 days.",
      "If you do not know what this is about, ignore this letter: nothing happens.",
    ],
  });
}
