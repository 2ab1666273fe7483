// Endpoints for the deliveries of providers. A valid signature identifies the installation, and every invalid request
// gets the same answer. A valid delivery is stored before it is answered, and worked later.
import { randomBytes } from "node:crypto";
import * as contract from "@svc/contract/connect/integrations/webhooks.ts";
import { type EffectsContext, implementWithEffects, open } from "../../platform/kernel/implement-operation.ts";
import { sha256 } from "../../platform/wire/ids.ts";
import { refuse } from "../../platform/wire/problem.ts";
import type { ProviderDefinition, Webhook } from "./client/provider.ts";
import { providers } from "./providers/providers.ts";
import { parsedBody } from "./providers/untrusted-fields.ts";
import { type AddressedInstallation, reachedByAccount, reachedById, receive, wake } from "./receive/delivery-store.ts";
import { signingRow } from "./rules.ts";

export const receiveProviderDelivery = implementWithEffects(
  contract.receiveProviderDelivery,
  open(),
  async (context, { params }) => {
    const { webhook, key, appSecret = "" } = sender(params.provider_key, "app");
    const body = verified(context, webhook, context.outside.integrations.apps[key]?.[appSecret]);
    const challenge = webhook.challenge?.(body);
    if (challenge) return challenge;
    const account = webhook.read(context.sent.request.headers, body)?.account ?? refuse("not_found");
    return stored(context, webhook, body, await context.read((tx) => reachedByAccount(tx, key, account)));
  },
);

export const receiveInstallationDelivery = implementWithEffects(
  contract.receiveInstallationDelivery,
  open(),
  async (context, { params }) => {
    const { webhook, key } = sender(params.provider_key, "installation");
    const reached = await context.read((tx) => reachedById(tx, key, params.installation_id));
    const secret = reached?.sealed_secret
      ? context.outside.secrets.open(reached.sealed_secret, signingRow(reached.id))
      : null;
    const body = verified(context, webhook, secret);
    const challenge = webhook.challenge?.(body);
    return challenge ?? stored(context, webhook, body, reached ? [reached] : []);
  },
);

function sender(key: string, secretOf: ProviderDefinition["secretOf"]): ProviderDefinition & { webhook: Webhook } {
  const found = providers.find((each) => each.key === key);
  return found?.webhook && found.secretOf === secretOf ? { ...found, webhook: found.webhook } : refuse("not_found");
}

/** Verifies against a random secret if none exists, so that timing does not reveal it. */
const NOBODYS = randomBytes(32).toString("base64");
function verified({ sent }: EffectsContext, webhook: Webhook, secret: string | null | undefined): unknown {
  const good = webhook.verify(sent.request.headers, sent.body, secret || NOBODYS, new Date());
  return good && secret ? (parsedBody(sent.body) ?? refuse("not_found")) : refuse("not_found");
}

/** Throttles wake-ups to a few a second under load: a worker polls again for longer than that. */
const WAKE_MS = 200;
let woken = 0;
let received = Number.NEGATIVE_INFINITY;
/** Whether deliveries are coming in: the worker yields to them meanwhile. */
export const areComing = () => performance.now() - received < 100;

async function stored(
  context: EffectsContext,
  webhook: Webhook,
  body: unknown,
  reached: readonly AddressedInstallation[],
) {
  const { sent } = context;
  const delivery = webhook.read(sent.request.headers, body) ?? refuse("not_found");
  if (reached.length === 0) refuse("not_found");
  const { lane, kind } = delivery;
  // An id that is not signed together with a time could be made up: then the digest of the body deduplicates.
  const key = (webhook.age !== null && delivery.key) || sha256(sent.body).toString("base64url");
  received = performance.now();
  const wakes = received - woken > WAKE_MS;
  if (wakes) woken = received;
  await context.finish(async ({ tx, defer }) => {
    defer(receive(tx, reached, { key, lane, kind, body: sent.body }));
    if (wakes) defer(wake(tx));
  });
  return {};
}
