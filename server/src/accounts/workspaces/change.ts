// Creation of a paid Workspace. A slug conflict never fails it, because the buyer can no longer be asked for another
// name.
import { TENANT } from "../../platform/background/jobs.ts";
import type { Queries } from "../../platform/database/db.ts";
import { newId } from "../../platform/wire/ids.ts";
import { workspaceCreated } from "./events.ts";
import { slugsFor } from "./rules.ts";
import { insertWorkspace } from "./store.ts";

export interface Bought {
  userId: string;
  name: string;
  /** Requested slug; may be taken by now. */
  slug: string | null;
  plan: "team" | "business";
}
/** Creates the Workspace, switches the transaction to its tenant, and returns the event to record there. */
export async function createBought(tx: Queries, { slug, ...wanted }: Bought) {
  const [id, actorId] = [newId(), newId()];
  const others = slugsFor(wanted.name);
  const [first = "", ...otherSlugs] = slug === null ? others : [slug, ...others];
  const create = (slug: string, otherSlugs: string[] = []) =>
    insertWorkspace(tx, { ...wanted, id, actorId, slug, otherSlugs });
  await tx.rows(TENANT, [id]);
  // Lost to a concurrent creation: the last candidate is practically unique.
  if (!((await create(first, otherSlugs)) ?? (await create(others.at(-1) ?? first))))
    throw new Error("no slug is left for a Workspace that was paid for");
  return { id, actorId, fact: workspaceCreated({ kind: "workspace", id }) };
}
