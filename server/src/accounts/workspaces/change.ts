// A Workspace that somebody has paid for: created whatever its name meets, because nobody can be told to choose another one any more.
import { TENANT } from "../../platform/background/jobs.ts";
import type { Queries } from "../../platform/database/db.ts";
import { newId } from "../../platform/wire/ids.ts";
import { workspaceCreated } from "./events.ts";
import { slugsFor } from "./rules.ts";
import { insertWorkspace } from "./store.ts";

export interface Bought {
  userId: string;
  name: string;
  /** What was wished for; somebody else may have it by now. */
  slug: string | null;
  plan: "team" | "business";
}
/** On its own tenant from now on, with the fact to be recorded there. */
export async function createBought(tx: Queries, { slug, ...wanted }: Bought) {
  const [id, actorId] = [newId(), newId()];
  const others = slugsFor(wanted.name);
  const [first = "", ...otherSlugs] = slug === null ? others : [slug, ...others];
  const create = (slug: string, otherSlugs: string[] = []) =>
    insertWorkspace(tx, { ...wanted, id, actorId, slug, otherSlugs });
  await tx.rows(TENANT, [id]);
  // Lost to a twin between the look and the insert: the last candidate is as good as unique.
  if (!((await create(first, otherSlugs)) ?? (await create(others.at(-1) ?? first))))
    throw new Error("no slug is left for a Workspace that was paid for");
  return { id, actorId, fact: workspaceCreated({ kind: "workspace", id }) };
}
