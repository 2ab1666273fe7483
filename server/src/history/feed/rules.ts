// Decides what one subscriber receives of one event. A subscriber who sees the resource now receives the change; one
// who saw it at its former place receives only its removal; others receive nothing. Sockets and webhooks share these
// rules. Pure. Decision 0125.
import type { namedScopes } from "@svc/contract/surfaces/realtime/baseline.ts";
import { type FeedAction, hearing, words } from "./audience.ts";

export type Scope = "workspace" | (typeof namedScopes)[number];
/** A hint to read a resource again: identities and revisions, never content. */
export interface RealtimeChange {
  kind: string;
  id: string;
  /** Current revision. Null if the resource is deleted or has no revision. */
  revision: string | null;
  /** Current content revision of a Document. */
  content_revision?: string;
  action: FeedAction;
  project_id?: string;
  task_id?: string;
}

/** Events that change who sees a resource: subscribers to anything inside it read again. */
const OF_SIGHT = new Set(
  words(`document.deleted document.moved document.restored document.trashed project.configured project.deleted project.member_added
  project.member_removed project.restored task.deleted task.moved task.restored task.trashed`),
);

/** An event as read for subscribers, with the current place of its resource. */
export interface FeedEvent {
  tx: string;
  id: string;
  type: string;
  kind: string;
  resource_id: string;
  /** Current revision of the resource; null if it has none. */
  revision: string | null;
  /** Current content revision, if the resource is a Document. */
  content_revision?: string | null;
  /** Whether the resource, or the Task that it belongs to, is deleted. */
  gone: boolean;
  /** The current Project of the resource. */
  place_id: string | null;
  /** The Project when the event happened, and the Project that the event moved the resource out of. */
  project_id: string | null;
  left_id: string | null;
  task_id: string | null;
  /**
   * Whether the event hides the resource from members who all saw it before: a Project became private, or a Document
   * moved into one.
   */
  closes: boolean;
  /** The Actor that the event is about, who receives it in any Project. */
  owner_id: string | null;
  /** The person whose membership changed. */
  user_id: string | null;
}
/** A subscriber's access at this moment. */
export interface Sight {
  actorId: string | null;
  userId: string;
  manages: boolean;
  sees(projectId: string): boolean;
  /** Whether the subscriber saw a Project until it was deleted. */
  saw(projectId: string): boolean;
  /** The current Project of a Task that somebody follows. */
  projectOf(taskId: string): string | null;
}

/**
 * Access of all subscribers, read in the snapshot of the events: the Projects concerned, and which subscribers are no
 * longer members or are managers.
 */
export interface SubscriberAccess {
  projects: readonly {
    id: string;
    deleted: boolean;
    open: boolean;
    /** The Actors who see a private Project. */
    seen_by: readonly string[] | null;
  }[];
  standing: readonly { id: string; role: string | null }[];
  tasks?: readonly { id: string; project_id: string }[];
}
/** Returns the access of each subscriber; null for one who is no longer a member. */
export function sightsIn({ projects, standing, tasks = [] }: SubscriberAccess) {
  const roles = new Map(standing.map(({ id, role }) => [id, role]));
  const byId = new Map(projects.map((project) => [project.id, project]));
  const projectOf = new Map(tasks.map(({ id, project_id }) => [id, project_id]));
  return (actorId: string, userId: string): Sight | null => {
    if (roles.get(actorId) === null) return null;
    const saw = (id: string) => {
      const project = byId.get(id);
      return project !== undefined && (project.open || (project.seen_by?.includes(actorId) ?? false));
    };
    return {
      actorId,
      userId,
      manages: roles.has(actorId),
      saw,
      sees: (id) => saw(id) && byId.get(id)?.deleted === false,
      projectOf: (id) => projectOf.get(id) ?? null,
    };
  };
}
/** The current and former Projects of these events. */
export const projectsOf = (events: readonly FeedEvent[]): string[] =>
  [...new Set(events.flatMap(({ place_id, project_id, left_id }) => [place_id, project_id, left_id]))].filter(
    (id) => id !== null,
  );

function changeOf(event: FeedEvent, action: FeedAction, project_id: string | null): RealtimeChange {
  const { kind, resource_id: id, task_id } = event;
  return {
    kind,
    id,
    revision: action === "removed" ? null : event.revision,
    ...(kind === "document" && action !== "removed" && event.content_revision
      ? { content_revision: event.content_revision }
      : {}),
    action,
    ...(project_id !== null && project_id !== id && { project_id }),
    ...(task_id !== null && task_id !== id && { task_id }),
  };
}

/** The change that a subscriber to the whole Workspace receives. */
function ordinary(event: FeedEvent, sight: Sight): RealtimeChange | null {
  const line = hearing.get(event.type);
  if (!line || line.who === "owner") return null;
  if (line.who === "managers") return sight.manages ? changeOf(event, line.action, null) : null;
  const { place_id, project_id, left_id, owner_id } = event;
  const isOwn = owner_id !== null && owner_id === sight.actorId;
  const isSeen = place_id === null || sight.sees(place_id);
  // The initiator of an Agent run may not see the Agent's first Project.
  if (!event.gone && (isSeen || (isOwn && event.kind !== "project_member")))
    return changeOf(event, line.action, isSeen || event.kind !== "agent_run" ? place_id : null);
  // The removal names a Project where the subscriber saw it, never its current one.
  const seenIn = [project_id, left_id].find((id) => id !== null && sight.saw(id));
  if (seenIn !== undefined) return changeOf(event, "removed", seenIn);
  return event.closes || project_id === null ? changeOf(event, "removed", null) : null;
}

/** If subscribers join or leave a Project themselves, the Project is added for them or removed. */
function ownProject({ kind, owner_id, project_id }: FeedEvent, sight: Sight): RealtimeChange | null {
  if (kind !== "project_member" || owner_id !== sight.actorId || project_id === null) return null;
  return { kind: "project", id: project_id, revision: null, action: sight.sees(project_id) ? "changed" : "removed" };
}

/** A role affects access to everything: after a change of role, the member's subscription starts anew. */
export const turnsSight = ({ kind, user_id }: FeedEvent, { userId }: Pick<Sight, "userId">) =>
  kind === "member" && user_id === userId;

type Hears = (event: FeedEvent, sight: Sight, resourceId: string | null) => (RealtimeChange | null)[];
const all: Hears = (event, sight) => [ordinary(event, sight), ownProject(event, sight)];
const nothing: Hears = () => [];
const hears: Record<Scope, Hears> = {
  workspace: all,
  projects: (event, sight) => all(event, sight, null).filter((change) => change?.kind === "project"),
  task_comments: (event, sight, taskId) =>
    all(event, sight, taskId).map((change) => {
      if (!change || taskId === null) return null;
      if (change.kind === "comment") return change.task_id === taskId ? change : null;
      if (!OF_SIGHT.has(event.type)) return null;
      if (change.kind === "task") return change.id === taskId ? change : null;
      const within = change.kind === "project" && change.id === sight.projectOf(taskId);
      return within ? { kind: "task", id: taskId, revision: null, action: change.action } : null;
    }),
  inbox: (event, sight) =>
    OF_SIGHT.has(event.type) && sight.actorId !== null && all(event, sight, null).some((change) => change !== null)
      ? [{ kind: "inbox", id: sight.actorId, revision: null, action: "changed" }]
      : [],
  personal_projects: (event, sight) =>
    hearing.get(event.type)?.who === "owner" && event.owner_id === sight.actorId
      ? [{ ...changeOf(event, "changed", null), kind: event.type.slice(0, event.type.indexOf(".")) }]
      : [],
  account: nothing,
  account_security: nothing,
  // Discuss has a sequence of its own: see discuss-feed.ts.
  discuss: nothing,
};
export const heardIn = (scope: Scope, event: FeedEvent, sight: Sight, resourceId: string | null): RealtimeChange[] =>
  hears[scope](event, sight, resourceId).filter((change) => change !== null);

/** A change of private data: an inbox, an account, or its credentials. */
export interface Own {
  tx: string;
  owner_id: string;
  kind: string;
  id: string;
  action: FeedAction;
  revision: string | null;
}
export const scopeOfOwn = (kind: string): Scope =>
  kind === "inbox_item" ? "inbox" : kind === "account" ? "account" : "account_security";

/** Merges changes into one hint per resource, with its final state. */
export function gathered(changes: readonly RealtimeChange[]): RealtimeChange[] {
  const last = new Map<string, RealtimeChange>();
  for (const change of changes) {
    const name = `${change.kind} ${change.id} ${change.project_id ?? ""}`;
    const isNew = last.get(name)?.action === "created" && change.action === "changed";
    last.set(name, isNew ? { ...change, action: "created" } : change);
  }
  return [...last.values()];
}
