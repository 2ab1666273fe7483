// The authorization server for every client family: authorization requests up to the consent page, and the token
// endpoint. An authorization request grants nothing: only the person's consent does (consent.ts). Differences between
// the families are in rules.ts.
import { randomBytes } from "node:crypto";
import type { ErrorCode } from "@svc/contract/errors.ts";
import { type AnyOperation, pathOf, type Redirect } from "@svc/contract/kit.ts";
import type { EffectsContext, EffectsTransaction } from "../../platform/kernel/implement-operation.ts";
import { newId, secretKind } from "../../platform/wire/ids.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";
import { describedClient, isDocumentUrl } from "./client-documents.ts";
import { oauthGrantRedeemed, oauthGrantRefreshed, oauthGrantReplayed, oauthGrantRevoked } from "./events.ts";
import {
  answerTo,
  type Client,
  type ClientFamily,
  families,
  judge,
  mayRedirectTo,
  proves,
  scopesIn,
  withValues,
} from "./rules.ts";
import * as store from "./store.ts";

// ---- asking
// ------------------------------------------------------------------------------------------------------------------------

/**
 * A consent request. It is sealed, so that nobody else can read, change or create it, bound to one person, and expires.
 */
export interface ConsentRequest {
  /** Id of the future grant, so that a request is answered only once. */
  id: string;
  family: ClientFamily;
  userId: string;
  client: Pick<Client, "id" | "name" | "verified" | "refreshes">;
  redirectUri: string;
  scopes: string[];
  challenge: string;
  state?: string;
  expiresAt: number;
}
const QUESTION = "oauth consent";
const QUESTION_MS = 10 * 60 * 1000;

/** Opens the sealed consent request; refuses unless it is for this person and has not expired. */
export function questionIn({ principal, outside }: EffectsContext, sealed: string): ConsentRequest {
  const question = opened(outside, sealed);
  const now = principal ? Date.parse(principal.now) : Number.POSITIVE_INFINITY;
  if (!question || question.userId !== principal?.userId || question.expiresAt <= now) return refuse("invalid_link");
  return question;
}
function opened({ secrets }: EffectsContext["outside"], sealed: string): ConsentRequest | null {
  try {
    const question = secrets.open(sealed, QUESTION);
    return question && JSON.parse(question);
  } catch {
    return null;
  }
}

/** Redirect to the client with its state and the issuer (RFC 9207). */
export const backTo = (
  { redirectUri, state }: Pick<ConsentRequest, "redirectUri" | "state">,
  parameters: Record<string, string>,
  origin: string,
) => answerTo(redirectUri, { ...parameters, state, iss: origin });

function clientOf(context: EffectsContext, family: ClientFamily, id: string): Promise<Client | undefined> {
  const known = families[family].clients.find((client) => client.id === id);
  if (known || family !== "mcp") return Promise.resolve(known);
  return isDocumentUrl(id)
    ? describedClient(context.outside.egress, id)
    : context.read((tx) => store.registeredClient(tx, id));
}

const refuseQuery = (code: ErrorCode, name: string, detail: string): never => refuseAt(`/query/${name}`, code, detail);

/**
 * Validates an authorization request. Errors in the client or the redirect URI are shown to the person, all others are
 * sent to the client. A browser without a session is sent to the sign-in page and back.
 */
export async function authorize(
  context: EffectsContext,
  family: ClientFamily,
  operation: AnyOperation,
  query: Record<string, unknown>,
): Promise<Redirect> {
  const { principal, outside } = context;
  const sent = withValues(query);
  const { client_id: id, redirect_uri: redirectUri, state } = sent;
  const here = `${pathOf(operation)}?${new URLSearchParams(sent as Record<string, string>)}`;
  const signIn = { location: `/login?return_to=${encodeURIComponent(here)}` };
  if (id === undefined) return refuseQuery("invalid_request", "client_id", "must be given");
  // Fetches metadata documents only for signed-in callers.
  if (!principal && family === "mcp" && isDocumentUrl(id)) return signIn;
  const client = (await clientOf(context, family, id)) ?? refuseQuery("unauthorized_client", "client_id", "is unknown");
  if (redirectUri === undefined) return refuseQuery("invalid_request", "redirect_uri", "must be given");
  if (!mayRedirectTo(client, redirectUri)) refuseQuery("invalid_redirect_uri", "redirect_uri", "is not registered");
  const judged = judge(family, client, sent, outside.origin());
  if ("error" in judged) {
    const parameters = { error: judged.error, error_description: judged.detail };
    return { location: backTo({ redirectUri, state }, parameters, outside.origin()) };
  }
  if (!principal) return signIn;
  const { name, verified, refreshes } = client;
  const question: ConsentRequest = {
    id: newId(),
    family,
    userId: principal.userId,
    client: { id, name, verified, refreshes },
    redirectUri,
    ...judged,
    ...(state === undefined ? {} : { state }),
    expiresAt: Date.parse(principal.now) + QUESTION_MS,
  };
  return { location: `/consent?request=${outside.secrets.seal(JSON.stringify(question), QUESTION)}` };
}

/** 256 bits; only the hash is stored. */
export const newCode = () => randomBytes(32).toString("base64url");

// ---- tokens
// ------------------------------------------------------------------------------------------------------------------------

export interface TokenResponse {
  access_token: string;
  token_type: "Bearer";
  expires_in: number;
  refresh_token?: string;
  scope: string;
}
export const tokensOf = (family: ClientFamily, { access, refresh, scopes }: store.Issued): TokenResponse => ({
  access_token: access,
  token_type: "Bearer",
  expires_in: families[family].accessSeconds,
  ...(refresh === null ? {} : { refresh_token: refresh }),
  scope: scopes.join(" "),
});

/** The token endpoint of a family: exchanges a code or a refresh token for new tokens. */
export async function exchange(
  context: EffectsContext,
  family: ClientFamily,
  body: Record<string, unknown>,
): Promise<TokenResponse> {
  const sent = withValues(body);
  const { grant_type: type, client_id: clientId, resource } = sent;
  const required = (name: string): string => sent[name] ?? refuseBody("invalid_request", name, "must be given");
  required("grant_type");
  if (type !== "authorization_code" && type !== "refresh_token") refuse("unsupported_grant_type");
  if (clientId === undefined) return refuse("invalid_client");
  if (resource !== undefined && resource !== context.outside.origin() + families[family].audience)
    refuse("invalid_target");
  const issued =
    type === "authorization_code"
      ? await redeem(context, family, {
          clientId,
          code: required("code"),
          redirectUri: required("redirect_uri"),
          verifier: required("code_verifier"),
        })
      : await refreshed(context, family, clientId, required("refresh_token"), scopesIn(sent.scope) ?? null);
  return tokensOf(family, issued ?? refuse("invalid_grant"));
}

const refuseBody = (code: ErrorCode, name: string, detail: string): never => refuseAt(`/body/${name}`, code, detail);

interface Redemption {
  clientId: string;
  code: string;
  redirectUri: string;
  verifier: string;
}
/**
 * A caller who cannot prove possession of the code changes nothing: the code stays unused, and its tokens stay valid.
 */
async function redeem({ read, transaction, limit }: EffectsContext, family: ClientFamily, sent: Redemption) {
  const found = await read((tx) => store.codeOf(tx, sent.code));
  const own = found?.family === family && found.client_id === sent.clientId && found.redirect_uri === sent.redirectUri;
  if (!own || !proves(sent.verifier, found.code_challenge)) return refuse("invalid_grant");
  return transaction(async (context) => {
    const issued = await store.redeemCode(context.tx, family, sent.code);
    if (issued) return recorded(context, limit, issued, oauthGrantRedeemed);
    const used = await store.grantOfUsedCode(context.tx, sent.code);
    return used ? replayed(context, used.grant_id) : refuse("invalid_grant");
  });
}

async function refreshed(
  { transaction, limit }: EffectsContext,
  family: ClientFamily,
  clientId: string,
  token: string,
  scopes: string[] | null,
) {
  if (secretKind(token) !== families[family].refresh) return refuse("invalid_grant");
  return transaction(async (context) => {
    const issued = await store.rotate(context.tx, family, clientId, token, scopes);
    if (issued) return recorded(context, limit, issued, oauthGrantRefreshed);
    const found = await store.refreshTokenOf(context.tx, family, clientId, token);
    if (found?.used) return replayed(context, found.grant_id);
    return refuse(found?.live ? "invalid_scope" : "invalid_grant");
  });
}

/** Counts against the person's limit. Above it nothing is issued, and the presented code or token stays valid. */
async function recorded(
  { record, actAs }: EffectsTransaction,
  limit: EffectsContext["limit"],
  issued: store.Issued,
  fact: typeof oauthGrantRedeemed,
) {
  await limit("token", `person ${issued.userId}`);
  actAs(issued.userId);
  record(fact({ kind: "oauth_grant", id: issued.grantId }, { scopes: issued.scopes }));
  return issued;
}

/**
 * Revokes the grant of a replayed code or token and commits, so that the revocation persists although the caller is
 * refused.
 */
async function replayed({ tx, record, actAs }: EffectsTransaction, grantId: string): Promise<null> {
  const userId = await store.revokeGrant(tx, grantId);
  if (userId !== undefined) actAs(userId);
  record(oauthGrantReplayed({ kind: "oauth_grant", id: grantId }));
  return null;
}

/** Revokes the grant with all its tokens; a grant that was revoked before does not change. */
export async function revoke(
  { tx, record }: Pick<EffectsTransaction, "tx" | "record">,
  grantId: string,
): Promise<void> {
  const userId = await store.revokeGrant(tx, grantId);
  if (userId !== undefined) record(oauthGrantRevoked({ kind: "oauth_grant", id: grantId }));
}
