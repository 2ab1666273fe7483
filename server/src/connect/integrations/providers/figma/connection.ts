// Connects Figma by OAuth (client_id, client_secret), as the authorising person. Figma lists no files of a person, so
// that a Project is bound to the account. Answers follow @figma/rest-api-spec 0.33.0.
import type { App } from "../../../../platform/settings/apps-config.ts";
import type { ConnectionAdapter, Roundtrip } from "../../client/provider.ts";
import { clientOf, granted, partyOf, tokensOf, withQuery } from "../oauth.ts";
import { fieldsOf } from "../untrusted-fields.ts";

export const FIGMA = "https://www.figma.com";
export const scopes = ["current_user:read", "file_content:read", "file_metadata:read"];
const basic = (app: App) => {
  const { client_id, client_secret } = clientOf(app);
  return { authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString("base64")}` };
};

const roundtrip: Roundtrip = {
  authorizeUrl: (app, { base, state, challenge, redirectUri, purpose }) =>
    withQuery(`${base}/oauth`, {
      client_id: app.client_id ?? "",
      redirect_uri: redirectUri,
      response_type: "code",
      state,
      scope: (purpose === "installation" ? scopes : scopes.slice(0, 1)).join(" "),
      code_challenge: challenge,
      code_challenge_method: "S256",
    }),
  async arrive(ask, app, { code, verifier, redirectUri, purpose }) {
    const form = { grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: verifier };
    const tokens = tokensOf(await granted(ask(), "/v1/oauth/token", form, basic(app)));
    const { id, handle } = fieldsOf((await ask(tokens)("GET", "/v1/me")).body);
    const person = partyOf(id, handle);
    const account = { ...person, managementUrl: `${FIGMA}/settings` };
    return { tokens, person, account: purpose === "installation" ? account : null };
  },
  async refresh(ask, app, { refresh = "" }) {
    const next = tokensOf(await granted(ask, "/v1/oauth/refresh", { refresh_token: refresh }, basic(app)));
    return { ...next, refresh: next.refresh ?? refresh };
  },
};

export const connection: ConnectionAdapter = {
  authorize: ({ access }) => ({ authorization: `Bearer ${access}` }),
  api: (base) => (base === FIGMA ? "https://api.figma.com" : base),
  roundtrip,
  resources: async (_ask, { externalId, name }) => [{ externalId, kind: "file", name, url: null }],
};
