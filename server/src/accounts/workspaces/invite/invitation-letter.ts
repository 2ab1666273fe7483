// The invitation email. Any Workspace creator chooses the name and the recipients, so a name that could pass for a link
// or an address is left out, and the inviter's address is shown only if it is proved.
import type { Letter } from "../../../platform/outside/external-systems.ts";
import { isolated, letter } from "../../../platform/outside/letter.ts";
import { toldName } from "../rules.ts";

export interface Inviting {
  origin: string;
  to: string;
  token: string;
  workspaceName: string;
  inviter: string | null;
}
export function invitationLetter({ origin, to, token, workspaceName, inviter }: Inviting): Letter {
  const place = toldName(workspaceName) === null ? "a Workspace" : `the Workspace "${isolated(workspaceName)}"`;
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
