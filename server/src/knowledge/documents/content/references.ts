// Resolves the references of a content for its author: by id or by name (the code of a Task or Milestone, the key of a
// Project, a username, a path). A reference to something that the author does not see becomes text, whether it exists
// or not. References that the Document had before stay, because a former author saw their targets.
import type { Mentioned, Reference } from "@svc/document/document.ts";
import { peopleOfWorkspace } from "../../../accounts/workspaces/people-access.ts";
import { narrowedSeen, projectOfCaller, projectVisible } from "../../../planning/projects/access.ts";
import { milestoneCode } from "../../../planning/projects/rules.ts";
import { idByCode } from "../../../planning/tasks/access.ts";
import type { Queries } from "../../../platform/database/db.ts";
import { settle } from "../../../platform/kernel/context.ts";
import { refuse, refuseAt } from "../../../platform/wire/problem.ts";
import { documentVisible, projectOfDocument } from "../access.ts";
import { soughtPath } from "../rules.ts";
import { type Forms, type Meant, meaning } from "./forms.ts";
import { mean } from "./parsing.ts";

/** Number of references per content. Each is a separate lookup. */
const MOST_REFERENCES = 500;

/** Rows r of wanted references: name, id, and the key and number of a code. */
const each = (found: string) => `
select r.name, f.id from unnest($1::text[], $2::uuid[], $3::text[], $4::bigint[]) r(name, id, key, number)
cross join lateral (${found} limit 1) f`;
const inProjects = (from: string, where: string) =>
  `select x.id from ${from} x
   join projects p on p.workspace_id = x.workspace_id and p.id = x.project_id ${projectOfCaller}
   where x.workspace_id = current_workspace() and x.id = ${where} and ${projectVisible}`;
const codeOf = idByCode.replaceAll("$1", "r.key").replaceAll("$2", "r.number");
const FIND: Record<Mentioned, string> = {
  task: each(inProjects("tasks", `case when r.id is null then ${codeOf} else r.id end`)),
  milestone: each(
    inProjects(
      "milestones",
      `case when r.id is null then (select m.id from projects k
        join milestones m on m.workspace_id = k.workspace_id and m.project_id = k.id
        where k.workspace_id = current_workspace() and k.key = r.key and m.number = r.number) else r.id end
          and x.deleted_at is null`,
    ),
  ),
  project: each(`select p.id from projects p ${projectOfCaller}
    where p.workspace_id = current_workspace() and p.id = case when r.id is null then
    (select k.id from projects k where k.workspace_id = current_workspace() and k.key = r.key) else r.id end
      and ${projectVisible}`),
  document: each(`select d.id from documents d ${projectOfDocument}
    where d.workspace_id = current_workspace() and d.id = case when r.id is null then
    (select o.id from documents o
    where o.workspace_id = current_workspace() and o.path = r.key and o.trashed_at is null) else r.id end
      and ${documentVisible}`),
  person: each(`select m.actor_id as id from ${peopleOfWorkspace} where m.actor_id = case when r.id is null then
    (select n.actor_id from users v join memberships n on n.workspace_id = current_workspace() and n.user_id = v.id
    where v.username = r.key) else r.id end
    union all select a.actor_id from agents a
    where a.workspace_id = current_workspace() and a.actor_id = case when r.id is null then
    (select g.actor_id from agents g
    where g.workspace_id = current_workspace() and g.username = r.key and g.deleted_at is null) else r.id end
    and a.deleted_at is null and ${narrowedSeen("a")}`),
};

interface Sought {
  name: string;
  id: string | null;
  key: string | null;
  number: string | null;
}
function soughtAs(kind: Mentioned, { id, code = "" }: Reference): Sought {
  const none = { name: id ?? code, id: id ?? null, key: null, number: null };
  if (id) return none;
  if (kind === "document") return { ...none, key: soughtPath(code) };
  if (kind === "person") return { ...none, key: code.toLowerCase() };
  if (kind === "project") return { ...none, key: code.toUpperCase() };
  if (kind === "milestone") {
    if (!/^[a-z][a-z0-9]{1,9}-m[1-9]\d{0,17}$/i.test(code)) return none;
    return { ...none, ...milestoneCode(code) };
  }
  const [, key, number] = /^([a-z][a-z0-9]{1,9})-([1-9]\d{0,16})$/i.exec(code) ?? [];
  return key && number ? { ...none, key: key.toUpperCase(), number } : none;
}

const LINKED = `select target_kind as kind, target_id as id from document_links
    where workspace_id = current_workspace() and document_id = $1 and origin = 'content'`;
const ATTACHED = `
select a.id from unnest($2::uuid[]) i(id) cross join lateral (
  select a.id from attachments a
  where a.workspace_id = current_workspace() and a.id = i.id and a.document_id = $1 and a.state = 'stored' limit 1) a`;
// A file that the content showed before may have been deleted since, which is no reason to refuse the rest.
const SHOWN = `
select i.id from document_revisions r cross join unnest($3::uuid[]) i(id)
where r.workspace_id = current_workspace() and r.document_id = $1 and r.revision = $2
  and strpos(r.markdown, 'attachment:' || i.id) > 0`;

interface Written {
  /** The Document and the content revision to replace; null for a new Document. */
  over: { id: string; revision: string } | null;
  pointer: string;
}
/**
 * Refuses too many references, and files that are not attached. Returns the forms with resolved references. Without
 * references it queries nothing.
 */
export async function requireReferences(
  read: <T>(work: (tx: Queries) => Promise<T>) => Promise<T>,
  forms: Forms,
  { over, pointer }: Written,
  share: string,
): Promise<Forms> {
  const { references, attachments } = forms;
  if (references.length + attachments.length === 0) return forms;
  if (references.length + attachments.length > MOST_REFERENCES) refuse("document_too_large");
  const kinds = Map.groupBy(references, ({ kind }) => kind);
  const [found, linked, attached, shown] = await read((tx) =>
    settle([
      settle([...kinds].map(([kind, named]) => find(tx, kind, named))),
      over ? tx.rows<{ kind: string; id: string }>(LINKED, [over.id]) : [],
      over ? tx.rows<{ id: string }>(ATTACHED, [over.id, attachments]) : [],
      over ? tx.rows<{ id: string }>(SHOWN, [over.id, over.revision, attachments]) : [],
    ]),
  );
  const there = new Set([...attached, ...shown].map(({ id }) => id));
  const missing = attachments.find((id) => !there.has(id));
  if (missing) refuseAt(pointer, "invalid_reference", `attach the file ${missing} to the Document first`);
  const known = new Map(found.flat());
  for (const { kind, id } of linked) if (!known.has(meaning(kind, id))) known.set(meaning(kind, id), id);
  const meant: Meant = Object.fromEntries(
    references.flatMap(({ kind, id, code = "" }) => {
      const key = meaning(kind, id ?? code);
      return known.get(key) === id && id !== undefined ? [] : [[key, known.get(key) ?? null]];
    }),
  );
  return Object.keys(meant).length > 0 ? mean(forms.content, meant, share) : forms;
}

async function find(tx: Queries, kind: Mentioned, named: readonly Reference[]): Promise<[string, string][]> {
  const sought = named.map((reference) => soughtAs(kind, reference));
  const column = <Name extends keyof Sought>(name: Name) => sought.map((one) => one[name]);
  const values = [column("name"), column("id"), column("key"), column("number")];
  const rows = await tx.rows<{ name: string; id: string }>(FIND[kind], values);
  return rows.map(({ name, id }) => [meaning(kind, name), id]);
}
