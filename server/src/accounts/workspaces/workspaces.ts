// Workspaces: list, create, read, change, archive, restore. Creation includes the owner's membership and the default
// workflow, or fails as a whole. Archiving deletes nothing but ends the sessions in the Workspace.
import * as contract from "@svc/contract/accounts/workspaces/workspaces.ts";
import { cachedSql, changes, differing } from "../../platform/database/sql.ts";
import { account, type Context, implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { NIL, newId } from "../../platform/wire/ids.ts";
import { Refusal, refuse, refuseAt } from "../../platform/wire/problem.ts";
import { openMemberships } from "../account/access.ts";
import { lockAccount, rotateSession } from "../account/store.ts";
import { openWorkspace, ownWorkspace, ownWorkspaces, type WorkspaceTarget } from "./access.ts";
import { workspaceArchived, workspaceCreated, workspaceRestored, workspaceUpdated } from "./events.ts";
import { archivedCapabilities, isReservedSlug, may, slugsFor, workspaceCapabilities } from "./rules.ts";
import { belongsAnywhere, insertWorkspace, type NewWorkspace } from "./store.ts";
import { workspaceView } from "./view.ts";

const LIST = `
select ${workspaceView} as json, json_build_array(w.id)::text as key
from ${ownWorkspaces}
where (w.archived_at is not null) = $1 and m.workspace_id > $2
order by m.workspace_id limit $3`;

export const listWorkspaces = implementList(contract.listWorkspaces, account(), (tx, { query, page }) =>
  tx.rows(LIST, [query.archived ?? false, page.after?.[0] ?? NIL, page.limit + 1]),
);

export const getWorkspace = implement(
  contract.getWorkspace,
  ownWorkspace("workspace:read"),
  async ({ member }, { target }) =>
    render(target, target.archived ? archivedCapabilities(target) : workspaceCapabilities(member.role)),
);

type Wanted = Pick<NewWorkspace, "name" | "slug" | "otherSlugs" | "first">;
/** Undefined if no slug is free, or if `first` is required and the account already has a Workspace. */
async function create({ tx, principal, within, record }: Context, wanted: Wanted) {
  const id = newId();
  const workspace = { ...wanted, id, userId: principal.userId, actorId: newId() };
  const row = await within({ workspaceId: id, actorId: workspace.actorId }, async () => {
    const created = await insertWorkspace(tx, workspace);
    if (created) record(workspaceCreated({ kind: "workspace", id }));
    return created;
  });
  if (!row) return undefined;
  return { id, answer: render(row, workspaceCapabilities("owner")) };
}

function refuseSlug(): never {
  return refuseAt("/body/slug", "slug_taken", "is taken or reserved");
}

async function createFree(context: Context, { name, slug: wanted }: { name: string; slug?: string }) {
  if (wanted !== undefined) {
    const created = isReservedSlug(wanted) ? undefined : await create(context, { name, slug: wanted });
    return created?.answer ?? refuseSlug();
  }
  const [slug = "", ...otherSlugs] = slugsFor(name);
  const created = await create(context, { name, slug, otherSlugs });
  if (created) return created.answer;
  // Lost to a concurrent creation: the last candidate is practically unique.
  return (await create(context, { name, slug: otherSlugs.at(-1) ?? slug }))?.answer ?? refuseSlug();
}

async function createFirst(context: Context, body: { name: string; slug: string }) {
  const created = isReservedSlug(body.slug) ? undefined : await create(context, { ...body, first: true });
  if (created) return created;
  const { tx, principal } = context;
  return (await belongsAnywhere(tx, principal.userId)) ? refuse("workspace_exists") : refuseSlug();
}

export const createWorkspace = implement(contract.createWorkspace, account(), (context, { body }) =>
  createFree(context, body),
);

export const bootstrapWorkspace = implement(contract.bootstrapWorkspace, account(), async (context, { body }) => {
  const { tx, principal, cookies } = context;
  const created = await createFirst(context, body);
  const { live, max_age, secret } = await rotateSession(tx, principal, created.id);
  if (!live) throw new Refusal("authentication_required");
  cookies.set(secret, max_age);
  return created.answer;
});

export const createMobileWorkspace = implement(contract.createMobileWorkspace, account(), (context, { body }) =>
  createFree(context, body),
);

export const bootstrapMobileWorkspace = implement(
  contract.bootstrapMobileWorkspace,
  account(),
  async (context, { body }) => (await createFirst(context, body)).answer,
);

const updateSql = cachedSql(
  (assignments: string) => `
update workspaces w set ${assignments}, revision = w.revision + 1, updated_at = now()
from memberships m where w.id = $1 and m.workspace_id = w.id and m.user_id = $2
returning ${workspaceView} as json, w.revision::text`,
);
type Row = { json: string; revision: string };

export const updateWorkspace = implement(
  contract.updateWorkspace,
  ownWorkspace("workspace:manage"),
  async (context, { target, body }) => {
    if (body.archived !== undefined) return restore(context, target);
    if (target.archived) return refuse("not_found");
    const { tx, principal, member, record } = context;
    const changed = differing(body, JSON.parse(target.json));
    if (changed === null) return render(target, workspaceCapabilities(member.role));
    if (changed.slug !== undefined && isReservedSlug(changed.slug)) return refuseSlug();
    const { assignments, values, fields } = changes(changed, 2);
    const row = await tx.one<Row>(updateSql(assignments), [member.workspaceId, principal.userId, ...values]);
    record(workspaceUpdated({ kind: "workspace", id: member.workspaceId }, { fields }));
    return render(row, workspaceCapabilities(member.role));
  },
);

// Every owner can restore a Free Workspace. The claim goes to the restorer, or to the longest-standing owner who holds
// no other; the constraint refuses the restorer only if every owner holds another, because archiving and restoring
// could otherwise yield any number of them.
const CLAIM = `
insert into free_claims (user_id, workspace_id)
select coalesce((select m.user_id from memberships m
  where m.workspace_id = w.id and m.role = 'owner' and m.state = 'active'
  and not exists (select from free_claims f where f.user_id = m.user_id) order by m.user_id <> $2, m.created_at, m.id
    limit 1), $2), w.id
from workspaces w where w.id = $1 and w.plan = 'free'`;

/** Restores the Workspace, the only change that an archived one accepts. */
async function restore({ tx, principal, member, record }: Context, target: WorkspaceTarget) {
  if (!may(member.role, "workspace:archive")) return refuse("forbidden");
  if (!target.archived) return render(target, workspaceCapabilities("owner"));
  const values = [member.workspaceId, principal.userId];
  const [row] = await Promise.all([tx.one<Row>(updateSql("archived_at = null"), values), tx.rows(CLAIM, values)]);
  record(workspaceRestored({ kind: "workspace", id: member.workspaceId }));
  return render(row, workspaceCapabilities("owner"));
}

const ELSEWHERE = `
select exists (select from ${openMemberships} where m.user_id = $1 and m.workspace_id <> $2) as elsewhere`;
const ARCHIVE = "update workspaces set archived_at = now(), revision = revision + 1, updated_at = now() where id = $1";
// Entering a Workspace locks its row, so this sees every session that entered before.
const END_SESSIONS = `
update credentials set revoked_at = now(), updated_at = now(), revision = revision + 1
where workspace_id = $1 and kind = 'session' and revoked_at is null`;

export const archiveWorkspace = implement(
  contract.archiveWorkspace,
  openWorkspace("workspace:archive"),
  async ({ tx, principal, member, cookies, defer, enqueue, record }) => {
    const { userId } = principal;
    const { workspaceId } = member;
    // Locks the account: of two concurrent archivals of its last two Workspaces, the second sees the first.
    const [, { elsewhere }] = await Promise.all([
      lockAccount(tx, userId),
      tx.one<{ elsewhere: boolean }>(ELSEWHERE, [userId, workspaceId]),
    ]);
    if (!elsewhere) return refuse("last_workspace");
    defer(tx.rows(ARCHIVE, [workspaceId]));
    defer(tx.rows(END_SESSIONS, [workspaceId]));
    enqueue("end_checkouts", { workspace_id: workspaceId });
    record(workspaceArchived({ kind: "workspace", id: workspaceId }));
    if (principal.workspaceId === workspaceId) cookies.clear();
  },
);
