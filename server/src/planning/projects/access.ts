// Project visibility, as one predicate shared by get, list, search, activity and every resource inside a Project.
import type { Capability } from "@svc/contract/capabilities.ts";
import { callerManages } from "../../accounts/workspaces/access.ts";
import type { Access, Context, Permission } from "../../platform/kernel/implement-operation.ts";
import { type DocumentVerb, documentVerbs, type ProjectRole, type WorkCapability, workCapabilities } from "./rules.ts";
import { projectView } from "./view.ts";

/** Joins the caller's Project membership as pm. */
export const projectOfCaller = `
left join project_members pm on pm.workspace_id = p.workspace_id and pm.project_id = p.id
  and pm.actor_id = current_actor()`;
const NARROWING = "current_setting('svc.projects', true)";
/**
 * Whether the caller is a service restricted to some Projects: it can see these, private or not, and nothing outside a
 * Project.
 */
export const callerNarrowed = `((${NARROWING} <> '') is true)`;
const narrowedTo = (id: string, otherwise: string) =>
  `(case when ${NARROWING} <> '' then ${id} = any(${NARROWING}::uuid[]) else ${otherwise} end)`;
/** Whether the Project is within the caller's restriction, if it has one. */
export const withinNarrowing = (id: string) => narrowedTo(id, "true");
/** Whether the caller can see Project p, apart from deletion. */
export const openToCaller = narrowedTo(
  "p.id",
  `p.visibility = 'workspace' or pm.actor_id is not null or ${callerManages}`,
);
export const projectVisible = `(p.deleted_at is null and ${openToCaller})`;

/** The given Projects that the caller can see, in the given order. */
export const projectsSeen = (ids: string) => `
select array(select p.id from unnest(${ids}::uuid[]) with ordinality wanted(id, place)
  join projects p on p.workspace_id = current_workspace() and p.id = wanted.id ${projectOfCaller}
  where ${projectVisible} order by wanted.place)`;
/** The visible Projects of shortcuts r. */
export const shortcutsSeen = `(${projectsSeen(`(case when r.actor_id is null then '{}'
  else r.project_ids end)`)}) as project_ids`;

/** Whether the caller can see every existing Project. */
export const allProjectsVisible = `(${callerManages} and not exists (
  select from projects d where d.workspace_id = current_workspace() and d.deleted_at is not null
    and d.erased_at is null))`;
/**
 * Array of the Projects that the caller can see: Workspace-visible ones, those it is a member of, and all for managers.
 * Null if there are more than `most`.
 */
export const visibleProjects = (most: number) => {
  const listed = (archived: string) => `(
    select id from projects where workspace_id = current_workspace() and deleted_at is null and archived_at ${archived}
      and visibility = any(case when ${callerManages} or ${callerNarrowed} then array['workspace', 'private']
        else array['workspace'] end)
      and ${withinNarrowing("id")} limit ${most + 1})`;
  return `
  select case when count(*) <= ${most} then coalesce(array_agg(v.id), '{}') end from (
    ${listed("is null")} union ${listed("is not null")}
    union select p.id from (
      select project_id from project_members where workspace_id = current_workspace() and actor_id = current_actor()
      limit ${most + 1}
    ) own cross join lateral (
      select p.id from projects p ${projectOfCaller}
      where p.workspace_id = current_workspace() and p.id = own.project_id and ${projectVisible} limit 1) p
  ) v`;
};

/** Whether the member m can see Project p, apart from deletion. */
export const projectOpenTo = `(p.visibility = 'workspace' or m.role in ('owner', 'admin') or exists (
  select from project_members x
  where x.workspace_id = p.workspace_id and x.project_id = p.id and x.actor_id = m.actor_id))`;
export const projectVisibleTo = `(p.deleted_at is null and ${projectOpenTo})`;

/** Actors that can be assigned or mentioned, as m: an active member, or an active Agent. */
export const workerOf = (workspaceId: string, actorId: string) => `lateral (
  (select 'human' as kind, w.actor_id, w.user_id, w.role, null::uuid[] as project_ids, null as username, null as name
  from memberships w
   where w.workspace_id = ${workspaceId} and w.actor_id = ${actorId} and w.state = 'active' limit 1)
  union all
  (select 'agent', w.actor_id, null, null, w.project_ids, w.username, w.name from agents w
   where w.workspace_id = ${workspaceId} and w.actor_id = ${actorId} and w.state = 'active' and w.deleted_at is null
   limit 1)) m`;
/** Whether worker m has access to Project p. An Agent does unless it is restricted to other Projects. */
export const projectOpenToWorker =
  "(p.deleted_at is null and case m.kind when 'agent' then m.project_ids = " +
  "'{}' or p.id = " +
  "any(m.project_ids) else " +
  `${projectOpenTo} end)`;
/**
 * Whether the caller can see a row restricted to Projects (its project_ids): anyone who can see one of them, and
 * managers of the Workspace.
 */
export const narrowedSeen = (row: string) => `(${row}.project_ids = '{}' or ${callerManages} or exists (
  select from projects p ${projectOfCaller}
  where p.workspace_id = current_workspace() and p.id = any(${row}.project_ids) and ${projectVisible}))`;
/** Whether the caller can see worker m. */
export const workerSeen = `(m.kind = 'human' or ${narrowedSeen("m")})`;

export interface InProject {
  project_role: ProjectRole | null;
  /** The Project is archived, so its contents are read-only. */
  project_archived: boolean;
}
/** Access columns of any resource in Project p. */
export const inProject = "pm.role as project_role, p.archived_at is not null as project_archived";

/** Permission by role, except in an archived Project: permitted callers get `project_archived`, others are refused. */
export const unlessArchived = (allowed: boolean, { project_archived }: InProject): Permission =>
  allowed && project_archived ? "project_archived" : allowed;
const allows = ({ member }: Context, { project_role }: InProject, capability: WorkCapability) =>
  workCapabilities(member.role, project_role).includes(capability);
/** Whether the caller may do this to a resource in a Project that it can see. */
export const permits =
  (capability: WorkCapability) =>
  (context: Context, target: InProject): Permission => {
    const allowed = allows(context, target, capability);
    return capability === "work:read" ? allowed : unlessArchived(allowed, target);
  };
/** Capabilities of the caller in the Project's current state. */
export const capabilities = (
  { member }: Pick<Context, "member">,
  { project_role, project_archived }: InProject,
): WorkCapability[] => (project_archived ? ["work:read"] : workCapabilities(member.role, project_role));
/** Capabilities on the Project itself; managers may change, restore and delete even an archived one. */
export const projectCapabilities = (context: Context, target: InProject): Capability[] => {
  const managed: Capability[] = target.project_archived
    ? ["project:update", "project:restore", "project:delete"]
    : ["project:update", "project:delete"];
  return [...capabilities(context, target), ...(allows(context, target, "work:manage") ? managed : [])];
};

/** Returns these capabilities if the caller has the `needed` one there, else none. */
export const granted = (context: Context, target: InProject, needed: WorkCapability, ...words: Capability[]) =>
  capabilities(context, target).includes(needed) ? words : [];

/**
 * Capabilities on a Task. In the trash it can be read and restored, and managers of the work can delete it permanently.
 */
export const taskCapabilities = (context: Context, target: InProject & { trashed: boolean }): Capability[] =>
  target.trashed
    ? [
        "work:read",
        ...granted(context, target, "work:write", "task:restore"),
        ...granted(context, target, "work:manage", "task:delete"),
      ]
    : capabilities(context, target);

/** Whether the caller may do this to a Document that it can see. */
export const permitsDocument =
  (verb: DocumentVerb) =>
  ({ member }: Pick<Context, "member">, target: InProject): Permission => {
    const allowed = documentVerbs(member.role, target.project_role).includes(verb);
    return verb === "documents:read" ? allowed : unlessArchived(allowed, target);
  };
/**
 * Capabilities on a Document. In the trash it can be read and restored, and managers of Documents can delete it
 * permanently.
 */
export function documentCapabilities(
  { member }: Pick<Context, "member">,
  { project_role, project_archived, trashed }: InProject & { trashed: boolean },
): Capability[] {
  const verbs = documentVerbs(member.role, project_role);
  if (project_archived) return ["documents:read"];
  if (!trashed) return verbs;
  return [
    "documents:read",
    ...(verbs.includes("documents:write") ? (["document:restore"] as const) : []),
    ...(verbs.includes("documents:manage") ? (["document:delete"] as const) : []),
  ];
}

export interface ProjectTarget extends InProject {
  id: string;
  key: string;
  revision: string;
  /** Wire representation, loaded only if the Project itself is read or changed. */
  json: string;
}

const select = (columns: string) => `
select p.id, p.key, p.revision::text, ${inProject}${columns}
from projects p ${projectOfCaller}
where p.workspace_id = current_workspace() and p.id = $1 and ${projectVisible}`;
const READ = select(`, ${projectView} as json`);
const LOCK = `${select("")} for no key update of p`;
const ASK = select(`, ${projectView} as json, p.visibility, p.public_id, wire_time(p.archived_at) as archived_at`);
const CHANGE = `${ASK} for no key update of p`;
const PLACE = select("");
/** Whether Project p accepts no new work. */
export const projectClosed = `(p.archived_at is not null or exists (
  select from project_states st join lifecycle_stages g on g.workspace_id = st.workspace_id and g.id = st.stage_id
  where st.workspace_id = p.workspace_id and st.id = p.state_id and not g.accepts_new_work))`;
const WORKPLACE = select(`, ${projectClosed} as closed`);

const byId = <Target extends ProjectTarget>(
  capability: WorkCapability,
  sql: (change: boolean) => string,
): Access<Target> => ({
  reach: "membership",
  load: (tx, params, change) => tx.maybe<Target>(sql(change), [params.project_id]),
  permits: permits(capability),
});
export const project = (capability: WorkCapability) => byId(capability, (change) => (change ? LOCK : READ));
/** The Project as the parent of other resources: neither rendered nor locked, so that its writers do not serialize. */
export const insideProject = (capability: WorkCapability) => byId(capability, () => PLACE);
/** The Project rendered by another view. */
export const projectAs = (capability: WorkCapability, view: string) =>
  byId(capability, () => select(`, ${view} as json`));
/** The Project as the parent of new Tasks; `closed` if it accepts none. */
export const workplace = (capability: WorkCapability) =>
  byId<ProjectTarget & { closed: boolean }>(capability, () => WORKPLACE);

export interface ChangedProject extends ProjectTarget {
  visibility: "workspace" | "private";
  public_id: string | null;
  archived_at: string | null;
}
/** Shared lock for putting a Project into a state; waits for changes of the lifecycle. */
export const SHARE_LIFECYCLE =
  "select from lifecycle_definitions where workspace_id = current_workspace() and kind = 'project' for share";
/**
 * The Project for a change, archived or not. Locks the lifecycle before the Project, the same order as emptying a
 * state.
 */
export const changedProject = (capability: WorkCapability): Access<ChangedProject> => ({
  reach: "membership",
  load: async (tx, { project_id }, change) => {
    if (!change) return tx.maybe<ChangedProject>(ASK, [project_id]);
    const shared = tx.rows(SHARE_LIFECYCLE);
    return (await Promise.all([shared, tx.maybe<ChangedProject>(CHANGE, [project_id])]))[1];
  },
  permits: (context, target) => allows(context, target, capability),
});

// Excludes the last of the 30 days before erasure.
const DELETED = `
select p.id, p.key, p.revision::text, ${inProject}
from projects p ${projectOfCaller}
where p.workspace_id = current_workspace() and p.id = $1 and p.deleted_at > now() - interval '29 days'
  and p.erased_at is null
  and (pm.role = 'lead' or ${callerManages})`;
/** A deleted Project whose contents still exist, for callers who could delete it. */
export const deletedProject: Access<Omit<ProjectTarget, "json">> = {
  reach: "membership",
  load: (tx, { project_id }, change) => tx.maybe(change ? `${DELETED} for no key update of p` : DELETED, [project_id]),
  permits: (context, target) => allows(context, target, "work:manage"),
};

/** Finds a Project by its key (case-insensitive), with these columns added to the access columns. */
export function projectByCodeAs<Target extends InProject>(capability: WorkCapability, columns: string): Access<Target> {
  const sql = `
select p.id, p.key, p.revision::text, ${inProject}, ${columns}
from projects p ${projectOfCaller}
where p.workspace_id = current_workspace() and p.key = $1 and ${projectVisible}`;
  return {
    reach: "membership",
    load: (tx, { project_code }) => tx.maybe<Target>(sql, [(project_code as string).toUpperCase()]),
    permits: permits(capability),
  };
}

/** Whether a target has edits since its last revision; `more` adds a condition on its text x. */
export const typedIn = (target: string, more = "") => `exists (
  select from collaboration_texts x
  where x.workspace_id = ${target}.workspace_id and x.target_id = ${target}.id
    and x.unsealed_since is not null${more})`;
/**
 * Whether a read must first checkpoint the pending edits of a target into a revision: not within 30 s of the last one,
 * so that reads do not pile up revisions, except for the reader's own edits, which the editor has confirmed as saved.
 */
export const unsealedFor = (target: string) =>
  typedIn(
    target,
    ` and (x.sealed_at is null or x.sealed_at < now() - interval '30 seconds' or exists (
    select /* reads up to 600: updates of one text, which are merged above 500 */ from collaboration_updates u
    where u.workspace_id = x.workspace_id and u.target_id = x.target_id and u.seq > x.state_seq
      and u.actor_ids @> array[current_actor()]))`,
  );
