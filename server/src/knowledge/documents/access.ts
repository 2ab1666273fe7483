// Visibility of Documents: whoever sees the Project sees its Documents, and every member sees those in no Project. A
// Document is found by id, or by a path that it has or had.

import {
  callerNarrowed,
  type InProject,
  inProject,
  permitsDocument,
  projectOfCaller,
  projectVisible,
  unsealedFor,
} from "../../planning/projects/access.ts";
import type { DocumentVerb } from "../../planning/projects/rules.ts";
import type { Queries } from "../../platform/database/db.ts";
import { locked } from "../../platform/database/sql.ts";
import type { Access } from "../../platform/kernel/implement-operation.ts";
import { soughtPath } from "./rules.ts";
import { documentView } from "./view.ts";

/** Place of a Document, and whether its Project is private and thus forbids publication. */
export interface InPlace extends InProject {
  project_private: boolean;
}
export const inPlace = `${inProject}, coalesce(p.visibility = 'private', false) as project_private`;
export interface DocumentTarget extends InPlace {
  id: string;
  project_id: string | null;
  revision: string;
  content_revision: string;
  trashed: boolean;
  /** Whether it has edits that are not checkpointed yet; set on reads only. */
  unsealed?: boolean;
  /** The wire form; empty if a caller only lists or creates something inside the Document. */
  json: string;
}

/** Joins the Project of Document d, if it is in one, as p. */
export const projectOfDocument = `left
  join projects p on p.workspace_id = d.workspace_id and p.id = d.project_id ${projectOfCaller}`;
export const documentVisible = `(d.project_id is null and not ${callerNarrowed} or ${projectVisible})`;

/** Whether Document d has edits that are not checkpointed yet. */
export const unsealed = `${unsealedFor("d")} as unsealed`;
const select = (json: string, where: string, more = "") => `
select d.id, d.project_id, d.revision::text, d.content_revision::text, d.trashed_at is not null as trashed, ${inPlace},
  ${json} as json${more}
from documents d ${projectOfDocument}
where d.workspace_id = current_workspace() and ${where} and ${documentVisible}`;
const READ = select(documentView, "d.id = $1", `, ${unsealed}`);
const CHANGE = `${select(documentView, "d.id = $1")} for no key update of d`;
const PLACE = select("''", "d.id = $1");

/** Number of Documents that once had a path, examined for one that the caller sees. */
const MOST_LEFT = 100;
const seen = (id: string, where: string) => `cross join lateral (
    select d.id, d.trashed_at from documents d ${projectOfDocument}
    where d.workspace_id = current_workspace() and d.id = ${id} and ${documentVisible} ${where} limit 1) d`;
/**
 * The Document that has this path now; else the last one that had it and is not in the trash, else the last one in the
 * trash.
 */
const idByPath = (path: string) => `(
  /* reads up to ${4 * MOST_LEFT}: those that have left this path, and whether each is seen */
  select f.id from (
    (select d.id, 0 as rank, now() as left_at
     from (select o.id from documents o
       where o.workspace_id = current_workspace() and o.path = ${path} and o.trashed_at is null
       limit 1) o ${seen("o.id", "")})
    union all
    (select d.id, case when d.trashed_at is null then 1 else 2 end, o.left_at
     from (select o.document_id, o.left_at from document_former_paths o
       where o.workspace_id = current_workspace() and o.path = ${path} order by o.left_at desc, o.document_id
       limit ${MOST_LEFT}) o ${seen("o.document_id", "")})
  ) f order by f.rank, f.left_at desc limit 1)`;

/**
 * Lock on the tree of a Workspace, taken before any Document is locked. Moves hold it exclusively: two concurrent ones
 * could make a cycle or take the same path. Insertions share it.
 */
const tree = (how: string) =>
  `select pg_advisory_xact_lock${how}(hashtextextended('documents of ' || current_workspace(), 0))`;
const [HOLD_TREE, SHARE_TREE] = [tree(""), tree("_shared")];
export const shareTree = (tx: Queries) => tx.rows(SHARE_TREE);

const find = (tx: Queries, id: string | undefined, change: boolean) =>
  change ? locked<DocumentTarget>(tx, CHANGE, [id]) : tx.maybe<DocumentTarget>(READ, [id]);

/** Access for reading a Document, or for a change that does not affect the tree. */
export const document = (verb: DocumentVerb): Access<DocumentTarget> => ({
  reach: "membership",
  load: (tx, { document_id }, change) => find(tx, document_id, change),
  permits: permitsDocument(verb),
});
/** Access for a change that may affect the title or the place. */
export const documentInTree = (verb: DocumentVerb): Access<DocumentTarget> => ({
  ...document(verb),
  load: async (tx, { document_id }, change) => {
    const held = change && tx.rows(HOLD_TREE);
    return (await Promise.all([held, find(tx, document_id, change)]))[1];
  },
});
/** Access for listing or creating something inside the Document: neither rendered nor locked. */
export const insideDocument = (verb: DocumentVerb): Access<DocumentTarget> => ({
  ...document(verb),
  load: (tx, { document_id }) => tx.maybe<DocumentTarget>(PLACE, [document_id]),
});
/** Access for reading a Document in another form, from Document d and its Project p. */
export const documentByPathAs = (verb: DocumentVerb, json: string): Access<DocumentTarget> => {
  const sql = select(json, `d.id = ${idByPath("$1")}`, `, ${unsealed}`);
  return {
    ...document(verb),
    load: (tx, { document_path }) => tx.maybe<DocumentTarget>(sql, [soughtPath(document_path as string)]),
  };
};
export const documentByPath = (verb: DocumentVerb) => documentByPathAs(verb, documentView);
