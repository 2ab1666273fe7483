// Applies an event of a provider in the Projects that are bound to its resource and subscribe to it: entities at Tasks,
// Tasks that move or are created, comments. Events by unknown people are shown and move nothing. Each step is
// idempotent.
import type { CallInput, OperationCaller } from "../../../assistant/tools/operation-calls.ts";
import { writeEvents } from "../../../platform/kernel/ledger.ts";
import { Refusal } from "../../../platform/wire/problem.ts";
import type { By, Entity, ResourceEvent } from "../client/provider.ts";
import { codesIn, isRecentEnough, quoted, rulesOf, statusFor } from "../install/binding-rules.ts";
import {
  type DeliveryContext,
  keyFor,
  type Of,
  projectsOf,
  resourceOf,
  ruledBy,
  within,
} from "../receive/delivery-context.ts";
import { actingFor, asItIsNow, asItIsSaid, callingIn } from "../receive/verify-event.ts";
import { isMarked } from "../send/action-rules.ts";
import { boundTo, type EventBinding, keepComment, knowsComment, standingOf } from "./apply-event-store.ts";
import { richEntityChanged } from "./entity-events.ts";
import { type AtTask, keepChecks, tasksNamed, tasksWith } from "./entity-store.ts";
import { commandOf, showAt, subjectOf } from "./link-entities.ts";
import { answerWanted, showMentioned } from "./reply.ts";

/** False if no binding subscribes to it. */
export async function follow(place: DeliveryContext, happened: ResourceEvent): Promise<boolean> {
  const name = `${happened.kind} ${happened.resource}`;
  const bound =
    place.bound.get(name) ??
    (await within(place, (tx) => boundTo(tx, place.installation.id, happened.resource, happened.kind)));
  place.bound.set(name, bound);
  if (bound.length === 0) return false;
  if (happened.what === "entity") await ofEntity(place, bound, happened);
  else if (happened.what === "checks") await ofChecks(place, bound, happened);
  else if (happened.what === "comment") await ofComment(place, bound, happened);
  else if (happened.what === "error") await ofError(place, bound, happened);
  else if (happened.what === "task_wanted") await ofWanted(place, bound, happened);
  else await showMentioned(place, bound, happened);
  return true;
}

/** Transient error codes, which are retried; other refusals are final. */
const PASSING = new Set([
  "overloaded",
  "maintenance",
  "rate_limited",
  "idempotency_in_progress",
  "internal",
  "request_timeout",
]);
async function unlessRefused(call: OperationCaller, operation: string, asked: CallInput) {
  try {
    return await call(operation, asked);
  } catch (error) {
    if (error instanceof Refusal && !PASSING.has(error.code)) return error;
    throw error;
  }
}

// ---- kinds of events ------------------------------------------------------------------------------------------------

const show = (place: DeliveryContext, bound: readonly EventBinding[], tasks: readonly AtTask[], entity: Entity) => {
  const { workspaceId, installation } = place;
  const { id: installationId, actor_id: actorId, provider_key: providerKey } = installation;
  const from = { installationId, resourceId: resourceOf(bound), providerKey };
  return within(place, (tx) => showAt(tx, { workspaceId, actorId, from }, tasks, entity));
};

/** Tasks whose codes it names, and those that already show it. */
const tasksOf = (place: DeliveryContext, bound: readonly EventBinding[], { entity, texts }: Of<"entity">) =>
  within(place, async (tx) => {
    const codes = codesIn(texts, new Set(bound.map(({ project_key }) => project_key)));
    const [named, before] = await Promise.all([
      codes.length > 0 ? tasksNamed(tx, codes, projectsOf(bound)) : [],
      tasksWith(tx, place.installation.id, entity, projectsOf(bound)),
    ]);
    return [...new Map([...named, ...before].map((task) => [task.id, task])).values()];
  });

async function ofEntity(place: DeliveryContext, bound: readonly EventBinding[], told: Of<"entity">) {
  // Calls the provider only for entities of some Task.
  const about = await tasksOf(place, bound, told);
  const now = about.length > 0 ? await asItIsNow(place, bound, told) : null;
  if (!now) return;
  const { entity, step, by } = now;
  const tasks = now === told ? about : await tasksOf(place, bound, now);
  await show(place, bound, tasks, entity);
  const moving = tasks.filter(({ project_id }) => statusFor(ruledBy(bound, project_id), step) !== null);
  if (moving.length === 0) return;
  const call = await actingFor(place, bound, by);
  for (const task of call ? moving : [])
    await move(place, call as OperationCaller, task, statusFor(ruledBy(bound, task.project_id), step) as string);
}

const ENDED = new Set(["completed", "cancelled"]);
const TRIES = 3;
/** Leaves ended Tasks where they are. Completion rules apply as for everybody: a Task that they refuse stays. */
async function move(place: DeliveryContext, call: OperationCaller, { id }: AtTask, statusId: string) {
  for (let left = TRIES; left > 0; left--) {
    const standing = await within(place, (tx) => standingOf(tx, id));
    if (!standing || standing.status_id === statusId || ENDED.has(standing.category)) return;
    const moved = await unlessRefused(call, "updateTask", {
      params: { task_id: id },
      body: { status_id: statusId },
      key: keyFor(place, "move", id),
      revision: standing.revision,
    });
    if (!(moved instanceof Refusal) || moved.code !== "revision_conflict") return;
  }
}
/**
 * Idempotency key of the Task that is created for an entity in a Project, by a delivery or a request; `again`: of a
 * Task that replaces an earlier one.
 */
export const keyOfMade = (
  installationId: string,
  { kind, externalId }: Pick<Entity, "kind" | "externalId">,
  projectId: string,
  ...again: string[]
) => keyFor({ cause: installationId }, "make", kind, externalId, projectId, ...again);

async function ofChecks(
  place: DeliveryContext,
  bound: readonly EventBinding[],
  { of, checks, changedAt }: Of<"checks">,
) {
  const { installation, workspaceId } = place;
  if (!isRecentEnough(changedAt, new Date())) return;
  await within(place, async (tx) => {
    const kept = [];
    for (const each of of) kept.push(...(await keepChecks(tx, installation.id, each, checks, projectsOf(bound))));
    const facts = kept.map(({ id, task_id, project_id }) => richEntityChanged(subjectOf(id, task_id, project_id)));
    if (facts.length > 0) await writeEvents(tx, commandOf(), workspaceId, installation.actor_id, facts);
  });
}

const MOST_COMMENT = 20_000;
/** Does not import a comment that exists on both sides, such as one that we wrote there. */
async function ofComment(place: DeliveryContext, bound: readonly EventBinding[], told: Of<"comment">) {
  const { installation, provider } = place;
  const { on } = told;
  const synced = bound.filter(({ rules }) => rulesOf(rules).sync_comments);
  if (synced.length === 0 || isMarked(told.comment.text)) return;
  const [known, tasks] = await within(place, (tx) =>
    Promise.all([
      knowsComment(tx, installation.id, told.comment.externalId),
      tasksWith(tx, installation.id, on, projectsOf(synced)),
    ]),
  );
  // Calls the provider only for comments on an entity of some Task.
  const now = known || tasks.length === 0 ? null : await asItIsSaid(place, bound, told);
  if (!now || isMarked(now.comment.text)) return;
  const { comment, by } = now;
  const call = await actingFor(place, bound, by);
  if (!call) return;
  const said = quoted(comment.text.slice(0, MOST_COMMENT));
  const markdown = `${said}\n\n[${quoted(by?.name ?? "")} · ${provider.name}](${comment.url})`;
  for (const { id } of tasks) {
    const key = keyFor(place, "comment", comment.externalId, id);
    const made = await unlessRefused(call, "createTaskComment", { params: { task_id: id }, body: { markdown }, key });
    if (!(made instanceof Refusal))
      await within(place, (tx) => keepComment(tx, installation.id, comment.externalId, made.body.id));
  }
}

async function ofError(
  place: DeliveryContext,
  bound: readonly EventBinding[],
  { entity, detail, step, by, binding }: Of<"error">,
) {
  const known = await within(place, (tx) => tasksWith(tx, place.installation.id, entity, projectsOf(bound)));
  if (known.length > 0) await show(place, bound, known, entity);
  // An alert that names a binding is for the Project of that binding.
  const chosen = bound.filter(
    ({ id, project_id }) => id === binding && !known.some((task) => task.project_id === project_id),
  );
  const inAll = binding === undefined && known.length === 0 ? making(bound) : [];
  if (step === "raised")
    return void (await make(place, bound, [...chosen, ...inAll], entity, entity.title, detail, by));
  const call = callingIn(place, bound, null);
  for (const task of known) {
    const rules = ruledBy(bound, task.project_id);
    const statusId = rules.resolve_with_task ? statusFor(rules, step) : null;
    if (statusId !== null) await move(place, call, task, statusId);
  }
}

async function ofWanted(place: DeliveryContext, bound: readonly EventBinding[], wanted: Of<"task_wanted">) {
  const { entity, title, detail, by, reply } = wanted;
  const known = await within(place, (tx) => tasksWith(tx, place.installation.id, entity, projectsOf(bound)));
  if (known.length > 0) await show(place, bound, known, entity);
  const made = known.length > 0 ? [] : await make(place, bound, making(bound), entity, title, detail, by);
  if (reply) await answerWanted(place, bound, reply, made, known);
}

const making = (bound: readonly EventBinding[]) => bound.filter(({ rules }) => rulesOf(rules).create_tasks);
export const describedBy = (detail: string, url: string) =>
  `${quoted(detail)}${url === "" ? "" : `\n\n<${url}>`}`.trim();

/** Creates a Task in each of these Projects, once for this entity, with the entity at it. */
async function make(
  place: DeliveryContext,
  bound: readonly EventBinding[],
  projects: readonly EventBinding[],
  entity: Entity,
  title: string,
  detail: string,
  by: By | null,
): Promise<AtTask[]> {
  if (projects.length === 0) return [];
  const call = (await actingFor(place, bound, by)) ?? callingIn(place, bound, null);
  const description_markdown = describedBy(detail, entity.url);
  const tasks: AtTask[] = [];
  for (const { project_id } of projects) {
    const made = await unlessRefused(call, "createTask", {
      params: { project_id },
      body: { title: title.slice(0, 500) || "Untitled", description_markdown },
      key: keyOfMade(place.installation.id, entity, project_id),
    });
    if (made instanceof Refusal) continue;
    tasks.push({ id: made.body.id, project_id });
    await show(place, bound, tasks.slice(-1), entity);
  }
  return tasks;
}
