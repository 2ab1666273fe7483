// The consent page: shows whether a client may act for a person, and records the answer. Only this creates an OAuth
// grant for a browser: it requires the consent request sealed for this person, the session, its CSRF token and the
// decision "approve".
import * as contract from "@svc/contract/accounts/oauth/consent.ts";
import { scopeWords } from "@svc/contract/accounts/oauth/scopes.ts";
import { requireRecent } from "../../platform/kernel/authentication.ts";
import { account, implementWithEffects } from "../../platform/kernel/implement-operation.ts";
import { sha256 } from "../../platform/wire/ids.ts";
import { Refusal, refuse, refuseAt } from "../../platform/wire/problem.ts";
import { backTo, newCode, questionIn } from "./engine.ts";
import { oauthGranted } from "./events.ts";
import { families, hostOf } from "./rules.ts";
import * as store from "./store.ts";

export const getConsent = implementWithEffects(contract.getConsent, account(), async (context, { query }) => {
  const { family, client, redirectUri, scopes, expiresAt, userId } = questionIn(context, query.request);
  const current = context.principal?.workspaceId ?? null;
  const workspaces = await context.read((tx) => store.openWorkspaces(tx, userId, current, family));
  return {
    family,
    client: { id: client.id, name: client.name, verified: client.verified },
    redirect_host: hostOf(redirectUri),
    scopes: scopes.map((scope) => ({ scope, description: scopeWords[scope] ?? scope })),
    chooses_workspace: families[family].choosesWorkspace,
    workspaces,
    workspace_id: workspaces.some(({ id }) => id === current) ? current : null,
    served: true,
    expires_at: new Date(expiresAt).toISOString(),
  };
});

export const answerConsent = implementWithEffects(contract.answerConsent, account(), async (context, { body }) => {
  const origin = context.outside.origin();
  const question = questionIn(context, body.request);
  if (body.decision === "deny")
    return context.finish(async () => ({ redirect_to: backTo(question, { error: "access_denied" }, origin) }));
  requireRecent(context.principal);
  const { id, family, client, userId, scopes, redirectUri, challenge } = question;
  const { choosesWorkspace, audience } = families[family];
  const workspaceId = choosesWorkspace ? (body.workspace_id ?? refuseWorkspace()) : null;
  const code = newCode();
  return context.finish(async ({ tx, record }) => {
    const [live, { granted, entered }] = await Promise.all([
      store.stillSignedIn(tx, userId, context.principal?.credentialId ?? null),
      store.insertGrant(tx, {
        id,
        family,
        clientId: client.id,
        clientName: client.name,
        userId,
        workspaceId,
        scopes,
        resource: origin + audience,
        refreshes: client.refreshes,
        code: { hash: sha256(code), redirectUri, challenge },
      }),
    ]);
    if (!live) throw new Refusal("authentication_required", {}, true);
    if (!entered) refuse("workspace_access_denied");
    // The request was answered before (one request creates one grant), or its client was removed.
    if (!granted) refuse("invalid_link");
    record(
      oauthGranted({ kind: "oauth_grant", id }, { family, client_id: client.id, workspace_id: workspaceId, scopes }),
    );
    return { redirect_to: backTo(question, { code }, origin) };
  });
});

function refuseWorkspace(): never {
  const detail = "must name the Workspace that is opened";
  return refuseAt("/body/workspace_id", "invalid_request", detail, "required");
}
