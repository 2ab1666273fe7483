// What an invitation offers, read with its token: names in a link could be anybody's words. The token is told to the service alone.

import { type Operations, Problem } from "@svc/client";
import { type ReactNode, useCallback, useEffect, useState } from "react";
import { say } from "./messages/t.ts";
import { svc } from "./svc.ts";

export type Offer = Awaited<ReturnType<Operations["readInvitation"]>>;

/** That there is no such invitation is said in words of its own. */
export const asInvitationProblem = (error: unknown): Problem =>
  (error as Problem).code === "not_found" ? new Problem({ code: "invalid_invitation" }) : (error as Problem);

interface Read {
  /** null while it is read, and without a token. */
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

/** Whatever direction a name is written in, it does not turn the words around it. */
const Strong = ({ children }: { children: ReactNode }) => (
  <strong className="break-words">
    <bdi>{children}</bdi>
  </strong>
);

/** Who invites, to what, as what, and which address. */
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
