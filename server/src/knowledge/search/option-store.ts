// SQL of a picker's choices: for each kind prefix matches, or recent ones if nothing was typed, as far as the caller
// sees them.
import { MOST_NAMES, ReferenceOption } from "@svc/contract/knowledge/search/reference-options.ts";
import { pictureUrl } from "../../accounts/account/view.ts";
import { soughtName } from "../../accounts/workspaces/rules.ts";
import { nameFits } from "../../accounts/workspaces/store.ts";
import { projectOfCaller, projectVisible, workerOf, workerSeen } from "../../planning/projects/access.ts";
import type { Queries } from "../../platform/database/db.ts";
import { view } from "../../platform/database/view.ts";
import { documentVisible, projectOfDocument } from "../documents/access.ts";
import { archivedness } from "../documents/view.ts";
import type { Option, Typed } from "./option-rules.ts";
import { findMatches, type Match } from "./store.ts";

type Kind = Option["kind"];
/** A row x as an option. */
const option = (kind: Kind, columns: Partial<Record<"id" | "code" | "name" | "project_id" | "picture_url", string>>) =>
  `${view(ReferenceOption, "x", { kind: `'${kind}'`, project_id: "null", picture_url: "null", ...columns })} as json`;
const read = async (tx: Queries, sql: string, values: unknown[]) =>
  (await tx.rows<{ json: string }>(sql, values)).map(({ json }) => JSON.parse(json) as Option);

/** A member has up to eight names beside the username, and any of them may match. */
const NAMES = 8;
const named = (part: string, rows: string) =>
  `(select actor_id, part, name from member_names where workspace_id = current_workspace() and ${part} and ${nameFits}
    order by name, actor_id limit ${rows})`;
const PEOPLE = `
select ${option("person", {
  id: "n.actor_id",
  code: `case when u.username is null then m.username
  else u.username end`,
  name: `case when u.display_name is null then m.name
    else u.display_name end`,
  picture_url: pictureUrl("current_workspace()"),
})} from (
  select actor_id, min(case when part = 0 then 0 else 1 end) as rank, min(name) as name
  from (${named("part = 0", "$2")} union all ${named("part > 0", `$2 * ${NAMES}`)}) n group by actor_id order by 2, 3, 1
  limit $2
) n
cross join ${workerOf("current_workspace()", "n.actor_id")}
left join lateral (select id, username, display_name, picture_key from users where id = m.user_id limit 1) u on true
where ${workerSeen}
order by n.rank, n.name, n.actor_id`;

const task = option("task", { code: "p.key || '-' || x.number", name: "x.title", project_id: "x.project_id" });
const NUMBERED = `
select ${task} from (select id from projects where workspace_id = current_workspace() and key = $1 limit 1) k
cross join lateral (
  select * from tasks where workspace_id = current_workspace() and project_id = k.id
    and number between $2::bigint and $3::bigint and trashed_at is null
  order by number desc limit $4) x
cross join lateral (select p.key from projects p ${projectOfCaller}
  where p.workspace_id = current_workspace() and p.id = x.project_id and ${projectVisible} limit 1) p
order by x.number desc`;
const OWN = `
select ${task} from (
  select * from tasks where workspace_id = current_workspace() and assignee_actor_id = current_actor()
    and trashed_at is null
    and (case when completed_at is null then 1 else 0 end) = 1 order by updated_at desc, id desc limit $1) x
cross join lateral (select p.key from projects p ${projectOfCaller}
  where p.workspace_id = current_workspace() and p.id = x.project_id and ${projectVisible} limit 1) p
order by x.updated_at desc, x.id desc`;
const LATEST = `
/* reads up to ${2 * MOST_NAMES}: of the Documents that changed last those that the caller sees */
select ${option("document", { code: "x.path", name: "x.title", project_id: "x.project_id" })} from (
  select * from documents d where d.workspace_id = current_workspace() and ${archivedness("d")} = 0
    and d.trashed_at is null
  order by d.updated_at desc, d.id desc limit ${MOST_NAMES}) x
cross join lateral (select from documents d ${projectOfDocument}
  where d.workspace_id = current_workspace() and d.id = x.id and ${documentVisible} limit 1) d
order by x.updated_at desc, x.id desc limit $1`;

/** $1 is the typed text: a word of the name begins with it. */
const fits = (name: string) => `position(' ' || lower($1) in ' ' || lower(${name})) > 0`;
const listed = (visibility: string, order: string, more: string) => `
(select id from projects where workspace_id = current_workspace() and visibility = '${visibility}'
  and deleted_at is null and archived_at is null ${more}
 order by ${order} limit ${MOST_NAMES})`;
const keyed = "and key >= upper($1) and key < upper($1) || '~'";
const PROJECTS = `
/* reads up to ${8 * MOST_NAMES}: the first Projects of each visibility, and those whose keys begin so */
select ${option("project", { code: "x.key", name: "x.name", project_id: "x.id" })} from (
  select id from (${["workspace", "private"].flatMap((each) => [listed(each, "position, id", ""), listed(each, "key", keyed)]).join(" union all ")}) n group by id
) n
cross join lateral (
  select p.* from projects p ${projectOfCaller}
  where p.workspace_id = current_workspace() and p.id = n.id and ${projectVisible} limit 1) x
where ${fits("x.name")} or starts_with(x.key, upper($1)) order by x.position, x.id limit $2`;
const MILESTONES = `
/* reads up to ${6 * MOST_NAMES}: the newest Milestones, and the one with this code */
select ${option("milestone", { code: "x.key || '-M' || x.number", name: "x.name", project_id: "x.project_id" })} from (
  select m.*, k.key from (
    (select * from milestones where workspace_id = current_workspace() order by id desc limit ${MOST_NAMES})
    union
    (select m.* from projects k join milestones m on m.workspace_id = k.workspace_id and m.project_id = k.id
     where k.workspace_id = current_workspace() and k.key = $3 and m.number = $4::bigint)
  ) m cross join lateral (select k.key from projects k
    where k.workspace_id = current_workspace() and k.id = m.project_id limit 1) k
  where m.deleted_at is null and (${fits("m.name")} or starts_with(k.key || '-M' || m.number, upper($1))) offset 0
) x
cross join lateral (select from projects p ${projectOfCaller}
  where p.workspace_id = current_workspace() and p.id = x.project_id and ${projectVisible} limit 1) p
order by x.id desc limit $2`;

const optionOf = ({ type, id, code, path, title, project_id }: Match): Option => ({
  kind: type as Kind,
  id,
  code: code ?? path,
  name: title,
  project_id,
  picture_url: null,
});
const worded = async (tx: Queries, q: string, type: "task" | "document", limit: number) =>
  (await findMatches(tx, { q, type }, { after: null, limit: limit - 1 })).map(optionOf);
/** Completes a partial code: numbers with one digit more. */
const numbered = (tx: Queries, { key, digits }: NonNullable<Typed["code"]>, limit: number) => {
  const low = digits === "" ? "1" : `${digits}0`;
  const high = digits === "" ? "999999999999999999" : `${digits}9`;
  return read(tx, NUMBERED, [key, low, high, limit]);
};

export const lookups: Record<Kind, (tx: Queries, typed: Typed, limit: number) => Promise<Option[]>> = {
  person: (tx, { text }, limit) => read(tx, PEOPLE, [soughtName(text), limit]),
  task: async (tx, { text, code }, limit) => {
    if (text === "") return read(tx, OWN, [limit]);
    const ways = [worded(tx, text, "task", limit), code && !code.milestone ? numbered(tx, code, limit) : []];
    return (await Promise.all(ways)).flat();
  },
  document: (tx, { text }, limit) => (text === "" ? read(tx, LATEST, [limit]) : worded(tx, text, "document", limit)),
  project: (tx, { text }, limit) => read(tx, PROJECTS, [text, limit]),
  milestone: (tx, { text, code }, limit) =>
    read(tx, MILESTONES, [text, limit, code?.milestone ? code.key : null, (code?.milestone && code.digits) || null]),
};
