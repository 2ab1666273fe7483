// SQL of definitions and their versions. A version changes only while it is a draft; a caller that changes a definition
// has locked its row.

import { narrowedSeen } from "../../planning/projects/access.ts";
import type { Queries } from "../../platform/database/db.ts";
import type { ListRow } from "../../platform/kernel/implement-operation.ts";
import { LAST_ID } from "../../platform/wire/ids.ts";
import { CURATED_SINCE, type Curated, curatedById } from "./curated-agents.ts";
import type { DefinitionContent, DefinitionStanding } from "./rules.ts";
import { definitionRowView, definitionView } from "./view.ts";

const COLUMNS = "name, description, instructions, tools, triggers, project_ids, budgets";
const versionOf = (which: string) => `cross join lateral (
  select * from agent_versions where workspace_id = d.workspace_id and definition_id = d.id and version = ${which}
  limit 1) v`;
const STORED = `
select d.workspace_id, d.id, d.curated, d.state, d.version, d.published_version, d.created_by_actor_id, d.revision,
  d.created_at, d.updated_at,
  v.name, v.description, v.instructions, v.tools, v.triggers, v.project_ids, v.budgets, v.published_by_actor_id,
  v.published_at
from agent_definitions d ${versionOf("d.version")} where d.workspace_id = current_workspace()`;
/** A curated definition ($2, in a list) in the shape of a stored one, unless it is stored. */
const COMING = `
select current_workspace(), c.id, c.key, 'published', c.version, c.version, null::uuid, 0::bigint, c.since, c.since,
  c.name, c.description, c.instructions, c.tools, c.triggers, '{}'::uuid[], c.budgets, null::uuid, c.since
from jsonb_to_recordset($2::jsonb) as c(id uuid, key text, version integer, since timestamptz, name text,
  description text, instructions text, tools text[], triggers jsonb, budgets jsonb)
where not exists (select from agent_definitions o where o.workspace_id = current_workspace() and o.id = c.id)`;
const comingAs = (each: Curated | undefined) => JSON.stringify(each ? [{ ...each, since: CURATED_SINCE }] : []);

export interface AgentDefinitionTarget extends DefinitionStanding {
  id: string;
  json: string;
  revision: string;
  version: number;
  /** Whether the newest version is published. */
  is_published: boolean;
  content: DefinitionContent;
}
const READ = `
select ${definitionView} as json, d.id, d.revision::text, d.curated, d.state, d.version, d.published_version,
  d.published_at is not null as is_published,
  (d.created_by_actor_id = current_actor()) is true as own, (
    select true from agents a
    where a.workspace_id = current_workspace() and a.definition_id = d.id and a.deleted_at is null
    limit 1) is true as enabled,
  json_build_object('name', d.name, 'description', d.description, 'instructions', d.instructions, 'tools', d.tools,
    'triggers', d.triggers,
    'project_ids', d.project_ids, 'budgets', d.budgets) as content
from (${STORED} and d.id = $1 union all ${COMING}) d where ${narrowedSeen("d")}`;
const HOLD = "select from agent_definitions where workspace_id = current_workspace() and id = $1 for no key update";

export const readDefinition = (tx: Queries, id: string) =>
  tx.maybe<AgentDefinitionTarget>(READ, [id, comingAs(curatedById.get(id))]);
/** Locks in a statement of its own, so that the read sees what concurrent callers have committed. */
export const lockDefinition = async (tx: Queries, id: string) =>
  (await Promise.all([tx.rows(HOLD, [id]), readDefinition(tx, id)]))[1];

const LIST = `
/* reads up to 2000: at most 500, of which some are in that state */
select ${definitionRowView} as json, json_build_array(d.id)::text as key from (
  ${STORED} and d.curated is null and d.id < $1 and ($3::text is null or d.state = $3)) d
where ${narrowedSeen("d")} order by d.id desc limit $2`;
export const listDefinitions = (
  tx: Queries,
  state: string | undefined,
  { after, limit }: { after: readonly unknown[] | null; limit: number },
) => tx.rows<ListRow>(LIST, [after?.[0] ?? LAST_ID, limit + 1, state ?? null]);

const valuesOf = ({ name, description, instructions, tools, triggers, project_ids, budgets }: DefinitionContent) => [
  ...[name, description, instructions, tools, JSON.stringify(triggers), project_ids, JSON.stringify(budgets)],
];

const CREATE = `
with room as (
  select from (select count(*) as made from agent_definitions
    where workspace_id = current_workspace() and curated is null) n where n.made < $9
), d as (
  insert into agent_definitions (workspace_id, id, state, created_by_actor_id)
  select current_workspace(), $1, 'draft', current_actor() from room returning id
)
insert into agent_versions (workspace_id, definition_id, version, ${COLUMNS})
select current_workspace(), d.id, 1, $2, $3, $4, $5, $6, $7, $8 from d returning version`;
/** False if the limit is reached. The caller has locked the Workspace. */
export const createDefinition = async (tx: Queries, id: string, content: DefinitionContent, most: number) =>
  (await tx.maybe(CREATE, [id, ...valuesOf(content), most])) !== undefined;

const NEXT = `
insert into agent_versions (workspace_id, definition_id, version, ${COLUMNS})
values (current_workspace(), $1, $9, $2, $3, $4, $5, $6, $7, $8)`;
const REWRITE = `
update agent_versions set name = $2, description = $3, instructions = $4, tools = $5, triggers = $6, project_ids = $7,
  budgets = $8
where workspace_id = current_workspace() and definition_id = $1 and version = $9 and published_at is null`;
/** Writes the next version, or overwrites the draft. */
export const writeVersion = (tx: Queries, id: string, version: number, content: DefinitionContent, isNext: boolean) =>
  tx.rows(isNext ? NEXT : REWRITE, [id, ...valuesOf(content), version]);

const PUBLISH = `
update agent_versions set published_by_actor_id = current_actor(), published_at = now()
where workspace_id = current_workspace() and definition_id = $1 and version = $2 and published_at is null`;
export const publishVersion = (tx: Queries, id: string, version: number) => tx.rows(PUBLISH, [id, version]);

const ADVANCE = `
update agent_definitions
  set state = $2, version = $3, published_version = case when $2 = 'published' then $3 else published_version end,
  revision = revision + 1, updated_at = now() where workspace_id = current_workspace() and id = $1`;
export const advanceDefinition = (tx: Queries, id: string, state: string, version: number) =>
  tx.rows(ADVANCE, [id, state, version]);

export interface Enabling {
  state: string;
  version: number | null;
  content: Pick<DefinitionContent, "name" | "triggers" | "project_ids"> | null;
}
const ENABLING = `
select d.state, d.published_version as version, (
  select json_build_object('name', v.name, 'triggers', v.triggers, 'project_ids', v.project_ids) from agent_versions v
  where v.workspace_id = d.workspace_id and v.definition_id = d.id and v.version = d.published_version) as content
from agent_definitions d where d.workspace_id = current_workspace() and d.id = $1 for no key update`;
/** Locks a stored definition and reads the version that an Agent of it would run. */
export const definitionToEnable = (tx: Queries, id: string) => tx.maybe<Enabling>(ENABLING, [id]);

const COPY = `
insert into agent_definitions as d (workspace_id, id, curated, state, version, published_version, created_by_actor_id)
values (current_workspace(), $1, $2, 'published', $3, $3, current_actor())
on conflict (workspace_id, id) do update
set state = 'published', version = excluded.version, published_version = excluded.version,
  revision = d.revision + 1, updated_at = now()`;
const COPY_VERSION = `
insert into agent_versions as v (workspace_id, definition_id, version, ${COLUMNS}, published_by_actor_id, published_at)
values (current_workspace(), $1, $9, $2, $3, $4, $5, $6, $7, $8, current_actor(), now())
on conflict (workspace_id, definition_id, version) do update
set published_by_actor_id = excluded.published_by_actor_id, published_at = excluded.published_at`;
/** Copies a curated definition into the Workspace; the caller counts as its publisher. */
export const copyCurated = (tx: Queries, { id, key, version, ...content }: Curated) =>
  Promise.all([
    tx.rows(COPY, [id, key, version]),
    tx.rows(COPY_VERSION, [id, ...valuesOf({ ...content, project_ids: [] }), version]),
  ]);
