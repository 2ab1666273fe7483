// Background work of ChangeSets and Document patches: what has been of no use for long is forgotten, every hour. It may run twice.
import type { Background } from "../background/jobs.ts";
import { APPLIED_DAYS, PATCH_DAYS, UNUSED_DAYS } from "./rules.ts";

const of = (table: string, id: string) =>
  `delete from ${table} x using gone g where x.workspace_id = g.workspace_id and x.${id} = g.id`;
// Across all Workspaces: background work acts as the owner of the tables. All that refers to each other goes in one statement.
const SWEEP = `
with gone as (
  select s.workspace_id, s.id from change_sets s
  join change_set_versions v on v.workspace_id = s.workspace_id and v.change_set_id = s.id and v.version = s.version
  left join change_set_applications a on a.workspace_id = s.workspace_id and a.change_set_id = s.id
  where coalesce(a.created_at + interval '${APPLIED_DAYS} days', v.expires_at + interval '${UNUSED_DAYS} days') < now() limit 10000
), applications as (${of("change_set_applications", "change_set_id")}), reviews as (${of("change_set_reviews", "change_set_id")}),
versions as (${of("change_set_versions", "change_set_id")}) ${of("change_sets", "id")};
delete from document_patches p where not exists (
  select from document_patch_versions v
  where v.workspace_id = p.workspace_id and v.patch_id = p.id and v.created_at > now() - interval '${PATCH_DAYS} days')`;

export const background: Background = {
  schedule: "43 * * * * sweep_change_sets",
  jobs: () => ({ sweep_change_sets: (_payload, { query }) => query(SWEEP).then(() => {}) }),
};
