// Webhook endpoints: created, changed, given a new secret and deleted. A secret leaves the service only in the answer
// that creates it, and is stored sealed. Nothing is sent from here.
import * as contract from "@svc/contract/connect/webhooks/endpoints.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { managing } from "../../accounts/workspaces/rules.ts";
import { requireProjects } from "../../accounts/workspaces/store.ts";
import { settleAbout } from "../../history/inbox/change.ts";
import { differing } from "../../platform/database/sql.ts";
import {
  type EffectsContext,
  implement,
  implementList,
  implementWithEffects,
} from "../../platform/kernel/implement-operation.ts";
import { extended, render } from "../../platform/kernel/view.ts";
import { newId } from "../../platform/wire/ids.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";
import { newWebhookSecret } from "../../platform/wire/standard-webhooks.ts";
import { type EndpointTarget, endpoint, endpointsOfWorkspace, MANAGE, readEndpoint } from "./access.ts";
import { endpointCreated, endpointDeleted, endpointUpdated, secretRotated, subjectOf } from "./events.ts";
import { sealedFor } from "./rules.ts";
import * as store from "./store.ts";

export const listWebhookEndpoints = implementList(contract.listWebhookEndpoints, workspace(MANAGE), (tx, { page }) =>
  store.listEndpoints(tx, page),
);

export const getWebhookEndpoint = implement(contract.getWebhookEndpoint, endpoint(), async ({ member }, { target }) =>
  render(target, managing(member.role, MANAGE)),
);

const REFUSED = "must be an https address of the public internet, or of an origin that WEBHOOK_ALLOW names";
/** Refuses an address that every delivery would refuse. A name that does not resolve now is accepted. */
async function requireUsable({ outside }: EffectsContext, url: string): Promise<void> {
  if ((await outside.webhooks.refusesNow(url)) !== null) refuseAt("/body/url", "webhook_url_refused", REFUSED);
}

export const createWebhookEndpoint = implementWithEffects(
  contract.createWebhookEndpoint,
  endpointsOfWorkspace(),
  async (context, { body }) => {
    const { name, url, actions, project_ids: projectIds = [], enabled = true } = body;
    await requireUsable(context, url);
    const [id, secret] = [newId(), newWebhookSecret()];
    const sealedSecret = context.outside.secrets.seal(secret, sealedFor(id));
    return context.finish(async ({ tx, member, record }) => {
      const [, , room] = await Promise.all([
        endpointsOfWorkspace().load(tx, {}, true),
        requireProjects(tx, projectIds, "project_ids"),
        store.hasRoom(tx, contract.MOST_ENDPOINTS),
      ]);
      if (!room) return refuse("limit_reached");
      const made = { id, name, url, actions, projectIds, enabled, sealedSecret };
      const [, row] = await Promise.all([store.createEndpoint(tx, made), readEndpoint(tx, id)]);
      record(endpointCreated(subjectOf(id), { actions, project_ids: projectIds }));
      return extended(render(row as EndpointTarget, managing(member.role, MANAGE)), { secret });
    });
  },
);

/** An endpoint cannot be assigned to another member: it sends under the rights of its creator. */
function ownCreator<Body extends { created_by_actor_id?: string }>(body: Body, actorId: string): Body {
  if (body.created_by_actor_id === undefined) return body;
  if (body.created_by_actor_id.toLowerCase() !== actorId)
    return refuseAt("/body/created_by_actor_id", "invalid_reference", "must be your own Actor id");
  return { ...body, created_by_actor_id: actorId };
}

export const updateWebhookEndpoint = implementWithEffects(
  contract.updateWebhookEndpoint,
  endpoint(),
  async (context, { target: { id, revision }, body: asked }) => {
    if (asked.url !== undefined) await requireUsable(context, asked.url);
    const body = ownCreator(asked, context.member.actorId);
    return context.finish(async ({ tx, member, record, defer }) => {
      const target = await readEndpoint(tx, id, true);
      if (!target) return refuse("not_found");
      if (context.namesRevision && target.revision !== revision) return refuse("revision_conflict");
      const shown = (row: EndpointTarget) => render(row, managing(member.role, MANAGE));
      const { name, url, actions, project_ids, enabled, created_by_actor_id } = target;
      const before = { name, url, actions, project_ids, enabled, created_by_actor_id };
      const changed = differing(body, before);
      if (changed === null) return shown(target);
      const hasCreator = target.has_creator || changed.created_by_actor_id !== undefined;
      if (changed.enabled && !hasCreator) return refuse("webhook_creator_left");
      const [, , row] = await Promise.all([
        requireProjects(tx, changed.project_ids ?? [], "project_ids"),
        store.updateEndpoint(tx, id, { ...before, ...changed }, changed.enabled === true),
        readEndpoint(tx, id),
      ]);
      if (changed.enabled) defer(settleAbout(tx, [id], "webhook_disabled"));
      record(endpointUpdated(subjectOf(id), { fields: Object.keys(changed).sort() }));
      return shown(row as EndpointTarget);
    });
  },
);

export const deleteWebhookEndpoint = implement(
  contract.deleteWebhookEndpoint,
  endpoint(),
  async ({ tx, defer, record }, { target }) => {
    defer(store.deleteEndpoint(tx, target.id));
    defer(settleAbout(tx, [target.id], "webhook_disabled"));
    record(endpointDeleted(subjectOf(target.id)));
  },
);

export const rotateWebhookSecret = implementWithEffects(
  contract.rotateWebhookSecret,
  endpoint(),
  async (context, { target: { id, revision } }) => {
    const secret = newWebhookSecret();
    const sealed = context.outside.secrets.seal(secret, sealedFor(id));
    return context.finish(async ({ tx, member, record }) => {
      const target = await readEndpoint(tx, id, true);
      if (!target) return refuse("not_found");
      if (context.namesRevision && target.revision !== revision) return refuse("revision_conflict");
      const [, row] = await Promise.all([store.rotateSecret(tx, id, sealed), readEndpoint(tx, id)]);
      record(secretRotated(subjectOf(id)));
      return extended(render(row as EndpointTarget, managing(member.role, MANAGE)), { secret });
    });
  },
);
