// Outbound notifications to providers: each event becomes one action for each resource, however often it is read. A
// resource is notified if it is bound to the Project with an enabled subscription to the kind. An integration's own
// changes are not reported to others, except that a Task was completed (docs/design/connect.md).
import type { EventKind } from "@svc/contract/connect/integrations/kinds.ts";
import { BEGINNING, inPages, type JobParts, TENANT } from "../../../platform/background/jobs.ts";
import type { Queries } from "../../../platform/database/db.ts";
import type { LinkedEntity } from "../apply/text-links.ts";
import type { ProviderDefinition, Telling } from "../client/provider.ts";
import { providerOf } from "../providers/providers.ts";
import * as store from "./outbound-notification-store.ts";
import { pageOf, say } from "./queue-action.ts";

const KINDS: Readonly<Record<string, EventKind>> = {
  "task.created": "task_created",
  "task.status_changed": "task_completed",
  "task.comment.created": "task_commented",
};
/** Events whose texts may contain links. */
const TEXTS = ["task.created", "task.description_changed", "task.comment.created", "task.comment.updated"];
const TYPES = [...new Set([...Object.keys(KINDS), ...TEXTS])];
const AT_ONCE = 500;

export async function tellProviders(parts: Pick<JobParts, "database" | "outside">): Promise<void> {
  let position = BEGINNING;
  await inPages(() =>
    parts.database.writer.use(async (tx) => {
      await Promise.all([tx.begin(), tx.atLength()]);
      const { events, more, ...next } = await store.takeEvents(tx, TYPES, AT_ONCE, position);
      for (const [workspaceId, theirs] of Map.groupBy(events, ({ workspace_id }) => workspace_id))
        await tellIn(tx, parts, workspaceId, theirs);
      await tx.commit();
      position = next;
      return more;
    }),
  );
}

interface Said {
  event: store.Event;
  kind: EventKind;
  task: store.NotifiedTask;
  /** Text of a comment. */
  text: string;
  by: string;
  url: string;
  entities: readonly store.At[];
}

async function tellIn(
  tx: Queries,
  { outside }: Pick<JobParts, "outside">,
  workspaceId: string,
  events: readonly store.Event[],
) {
  await tx.rows(TENANT, [workspaceId]);
  const ids = (name: "task_id" | "project_id" | "actor_id" | "resource_id") => [
    ...new Set(events.map((event) => event[name])),
  ];
  const [bound, tasks, comments, names, entities] = await Promise.all([
    store.listening(tx, ids("project_id")),
    store.tasksTold(tx, ids("task_id")),
    store.commentsTold(tx, ids("resource_id")),
    store.namesOf(tx, ids("actor_id")),
    store.entitiesAt(tx, ids("task_id")),
  ]);
  for (const event of events) {
    const kind = KINDS[event.type];
    const task = tasks.find(({ id }) => id === event.task_id);
    const comment = comments.find(({ id }) => id === event.resource_id);
    if (!task) continue;
    const listeners = bound.filter(({ project_id }) => project_id === task.project_id);
    if (TEXTS.includes(event.type))
      await lookAtLinks(tx, workspaceId, task.id, comment?.markdown ?? task.description, listeners);
    if (kind === undefined || (kind === "task_commented" && !comment) || (kind === "task_completed" && !task.completed))
      continue;
    const said: Said = {
      event,
      kind,
      task,
      text: comment?.markdown ?? "",
      by: names.get(event.actor_id) ?? "",
      url: pageOf(outside.origin(), task),
      entities: entities.filter(({ task_id }) => task_id === task.id),
    };
    for (const to of listeners)
      for (const { cause, telling } of toldTo(said, to))
        await say(tx, outside.secrets, workspaceId, {
          installationId: to.installation_id,
          resourceId: to.resource_id,
          cause,
          telling,
        });
  }
}

/** Queues a job for each link. */
async function lookAtLinks(
  tx: Queries,
  workspaceId: string,
  taskId: string,
  text: string,
  bound: readonly store.SubscribedResource[],
) {
  for (const { provider_key, installation_id, resource_id } of bound.filter(({ kinds }) => kinds.includes("link")))
    for (const { kind, externalId } of providerOf.get(provider_key)?.links?.(text) ?? []) {
      const linked: LinkedEntity = {
        workspace_id: workspaceId,
        task_id: taskId,
        installation_id,
        resource_id,
        kind,
        external_id: externalId,
      };
      await tx.rows(LOOK, [JSON.stringify(linked), [taskId, resource_id, kind, externalId].join(" ")]);
    }
}
const LOOK = "select enqueue_job('show_linked', $1::json, now(), null, 'show_linked ' || $2)";

interface Caused {
  cause: string;
  telling: Telling;
}
/** Notifications for a resource; none about its own changes. */
function toldTo(said: Said, to: store.SubscribedResource): Caused[] {
  const { tells } = (providerOf.get(to.provider_key) as ProviderDefinition | undefined) ?? {};
  const { event, kind } = said;
  if (!tells || event.actor_id === to.actor_id) return [];
  const here = said.entities.filter(({ resource_id }) => resource_id === to.resource_id);
  const caused: Caused[] = [];
  const add = (cause: string, telling: Telling | null | undefined) => telling && caused.push({ cause, telling });
  const wants = to.kinds.includes(kind);
  // The error is resolved whoever completes the Task, a person or another integration.
  if (kind === "task_completed" && to.rules.resolve_with_task && (wants || to.kinds.includes("error")))
    for (const entity of here) add(`event ${event.id} ${entity.id}`, tells.resolve?.(entity));
  if (!wants || (event.source === "integration" && kind !== "task_completed")) return caused;
  if (kind === "task_commented" && to.rules.sync_comments)
    for (const entity of here) add(`comment ${event.resource_id} ${entity.id}`, tells.comment?.(entity, signed(said)));
  add(`event ${event.id} ${to.resource_id}`, tells.announce?.(announced(said)));
  return caused;
}

const signed = ({ text, by, task, url }: Said) => `${text}\n\n[${by.replace(/[[\]]/g, "")} · ${task.code}](${url})`;

const WORDS: Partial<Record<EventKind, string>> = {
  task_created: "created",
  task_completed: "completed",
  task_commented: "commented on",
};
const MOST_QUOTED = 500;
function announced({ kind, by, task, text, url }: Said): string {
  const quoted = [...text].slice(0, MOST_QUOTED).join("");
  return [`${by} ${WORDS[kind]} ${task.code}: ${task.title}`, ...(quoted === "" ? [] : [quoted]), url].join("\n");
}
