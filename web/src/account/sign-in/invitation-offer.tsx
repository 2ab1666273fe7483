// Reads the offer of an invitation by its token: names in a link could be forged. Only the service receives the token.

import { type Operations, Problem } from "@svc/client";
import { type ReactNode, useCallback, useEffect, useState } from "react";
import { say } from "../../messages/t.ts";
import { svc } from "../svc.ts";

export type Offer = Awaited<ReturnType<Operations["readInvitation"]>>;

/** Maps not_found to the specific code invalid_invitation. */
export const asInvitationProblem = (error: unknown): Problem =>
  (error as Problem).code === "not_found" ? new Problem({ code: "invalid_invitation" }) : (error as Problem);

interface Read {
  /** Null while it loads, and without a token. */
  offer: Offer | Problem | null;
  again: () => void;
}
export function useOffer(token: string | undefined): Read {
  const [offer, setOffer] = useState<Offer | Problem | null>(null);
  const again = useCallback(() => {
    setOffer(null);
    if (token) svc.readInvitation({ token }).then(setOffer, (error) => setOffer(asInvitationProblem(error)));
  }, [token]);
  useEffect(again, [again]);
  return { offer, again };
}

export const ROLES: Record<string, string> = {
  owner: "an owner",
  admin: "an admin",
  member: "a member",
  viewer: "a viewer",
};

/** Isolates the text direction of a name from the surrounding sentence. */
const Strong = ({ children }: { children: ReactNode }) => (
  <strong className="break-words">
    <bdi>{children}</bdi>
  </strong>
);

/** Inviter, Workspace, role and invited address. */
export function OfferText({ offer: { workspace_name, inviter_name, email, role } }: { offer: Offer }) {
  return (
    <>
      <p>
        {inviter_name === null ? say("Somebody") : <Strong>{inviter_name}</Strong>} {say("invites you to")}{" "}
        {workspace_name === null ? (
          say("a Workspace")
        ) : (
          <>
            {say("the Workspace")} <Strong>{workspace_name}</Strong>
          </>
        )}
        {say(", as")} {say(ROLES[role] ?? role)}.
      </p>
      <p className="mt-2">
        {say("The invitation is for")} <Strong>{email}</Strong> {say("and for no other address.")}
      </p>
    </>
  );
}
