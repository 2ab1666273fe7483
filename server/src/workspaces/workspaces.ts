// Workspaces: list, create, read. A new one comes with its owner's membership and the default workflow, or not at all.
import * as contract from "@svc/contract/workspaces/workspaces.ts";
import { rotateSession } from "../identity/store.ts";
import { NIL, newId } from "../kernel/ids.ts";
import { account, type Context, implement, implementList } from "../kernel/implement.ts";
import { Refusal, refuse } from "../kernel/problem.ts";
import { render } from "../kernel/view.ts";
import { ownWorkspace, ownWorkspaces } from "./access.ts";
import { workspaceCreated } from "./events.ts";
import { archivedCapabilities, capabilitiesOf, isReservedSlug, slugsFor } from "./rules.ts";
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
  async (_context, { target }) => render(target, target.archived ? archivedCapabilities : capabilitiesOf[target.role]),
);

type Wanted = Pick<NewWorkspace, "name" | "slug" | "otherSlugs" | "first">;
/** Undefined when no slug is left, or when it was to be the first and is not. */
async function create({ tx, principal, within, record }: Context, wanted: Wanted) {
  const id = newId();
  const workspace = { ...wanted, id, userId: principal.userId, actorId: newId() };
  const row = await within(id, () => insertWorkspace(tx, workspace));
  if (!row) return undefined;
  record(workspaceCreated({ kind: "workspace", id }));
  return { id, answer: render(row, capabilitiesOf.owner) };
}

function refuseSlug(): never {
  const errors = [{ pointer: "/body/slug", code: "slug_taken", detail: "is taken or reserved" }];
  return refuse("slug_taken", { errors });
}

export const createWorkspace = implement(contract.createWorkspace, account(), async (context, { body }) => {
  const { name } = body;
  if (body.slug !== undefined) {
    const created = isReservedSlug(body.slug) ? undefined : await create(context, { name, slug: body.slug });
    return created?.answer ?? refuseSlug();
  }
  const [slug = "", ...otherSlugs] = slugsFor(name);
  const created = await create(context, { name, slug, otherSlugs });
  if (created) return created.answer;
  // Lost to a twin between the look and the insert: the last candidate is as good as unique.
  return (await create(context, { name, slug: otherSlugs.at(-1) ?? slug }))?.answer ?? refuseSlug();
});

export const bootstrapWorkspace = implement(contract.bootstrapWorkspace, account(), async (context, { body }) => {
  const { tx, principal, cookies } = context;
  const created = isReservedSlug(body.slug) ? undefined : await create(context, { ...body, first: true });
  if (!created) return (await belongsAnywhere(tx, principal.userId)) ? refuse("workspace_exists") : refuseSlug();
  const { live, max_age, secret } = await rotateSession(tx, principal, created.id);
  if (!live) throw new Refusal("authentication_required");
  cookies.set(secret, max_age);
  return created.answer;
});
