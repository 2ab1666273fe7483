// Redirects from links in emails to pages. The page gets the token only in the fragment, which reaches no server and no
// Referer header. Opening a link changes nothing, except that a verification link is consumed.
import * as contract from "@svc/contract/accounts/identity/links.ts";
import { type EffectsContext, implementWithEffects, open } from "../../platform/kernel/implement-operation.ts";
import { Refusal, refuse } from "../../platform/wire/problem.ts";
import { findLink, type LinkKind, verifyEmail } from "./email/link-store.ts";
import { emailVerified } from "./events.ts";

const INVALID = { location: "/error?code=invalid_link" };
const pages: Record<string, string> = {
  email_verification: "/verified",
  password_reset: "/reset",
  email_change: "/email-change",
  invitation: "/invitation",
};

export const getContinuation = implementWithEffects(
  contract.getContinuation,
  open(),
  async (context, { params, query }) => {
    const { kind } = params;
    const page = Object.hasOwn(pages, kind) ? pages[kind] : refuse("not_found");
    const onward = { location: `${page}#token=${encodeURIComponent(query.token)}` };
    // The invitation page validates the token itself.
    if (kind === "invitation") return onward;
    if (!(await context.read((tx) => findLink(tx, kind as LinkKind, query.token)))) return INVALID;
    if (kind !== "email_verification") return onward;
    if (!(await verified(context, query.token))) return INVALID;
    // Lets the page show success only to a browser that has just verified.
    context.browser.tellVerified();
    return { location: page as string };
  },
);

/** False if a concurrent request used the link first. */
async function verified({ transaction }: EffectsContext, token: string): Promise<boolean> {
  try {
    return await transaction(async ({ tx, record, actAs }) => {
      const { id } = (await verifyEmail(tx, token)) ?? refuse("invalid_link");
      actAs(id);
      record(emailVerified({ kind: "account", id }, { proved: true }));
      return true;
    });
  } catch (error) {
    if (error instanceof Refusal && error.code === "invalid_link") return false;
    throw error;
  }
}
