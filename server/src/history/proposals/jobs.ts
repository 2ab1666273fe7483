// Background job that deletes outdated ChangeSets and Document patches every hour. Running it twice is safe.
import type { Background } from "../../platform/background/jobs.ts";
import { APPLIED_DAYS, PATCH_DAYS, UNUSED_DAYS } from "./rules.ts";

const of = (table: string, id: string) =>
  `delete from ${table} x using gone g where x.workspace_id = g.workspace_id and x.${id} = g.id`;
// Runs across all Workspaces as the owner of the tables. One statement deletes all rows that refer to each other. A
// newer version keeps the whole ChangeSet or patch.
export const sweeps = [
  `with gone as (
  (select a.workspace_id, a.change_set_id as id from change_set_applications a
   where a.created_at < now() - interval '${APPLIED_DAYS} days' order by a.created_at limit 10000)
  union all
  (select v.workspace_id, v.change_set_id from change_set_versions v
   cross join lateral (select from change_sets s
     where s.workspace_id = v.workspace_id and s.id = v.change_set_id and s.version = v.version limit 1) s
   where v.expires_at < now() - interval '${UNUSED_DAYS} days'
     and not exists (select from change_set_applications a
       where a.workspace_id = v.workspace_id and a.change_set_id = v.change_set_id)
   order by v.expires_at limit 10000)
), applications as (${of("change_set_applications", "change_set_id")}),
  reviews as (${of("change_set_reviews", "change_set_id")}),
versions as (${of("change_set_versions", "change_set_id")}) ${of("change_sets", "id")}`,
  `with gone as (
  select v.workspace_id, v.patch_id as id from document_patch_versions v
  cross join lateral (select from document_patches p
    where p.workspace_id = v.workspace_id and p.id = v.patch_id and p.version = v.version limit 1) p
  where v.created_at < now() - interval '${PATCH_DAYS} days' order by v.created_at limit 10000
) ${of("document_patches", "id")}`,
];

export const background: Background = {
  schedule: "43 * * * * sweep_change_sets",
  jobs: () => ({ sweep_change_sets: (_payload, { query }) => query(sweeps.join(";")).then(() => {}) }),
};
