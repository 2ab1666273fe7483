// Connects GitHub: as a GitHub App that somebody installs, with tokens that the app gets for the installation.
// `INTEGRATIONS_FILE` gives app_id, slug, client_id, client_secret, private_key (PEM) and webhook_secret. The app
// requests the authorisation of the installing person, so that a code comes with the redirect.
import { createPrivateKey, sign } from "node:crypto";
import type { App } from "../../../../platform/settings/apps-config.ts";
import type { Ask, ConnectionAdapter, Roundtrip } from "../../client/provider.ts";
import { ProviderFault } from "../../client/provider-http.ts";
import { issueLook, repositoryPath } from "../forge.ts";
import { numbered, pageIn, resourceOf } from "../list-pages.ts";
import { clientOf, granted, partyOf, tokenIn, tokensOf, withQuery } from "../oauth.ts";
import { fieldsOf, textOf } from "../untrusted-fields.ts";
import { TREE } from "./webhook.ts";

export const GITHUB = "https://github.com";
const baseIn = ({ url }: App) => url ?? GITHUB;

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
/** JWT of the app, valid for nine minutes and issued a minute ago, for clocks that differ. */
function appToken({ app_id, private_key = "" }: App): string {
  const now = Math.floor(Date.now() / 1000);
  const text = `${encoded({ alg: "RS256", typ: "JWT" })}.${encoded({ iat: now - 60, exp: now + 540, iss: app_id })}`;
  return `${text}.${sign("sha256", Buffer.from(text), createPrivateKey(private_key)).toString("base64url")}`;
}

/** The installation with this id, if the person's own token lists it; ten pages of a hundred. */
async function installationOf(ask: Ask, named: string | null) {
  for (let page = 1; named !== null && page <= 10; page++) {
    const { body } = await ask("GET", `/user/installations?per_page=100&page=${page}`, { bytes: 8 * 1024 * 1024 });
    const { installations } = fieldsOf(body);
    if (!Array.isArray(installations)) break;
    const found = installations.map(fieldsOf).find(({ id }) => textOf(id, 40) === named);
    if (found) return found;
    if (installations.length < 100) break;
  }
  throw new ProviderFault("credential_refused");
}

const repositories = (ask: Ask, path: string) =>
  numbered(
    ask,
    `${path}?per_page=100`,
    100,
    (body) => fieldsOf(body).repositories,
    (item) => {
      const { id, full_name, html_url } = fieldsOf(item);
      return resourceOf("repository", id, full_name, html_url);
    },
  );

const roundtrip: Roundtrip = {
  authorizeUrl(app, { base, state, challenge, redirectUri, purpose }) {
    if (purpose === "installation")
      return withQuery(`${base}/apps/${encodeURIComponent(app.slug ?? "")}/installations/new`, { state });
    const pkce = { code_challenge: challenge, code_challenge_method: "S256" };
    return withQuery(`${base}/login/oauth/authorize`, {
      client_id: app.client_id ?? "",
      redirect_uri: redirectUri,
      state,
      ...pkce,
    });
  },
  async arrive(ask, app, { code, verifier, redirectUri, purpose, named }) {
    // The page on which the app is installed takes no PKCE challenge.
    const proof: Record<string, string> = purpose === "installation" ? {} : { code_verifier: verifier };
    const form = { ...clientOf(app), code, redirect_uri: redirectUri, ...proof };
    const own = tokensOf(await granted(ask(), `${baseIn(app)}/login/oauth/access_token`, form));
    const asPerson = ask(own);
    const user = fieldsOf((await asPerson("GET", "/user")).body);
    const person = partyOf(user.id, user.login);
    if (purpose === "identity") return { tokens: own, person, account: null };
    const found = await installationOf(asPerson, named);
    const account = { ...partyOf(found.id, fieldsOf(found.account).login), managementUrl: pageIn(found.html_url) };
    // The person's tokens are discarded: the app gets tokens of its own for the installation.
    return {
      tokens: { access: "", refresh: account.externalId, expiresAt: new Date(0).toISOString() },
      person,
      account,
      // Only resources of the installation that the person sees.
      resources: await repositories(
        asPerson,
        `/user/installations/${encodeURIComponent(account.externalId)}/repositories`,
      ),
    };
  },
  async refresh(ask, app, { refresh = "" }) {
    const headers = { authorization: `Bearer ${appToken(app)}` };
    const { body } = await ask("POST", `/app/installations/${encodeURIComponent(refresh)}/access_tokens`, { headers });
    const { token, expires_at } = fieldsOf(body);
    const ends = Date.parse(textOf(expires_at, 40));
    if (Number.isNaN(ends)) throw new ProviderFault("unreachable");
    return { access: tokenIn(token), refresh, expiresAt: new Date(ends).toISOString() };
  },
  /** Revokes the token and not the installation, which other Workspaces may use. */
  async revoke(ask, _app, { access }) {
    if (access !== "") await ask("DELETE", "/installation/token", { headers: { authorization: `Bearer ${access}` } });
  },
};

export const connection: ConnectionAdapter = {
  authorize: ({ access }) => ({
    authorization: `Bearer ${access}`,
    accept: "application/vnd.github+json",
    "x-github-api-version": "2022-11-28",
  }),
  api: (base) => (base === GITHUB ? "https://api.github.com" : `${base}/api/v3`),
  roundtrip,
  listsMore: true,
  resources: (ask) => repositories(ask, "/installation/repositories"),
  async collaborates(ask, resource, { externalId, name }) {
    const path = `/repos/${repositoryPath(resource)}/collaborators/${encodeURIComponent(name)}/permission`;
    const { permission, user } = fieldsOf((await ask("GET", path)).body);
    return textOf(fieldsOf(user).id, 200) === externalId && ["admin", "write"].includes(textOf(permission, 20));
  },
  look: issueLook(TREE),
};
