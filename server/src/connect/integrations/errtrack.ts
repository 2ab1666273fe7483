// Requests of an error tracker. A valid signature identifies the installation, and every invalid request gets the same
// answer. Operations run as the installation, in Projects that are bound to the tracker's project, under the same rules
// as everybody's.
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import * as contract from "@svc/contract/connect/integrations/errtrack.ts";
import type { Queries } from "../../platform/database/db.ts";
import { type EffectsContext, implementWithEffects, open } from "../../platform/kernel/implement-operation.ts";
import { sha256 } from "../../platform/wire/ids.ts";
import { Refusal, refuse, refuseAt } from "../../platform/wire/problem.ts";
import { changedBinding } from "./access.ts";
import { describedBy, keyOfMade } from "./apply/apply-event.ts";
import { tasksWith } from "./apply/entity-store.ts";
import * as store from "./apply/errtrack-store.ts";
import { keepAt, tellShown } from "./apply/link-entities.ts";
import type { Entity } from "./client/provider.ts";
import { rulesOf } from "./install/binding-rules.ts";
import { webhookUrl } from "./install/hooks.ts";
import { errtrack } from "./providers/errtrack/errtrack.ts";
import { isAsked, sentrySecret } from "./providers/errtrack/requests.ts";
import { urlOf } from "./providers/untrusted-fields.ts";
import { type ResourceRules, signingRow } from "./rules.ts";

// ---- caller ---------------------------------------------------------------------------------------------------------

interface Asker extends store.Asking {
  /** Key of this request, from its path and the id that was signed with it, or from the signed body. */
  key: string;
}
/** Verifies against a random secret if no installation matches, so that timing does not reveal it. */
const NOBODYS = randomBytes(32).toString("base64");
async function asker(context: EffectsContext, named: string): Promise<Asker> {
  const { request, body } = context.sent;
  const found = await context.read((tx) => store.askingAs(tx, named));
  const now = new Date();
  if (found.length === 0) isAsked(request, body, NOBODYS, now);
  for (const each of found) {
    const secret = each.sealed_secret && context.outside.secrets.open(each.sealed_secret, signingRow(each.id));
    if (!isAsked(request, body, secret || NOBODYS, now) || !secret) continue;
    const signed = sentrySecret(secret) === null ? String(request.headers["webhook-id"]) : body;
    const path = request.url?.split("?")[0] ?? "";
    return { ...each, key: `asked-${sha256(`${path}\n${sha256(signed).toString("hex")}`).toString("base64url")}` };
  }
  return refuse("not_found");
}

/** Longer than a request lasts. */
const MOST_MS = 30_000;
const PASSES_AS_MISSING = new Set(["invalid_token", "authentication_required", "forbidden"]);
/**
 * Calls an operation as the installation, which sees the Projects bound to the resource. An access that ends meanwhile
 * reads as not found.
 */
const calling =
  ({ outside }: EffectsContext, { workspace_id: workspaceId, id: installationId }: Asker, resourceId: string) =>
  async (...asked: Parameters<ReturnType<typeof outside.performAs>>) => {
    const acting = { workspaceId, installationId, resourceId, userId: null };
    try {
      return await outside.performAs(acting, AbortSignal.timeout(MOST_MS))(...asked);
    } catch (error) {
      if (error instanceof Refusal && PASSES_AS_MISSING.has(error.code)) return refuse("not_found");
      throw error;
    }
  };

// ---- choices --------------------------------------------------------------------------------------------------------

const choices = (rows: readonly { value: string; label: string }[]) => ({
  json: JSON.stringify(rows.slice(0, contract.MOST_CHOICES)),
});

export const listErrtrackBindings = implementWithEffects(
  contract.listErrtrackBindings,
  open(),
  async (context, { query: { installationId, projectSlug = null } }) => {
    const { id, workspace_id } = await asker(context, installationId);
    const bound = await context.read((tx) => store.boundToNamed(tx, id, projectSlug), workspace_id);
    const offered = bound.filter(({ archived }) => !archived);
    return choices(offered.map(({ id: value, key, name }) => ({ value, label: `${key} · ${name}` })));
  },
);

interface Found {
  id: string;
  code: string;
  project_id: string;
  title?: string;
  name?: string;
}
export const listErrtrackTasks = implementWithEffects(
  contract.listErrtrackTasks,
  open(),
  async (context, { query: { installationId, projectSlug, query = "" } }) => {
    const asking = await asker(context, installationId);
    const bound = await context.read((tx) => store.boundToNamed(tx, asking.id, projectSlug), asking.workspace_id);
    const offered = bound.filter(({ archived }) => !archived);
    const [first] = offered;
    if (!first) return choices([]);
    const call = calling(context, asking, first.resource_id);
    const { body } =
      query.trim() === ""
        ? await call("listWorkspaceTasks", { query: { sort: "updated", limit: contract.MOST_CHOICES } })
        : await call("listReferenceOptions", { query: { q: query, kinds: "task", limit: 50 } });
    const found = (body.items as Found[]).filter((task) =>
      offered.some(
        ({ project_id, resource_id }) => project_id === task.project_id && resource_id === first.resource_id,
      ),
    );
    return choices(found.map(({ id: value, code, title, name }) => ({ value, label: `${code} · ${title ?? name}` })));
  },
);

// ---- Tasks ----------------------------------------------------------------------------------------------------------

const shownAs = ({ outside }: EffectsContext, { slug }: Asker, { id, key, number }: store.TaskOf) => ({
  task_id: id,
  webUrl: `${outside.origin()}/workspaces/${slug}/tasks/${key}-${number}`,
  project: key,
  identifier: number,
});

/** Time of an entity of which only the existence is known, so that any other report is newer. */
const LONG_AGO = new Date(0).toISOString();
const errorOf = (issueId: string | number, title: string, webUrl: string): Entity => ({
  kind: "error",
  externalId: String(issueId),
  title,
  url: urlOf(webUrl),
  state: "unresolved",
  changedAt: LONG_AGO,
});

/** The named Project, or the only one. */
function chosen(
  bound: readonly store.ErrtrackBinding[],
  named: string | null | undefined,
  at: string,
): store.ErrtrackBinding {
  const wanted = named?.toLowerCase();
  const found = wanted === undefined ? bound : bound.filter(({ id }) => id === wanted);
  const [one, another] = found;
  if (one && !another) return one;
  return refuseAt(at, "invalid_reference", "must be a binding that options/bindings has for this project");
}

/** Stores the entity at the Task and the request as answered, in one commit. */
async function kept(
  context: EffectsContext,
  { workspace_id: workspaceId, actor_id: actorId, id: installationId, key }: Asker,
  entity: Entity,
  asked: { lane: string; kind: string },
  find: (tx: Queries) => Promise<store.TaskOf & { resource_id: string }>,
): Promise<store.TaskOf> {
  return context.finish(({ tx, within, defer }) =>
    within({ workspaceId, actorId }, async () => {
      const task = await find(tx);
      const from = { installationId, resourceId: task.resource_id, providerKey: errtrack.key };
      const shower = { workspaceId, actorId, from };
      const [facts, standing] = await Promise.all([
        keepAt(tx, shower, [task], entity),
        tasksWith(tx, installationId, entity, [task.project_id]),
        store.take(tx, installationId, key, asked.lane, asked.kind),
      ]);
      if (facts.length === 0 && !standing.some(({ id }) => id === task.id)) refuse("limit_reached");
      defer(tellShown(tx, shower, facts));
      return task;
    }),
  );
}

/** Polls for the Task that a concurrent request with the same key creates. */
const LOOKS = 20;
const PAUSE_MS = 100;
const TWIN = new Set(["idempotency_key_conflict", "idempotency_in_progress"]);

export const createErrtrackIssueTask = implementWithEffects(
  contract.createErrtrackIssueTask,
  open(),
  async (context, { body: { installationId, issueId, webUrl, project, fields } }) => {
    const asking = await asker(context, installationId);
    const lane = String(project.id);
    const entity = errorOf(issueId, fields.title, webUrl);
    const standing = (tx: Queries) => store.tasksOfError(tx, asking.id, entity.externalId);
    const [bound, tasks, taken] = await context.read(
      (tx) =>
        Promise.all([store.boundTo(tx, asking.id, lane), standing(tx), store.wasTaken(tx, asking.id, asking.key)]),
      asking.workspace_id,
    );
    const binding = chosen(bound, fields.binding, "/body/fields/binding");
    const here = (all: typeof tasks) => all.filter(({ project_id }) => project_id === binding.project_id);
    const isOpen = ({ trashed }: { trashed: boolean }) => !trashed;
    const known = here(tasks).find((task) => taken || isOpen(task));
    if (known) return shownAs(context, asking, known);
    // The Task that it created has left the Project since; a repeat does not create another.
    if (taken) return refuse("not_found");

    const call = calling(context, asking, binding.resource_id);
    const asked = {
      params: { project_id: binding.project_id },
      body: { title: fields.title, description_markdown: describedBy(fields.description ?? "", entity.url) },
    };
    // Shares the idempotency key with deliveries, so that both create one Task. If that Task is gone since, this
    // request creates another, once.
    const gone = here(tasks).map(({ id }) => id);
    for (const again of [gone, [...gone, asking.key]]) {
      const key = keyOfMade(asking.id, entity, binding.project_id, ...again);
      const made = await call("createTask", { ...asked, key }).catch((error) =>
        error instanceof Refusal && TWIN.has(error.code) ? null : Promise.reject(error),
      );
      for (let looks = made ? 0 : LOOKS; looks > 0; looks--) {
        const twin = here(await context.read(standing, asking.workspace_id)).find(isOpen);
        if (twin) return shownAs(context, asking, twin);
        await sleep(PAUSE_MS);
      }
      if (!made || (made.repeated && !(await isThere(call, made.body.id)))) continue;
      const task = { ...made.body, number: String(made.body.number), key: binding.key };
      const kind = "issues/create";
      await kept(context, asking, entity, { lane, kind }, async () => ({ ...task, resource_id: binding.resource_id }));
      return shownAs(context, asking, task);
    }
    return refuse("overloaded", { retry_after: 1 });
  },
);
/** A stored response may outlive the Task that it names. */
const isThere = async (call: ReturnType<typeof calling>, id: string): Promise<boolean> => {
  const found = await call("getTask", { params: { task_id: id } }).catch((error) =>
    error instanceof Refusal && error.code === "not_found" ? null : Promise.reject(error),
  );
  return found !== null && found.body.trashed_at === null;
};

export const linkErrtrackIssue = implementWithEffects(
  contract.linkErrtrackIssue,
  open(),
  async (context, { body: { installationId, issueId, webUrl, project, fields } }) => {
    const asking = await asker(context, installationId);
    const lane = String(project.id);
    const entity = errorOf(issueId, `Error ${issueId}`, webUrl);
    const task = await kept(context, asking, entity, { lane, kind: "issues/link" }, async (tx) => {
      const found = await store.linkable(tx, fields.task, asking.id, lane);
      if (!found) return refuseAt("/body/fields/task", "invalid_reference", "must be a Task that options/tasks has");
      return found.archived ? refuse("project_archived") : found;
    });
    return shownAs(context, asking, task);
  },
);

export const checkErrtrackAlertAction = implementWithEffects(
  contract.checkErrtrackAlertAction,
  open(),
  async (context, { body: { installationId, fields } }) => {
    const asking = await asker(context, installationId);
    const bound = await context.read((tx) => store.boundTo(tx, asking.id, null), asking.workspace_id);
    const named = fields.find(({ name }) => name === "binding")?.value;
    if (!named) return refuseAt("/body/fields", "invalid_reference", "must say which binding");
    const { archived, key, name } = chosen(bound, named, "/body/fields");
    if (archived) refuse("project_archived");
    return context.finish(async () => ({ message: `It makes Tasks in ${key} · ${name}.` }));
  },
);

// ---- readiness ------------------------------------------------------------------------------------------------------

export const checkErrtrackReadiness = implementWithEffects(
  contract.checkErrtrackReadiness,
  changedBinding,
  async (context, { target }) => {
    if (target.provider_key !== errtrack.key) return refuse("not_found");
    return context.finish(async ({ tx, enqueue, member }) => {
      const facts = await store.factsOf(tx, target.id);
      const { installation_id, last_delivery_at } = facts;
      enqueue("refresh_integration", { workspace_id: member.workspaceId, installation_id });
      const checks = checksOf(facts, rulesOf(target.rules));
      return {
        is_ready: checks.every(({ state }) => state !== "todo"),
        webhook_url: webhookUrl(context.outside.origin(), errtrack.key, installation_id),
        last_delivery_at,
        checks,
      };
    });
  },
);

function checksOf(facts: store.BindingFacts, rules: ResourceRules) {
  const { state, listed, has_secret, last_delivery_at, subscribed } = facts;
  const needed: Partial<Record<contract.ErrtrackCheck, boolean>> = {
    connection: state === "active",
    project_listed: listed,
    signature: has_secret,
    deliveries: last_delivery_at !== null,
    subscription: subscribed,
  };
  const wished: Partial<Record<contract.ErrtrackCheck, boolean>> = {
    create_tasks: rules.create_tasks,
    resolve_there: rules.resolve_with_task,
    resolve_here: rules.resolve_with_task && rules.merged_status_id !== null,
  };
  return (Object.keys(contract.errtrackChecks) as contract.ErrtrackCheck[]).map((code) => {
    const done = needed[code] ?? wished[code] ?? false;
    const open = code in needed ? ("todo" as const) : ("optional" as const);
    return { code, state: done ? ("ready" as const) : open, next: done ? null : contract.errtrackChecks[code] };
  });
}
