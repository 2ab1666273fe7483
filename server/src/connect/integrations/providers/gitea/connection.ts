// Connects Gitea and Forgejo: by OAuth if the operator has registered an application (url, client_id, client_secret),
// else with an access token and the server's address. Answers follow gitea-js 1.23.0.
import type { App } from "../../../../platform/settings/apps-config.ts";
import type { Ask, ConnectionAdapter, Roundtrip } from "../../client/provider.ts";
import { ProviderFault } from "../../client/provider-http.ts";
import { issueLook, repositoryPath } from "../forge.ts";
import { numbered, pageIn, resourceOf } from "../list-pages.ts";
import { clientOf, granted, partyOf, tokensOf, withQuery } from "../oauth.ts";
import { fieldsOf, textOf } from "../untrusted-fields.ts";
import { TREE } from "./webhook.ts";

const baseIn = ({ url = "" }: App) => url;

async function personOf(ask: Ask) {
  const { id, login, html_url } = fieldsOf((await ask("GET", "/user")).body);
  const page = pageIn(html_url);
  const managementUrl = page === null ? null : `${new URL(page).origin}/user/settings/applications`;
  return { person: partyOf(id, login), managementUrl };
}

const roundtrip: Roundtrip = {
  authorizeUrl: (app, { base, state, challenge, redirectUri }) =>
    withQuery(`${base}/login/oauth/authorize`, {
      client_id: app.client_id ?? "",
      redirect_uri: redirectUri,
      response_type: "code",
      state,
      code_challenge: challenge,
      code_challenge_method: "S256",
    }),
  async arrive(ask, app, { code, verifier, redirectUri, purpose }) {
    const form = { ...clientOf(app), grant_type: "authorization_code", code, redirect_uri: redirectUri };
    const body = await granted(ask(), `${baseIn(app)}/login/oauth/access_token`, { ...form, code_verifier: verifier });
    const tokens = tokensOf(body);
    const { person, managementUrl } = await personOf(ask(tokens));
    return { tokens, person, account: purpose === "installation" ? { ...person, managementUrl } : null };
  },
  async refresh(ask, app, { refresh = "" }) {
    const form = { ...clientOf(app), grant_type: "refresh_token", refresh_token: refresh };
    return tokensOf(await granted(ask, `${baseIn(app)}/login/oauth/access_token`, form));
  },
};

const EVENTS = [
  "create",
  "delete",
  "push",
  "pull_request",
  "pull_request_comment",
  "pull_request_review",
  "issues",
  "issue_comment",
];

export const connection: ConnectionAdapter = {
  // The same for OAuth tokens and personal ones.
  authorize: ({ access }) => ({ authorization: `Bearer ${access}` }),
  api: (base) => `${base}/api/v1`,
  roundtrip,
  async enter(ask) {
    const { person, managementUrl } = await personOf(ask);
    return { ...person, managementUrl };
  },
  // Only repositories for which webhooks can be registered.
  resources: (ask) =>
    numbered(
      ask,
      "/user/repos?limit=50",
      50,
      (body) => body,
      (item) => {
        const { id, full_name, html_url, permissions } = fieldsOf(item);
        return fieldsOf(permissions).admin === true ? resourceOf("repository", id, full_name, html_url) : null;
      },
    ),
  async collaborates(ask, resource, { externalId, name }) {
    const path = `/repos/${repositoryPath(resource)}/collaborators/${encodeURIComponent(name)}/permission`;
    const { permission, user } = fieldsOf((await ask("GET", path)).body);
    return (
      textOf(fieldsOf(user).id, 200) === externalId && ["owner", "admin", "write"].includes(textOf(permission, 20))
    );
  },
  look: issueLook(TREE),
  hook: {
    async register(ask, resource, url, secret) {
      const path = `/repos/${repositoryPath(resource)}/hooks`;
      const { body } = await ask("GET", `${path}?limit=50`);
      const known = (Array.isArray(body) ? body : []).map(fieldsOf).find((each) => fieldsOf(each.config).url === url);
      const json = { active: true, events: EVENTS, config: { url, content_type: "json", secret } };
      const made = known
        ? await ask("PATCH", `${path}/${encodeURIComponent(textOf(known.id, 40))}`, { json })
        : await ask("POST", path, { json: { type: "gitea", ...json } });
      const id = textOf(fieldsOf(made.body).id, 40);
      if (id === "") throw new ProviderFault("unknown");
      return id;
    },
    async remove(ask, resource, externalId) {
      await ask("DELETE", `/repos/${repositoryPath(resource)}/hooks/${encodeURIComponent(externalId)}`);
    },
  },
};
