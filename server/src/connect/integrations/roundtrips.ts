// Round trips to a provider: connect a Workspace, or link a person's identity. The provider is called outside every
// transaction, and a failure redirects back without its reason.
import * as contract from "@svc/contract/connect/integrations/roundtrips.ts";
import type { Redirect } from "@svc/contract/kit.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { may } from "../../accounts/workspaces/rules.ts";
import type { Queries } from "../../platform/database/db.ts";
import type { Role } from "../../platform/kernel/authentication.ts";
import { type EffectsContext, implementWithEffects, open } from "../../platform/kernel/implement-operation.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { availableProvider } from "./authorizations.ts";
import { type Arrived, baseOf, isRegistered, type ProviderDefinition } from "./client/provider.ts";
import { askOf } from "./client/provider-connection.ts";
import { ProviderFault } from "./client/provider-http.ts";
import { identityLinked } from "./events.ts";
import { connect } from "./install/create-installation.ts";
import { keepIdentity, type Linking, linkIdentity } from "./install/identity-store.ts";
import { type AuthorizationJourney, arrive, depart } from "./install/journeys.ts";
import { providerOf } from "./providers/providers.ts";

const redirectUri = ({ outside }: Pick<EffectsContext, "outside">) =>
  `${outside.origin()}/api/v1/integration-authorizations/callback`;

export const createIntegrationAuthorization = implementWithEffects(
  contract.createIntegrationAuthorization,
  workspace("workspace:read"),
  async (context, { body }) => {
    const { outside, member } = context;
    const { userId, credentialId } = context.principal ?? refuse("authentication_required");
    const { provider_key: providerKey, purpose, return_path: returnPath = "/" } = body;
    if (purpose === "installation" && !may(member.role, "integrations:manage")) return refuse("forbidden");
    const provider = availableProvider(context, providerKey);
    const { roundtrip } = provider.connection;
    const base = baseOf(provider, outside.integrations.apps, "");
    const app = outside.integrations.apps[providerKey];
    if (!roundtrip || !app || base === null || !isRegistered(provider, outside.integrations.apps))
      return refuse("authorization_unsupported");
    if (purpose === "identity" && !provider.identities) return refuse("authorization_unsupported");
    const journey = {
      providerKey,
      purpose,
      returnPath,
      workspaceId: member.workspaceId,
      userId,
      sessionId: credentialId,
    };
    const { state, challenge, keep } = depart(outside.secrets, journey);
    const way = { base, state, challenge, redirectUri: redirectUri(context), purpose };
    return context.finish(async ({ tx }) => ({ authorize_url: roundtrip.authorizeUrl(app, way), ...(await keep(tx)) }));
  },
);

const backTo = (path: string, outcome: "connected" | "failed"): Redirect => ({
  location: `${path}?integration=${outcome}`,
});

export const completeIntegrationAuthorization = implementWithEffects(
  contract.completeIntegrationAuthorization,
  open(),
  async (context, { query }) => {
    const journey = await arrive(context, query.state);
    if (!journey) return backTo("/", "failed");
    const { returnPath, providerKey, purpose, verifier } = journey;
    const failed = backTo(returnPath, "failed");
    const { apps } = context.outside.integrations;
    const [provider, app] = [providerOf.get(providerKey), apps[providerKey]];
    const base = provider && baseOf(provider, apps, "");
    if (!provider?.connection.roundtrip || !app || !base || !query.code || query.error !== undefined) return failed;
    const named = query.installation_id ?? null;
    const back = { code: query.code, verifier, redirectUri: redirectUri(context), purpose, named };
    try {
      const ask = askOf(context.outside, provider, base);
      const arrived = await provider.connection.roundtrip.arrive((tokens) => ask(tokens), app, back);
      await settle(context, provider, journey, arrived);
      return backTo(returnPath, "connected");
    } catch (error) {
      if (error instanceof ProviderFault || error instanceof Turned) return failed;
      throw error;
    }
  },
);

/** The person has lost the right meanwhile, or the identity is somebody else's. */
class Turned extends Error {}

const STANDING = `
select m.role, m.actor_id from memberships m join workspaces w on w.id = m.workspace_id and w.archived_at is null
where m.workspace_id = $1 and m.user_id = $2 and m.state = 'active' for share of m`;
const standingOf = (tx: Queries, { workspaceId, userId }: AuthorizationJourney) =>
  tx.maybe<{ role: Role; actor_id: string }>(STANDING, [workspaceId, userId]);

const settle = (
  context: EffectsContext,
  provider: ProviderDefinition,
  journey: AuthorizationJourney,
  arrived: Arrived,
) =>
  context.transaction(async (inside) => {
    const { tx, record, actAs, within } = inside;
    const { userId, workspaceId, purpose } = journey;
    const { account, person, tokens, resources = null } = arrived;
    const standing = await standingOf(tx, journey);
    if (!standing) throw new Turned();
    actAs(userId);
    const linking: Linking = { userId, providerKey: provider.key, baseUrl: "", person };
    const installs = purpose === "installation";
    if (installs) {
      if (!account || !may(standing.role, "integrations:manage")) throw new Turned();
      const there = { workspaceId, actorId: standing.actor_id };
      const found = { provider, baseUrl: "", account, tokens, resources };
      await within(there, () => connect(inside, context.outside.secrets, there, found));
    }
    const linked = provider.identities ? await (installs ? keepIdentity : linkIdentity)(tx, linking) : undefined;
    if (!linked && !installs) throw new Turned();
    if (linked) record(identityLinked({ kind: "integration_identity", id: linked.id }, { provider_key: provider.key }));
  });
