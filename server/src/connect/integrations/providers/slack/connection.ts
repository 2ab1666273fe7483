// Connects Slack, as an app with a bot (client_id, client_secret, signing_secret). A person who installs it, or links
// their identity, returns with a code. Slack's user ids are unique within a team, so that a person is team:user.
import type { Ask, ConnectionAdapter, Resource, Roundtrip } from "../../client/provider.ts";
import { ProviderFault } from "../../client/provider-http.ts";
import { resourceOf } from "../list-pages.ts";
import { clientOf, partyOf, tokenIn, withQuery } from "../oauth.ts";
import { fieldsOf, textOf } from "../untrusted-fields.ts";
import { saidOf, slack } from "./web-api.ts";

export const SLACK = "https://slack.com";
export const scopes = [
  "channels:read",
  "channels:history",
  "groups:read",
  "groups:history",
  "chat:write",
  "links:read",
  "links:write",
  "commands",
  "users:read",
];

/** Person in a team. */
const personIn = (team: unknown, user: unknown, name: unknown) => {
  const [place, who] = [textOf(team, 40), textOf(user, 40)];
  if (place === "" || who === "") throw new ProviderFault("unreachable");
  return partyOf(`${place}:${who}`, name);
};

async function channels(ask: Ask): Promise<Resource[]> {
  const found: Resource[] = [];
  let cursor = "";
  do {
    const query = "types=public_channel,private_channel&exclude_archived=true&limit=200";
    const page = await slack(ask, "GET", `/conversations.list?${query}&cursor=${encodeURIComponent(cursor)}`);
    if (!Array.isArray(page.channels)) throw new ProviderFault("unreachable");
    found.push(...page.channels.map(fieldsOf).flatMap(({ id, name }) => resourceOf("channel", id, name, null) ?? []));
    cursor = textOf(fieldsOf(page.response_metadata).next_cursor, 500);
  } while (cursor !== "" && found.length < 1000);
  return found.slice(0, 1000);
}

const roundtrip: Roundtrip = {
  authorizeUrl: (app, { base, state, redirectUri, purpose }) =>
    withQuery(`${base}/oauth/v2/authorize`, {
      client_id: app.client_id ?? "",
      redirect_uri: redirectUri,
      state,
      ...(purpose === "installation" ? { scope: scopes.join(",") } : { user_scope: "identity.basic" }),
    }),
  async arrive(ask, app, { code, redirectUri, purpose }) {
    const form = { ...clientOf(app), code, redirect_uri: redirectUri };
    const answer = saidOf(await ask()("POST", "/oauth.v2.access", { form }), "POST");
    const [team, user] = [fieldsOf(answer.team), fieldsOf(answer.authed_user)];
    if (purpose === "identity") {
      const tokens = { access: tokenIn(user.access_token) };
      const own = await slack(ask(tokens), "GET", "/users.identity");
      const [whose, where] = [fieldsOf(own.user), fieldsOf(own.team)];
      return { tokens, person: personIn(where.id, whose.id, whose.name), account: null };
    }
    const tokens = { access: tokenIn(answer.access_token) };
    const info = await slack(ask(tokens), "GET", `/users.info?user=${encodeURIComponent(textOf(user.id, 40))}`);
    const person = personIn(team.id, user.id, fieldsOf(info.user).name);
    return { tokens, person, account: { ...partyOf(team.id, team.name), managementUrl: `${SLACK}/apps/manage` } };
  },
  async revoke(ask, _app, { access }) {
    saidOf(await ask("POST", "/auth.revoke", { headers: { authorization: `Bearer ${access}` } }), "POST");
  },
};

export const connection: ConnectionAdapter = {
  authorize: ({ access }) => ({ authorization: `Bearer ${access}` }),
  api: (base) => `${base}/api`,
  roundtrip,
  resources: channels,
};
