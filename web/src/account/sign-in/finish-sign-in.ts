// Continues after any successful sign-in: to the second factor if the account has one, else to the requested page, else
// to the Workspace, or to the creation of one.

import { go } from "../../router.tsx";
import type { Account, Session } from "../session.tsx";
import { localPath } from "./return-to.ts";

export interface Challenge {
  mfa_token: string;
  expires_at: string | null;
  remember_me: boolean;
  return_to: string | null;
}
export type SignedIn = Account | { mfa_required: true; mfa_token: string; expires_at: string };

const KEY = "challenge";
/** Pending second-factor challenge of this tab, removed once it is answered. */
export const challenge = {
  keep: (kept: Challenge) => sessionStorage.setItem(KEY, JSON.stringify(kept)),
  read: (): Challenge | null => JSON.parse(sessionStorage.getItem(KEY) ?? "null"),
  drop: () => sessionStorage.removeItem(KEY),
};

export function enter(
  answer: SignedIn,
  { returnTo, remember, set }: { returnTo: string | null; remember: boolean; set: (session: Session) => void },
) {
  if ("mfa_required" in answer) {
    const { mfa_token, expires_at } = answer;
    challenge.keep({ mfa_token, expires_at, remember_me: remember, return_to: returnTo });
    return go("/second-factor");
  }
  challenge.drop();
  set({ state: "in", account: answer });
  go(localPath(returnTo) ?? (answer.workspace_id === null ? "/workspaces/new" : "/"), { replace: true });
}

export const returnToOf = (address: URL) => localPath(address.searchParams.get("return_to"));
