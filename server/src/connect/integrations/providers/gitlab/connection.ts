// Connects GitLab: by OAuth if the operator has registered an application (client_id, client_secret), else with an
// access token (scope api); at gitlab.com or a self-hosted server. Unverified: GitLab publishes no package of its
// answers; they follow the documentation of its REST API v4.
import type { App } from "../../../../platform/settings/apps-config.ts";
import type { Ask, ConnectionAdapter, Resource, Roundtrip } from "../../client/provider.ts";
import { ProviderFault } from "../../client/provider-http.ts";
import { numbered, pageIn, resourceOf } from "../list-pages.ts";
import { clientOf, granted, partyOf, tokensOf, withQuery } from "../oauth.ts";
import { fieldsOf, textOf } from "../untrusted-fields.ts";
import { hear, look } from "./merge-requests.ts";

export const GITLAB = "https://gitlab.com";
const baseIn = ({ url }: App) => url ?? GITLAB;
const at = ({ externalId }: Resource, path: string) => `/projects/${encodeURIComponent(externalId)}${path}`;

async function personOf(ask: Ask) {
  const { id, username, web_url } = fieldsOf((await ask("GET", "/user")).body);
  return { ...partyOf(id, username), page: pageIn(web_url) };
}
/** Page on which the authorising person manages the connection. */
const managed = (page: string | null, part: string) =>
  page === null ? null : `${new URL(page).origin}/-/user_settings/${part}`;

const roundtrip: Roundtrip = {
  authorizeUrl: (app, { base, state, challenge, redirectUri, purpose }) =>
    withQuery(`${base}/oauth/authorize`, {
      client_id: app.client_id ?? "",
      redirect_uri: redirectUri,
      response_type: "code",
      state,
      scope: purpose === "installation" ? "api" : "read_user",
      code_challenge: challenge,
      code_challenge_method: "S256",
    }),
  async arrive(ask, app, { code, verifier, redirectUri, purpose }) {
    const form = { ...clientOf(app), grant_type: "authorization_code", code, redirect_uri: redirectUri };
    const body = await granted(ask(), `${baseIn(app)}/oauth/token`, { ...form, code_verifier: verifier });
    const tokens = tokensOf(body);
    const { page, ...person } = await personOf(ask(tokens));
    const account = { ...person, managementUrl: managed(page, "applications") };
    return { tokens, person, account: purpose === "installation" ? account : null };
  },
  async refresh(ask, app, { refresh = "" }) {
    const form = { ...clientOf(app), grant_type: "refresh_token", refresh_token: refresh };
    return tokensOf(await granted(ask, `${baseIn(app)}/oauth/token`, form));
  },
  async revoke(ask, app, { access }) {
    if (app.client_id) await granted(ask, `${baseIn(app)}/oauth/revoke`, { ...clientOf(app), token: access });
  },
};

/** Events of a webhook: pushes, merge requests, notes, issues and pipelines. */
const HOOK = {
  push_events: true,
  merge_requests_events: true,
  note_events: true,
  pipeline_events: true,
  issues_events: true,
  enable_ssl_verification: true,
};

export const connection: ConnectionAdapter = {
  authorize: ({ access }) => ({ authorization: `Bearer ${access}` }),
  api: (base) => `${base}/api/v4`,
  roundtrip,
  async enter(ask) {
    const { page, ...person } = await personOf(ask);
    return { ...person, managementUrl: managed(page, "personal_access_tokens") };
  },
  // Only projects for which webhooks can be registered.
  resources: (ask) =>
    numbered(
      ask,
      "/projects?membership=true&min_access_level=40&archived=false&simple=true&order_by=id&sort=asc&per_page=100",
      100,
      (body) => body,
      (item) => {
        const { id, path_with_namespace, web_url } = fieldsOf(item);
        return resourceOf("repository", id, path_with_namespace, web_url);
      },
    ),
  async collaborates(ask, resource, { externalId }) {
    const path = at(resource, `/members/all/${encodeURIComponent(externalId)}`);
    const { id, access_level, state } = fieldsOf((await ask("GET", path)).body);
    return textOf(id, 200) === externalId && Number(access_level) >= 30 && state === "active";
  },
  look,
  hear,
  hook: {
    async register(ask, resource, url, secret) {
      const { body } = await ask("GET", at(resource, "/hooks?per_page=100"));
      const known = (Array.isArray(body) ? body : []).map(fieldsOf).find((each) => each.url === url);
      const json = { url, token: secret, ...HOOK };
      const made = known
        ? await ask("PUT", at(resource, `/hooks/${encodeURIComponent(textOf(known.id, 40))}`), { json })
        : await ask("POST", at(resource, "/hooks"), { json });
      const id = textOf(fieldsOf(made.body).id, 40);
      if (id === "") throw new ProviderFault("unknown");
      return id;
    },
    async remove(ask, resource, externalId) {
      await ask("DELETE", at(resource, `/hooks/${encodeURIComponent(externalId)}`));
    },
  },
};
