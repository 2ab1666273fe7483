// Access to the content of a Document: whoever reads and writes the Document. `revision` is the revision of the content
// here, which If-Match and ETag name.

import { type InProject, inProject, permitsDocument, typedIn } from "../../../planning/projects/access.ts";
import type { DocumentVerb } from "../../../planning/projects/rules.ts";
import type { Queries } from "../../../platform/database/db.ts";
import type { Access } from "../../../platform/kernel/implement-operation.ts";
import { documentVisible, projectOfDocument, unsealed } from "../access.ts";
import { fullRevisionView } from "./view.ts";

export interface ContentTarget extends InProject {
  id: string;
  project_id: string | null;
  /** Content revision. */
  revision: string;
  trashed: boolean;
  /** Digest of the Markdown: contents with the same digest are equal. */
  digest: string;
  /** Whether the Document has edits that are not checkpointed yet; set on reads only. */
  unsealed?: boolean;
  /** Whether people have typed in it since its newest revision; set on writes only. */
  live?: boolean;
  /** The wire form, on reads. */
  json: string;
}
export type Form = "content" | "markdown";

const select = (json: string, more = "") => `
select d.id, d.project_id, r.revision::text, d.trashed_at is not null as trashed, md5(r.markdown) as digest,
  ${inProject}, ${json} as json${more}
from documents d ${projectOfDocument}
cross join lateral (
  select * from document_revisions r
  where r.workspace_id = d.workspace_id and r.document_id = d.id and r.revision = d.content_revision limit 1) r
where d.workspace_id = current_workspace() and d.id = $1 and ${documentVisible}`;
const form = (name: Form) =>
  `'{"${name}":' || ${name === "content" ? "r.content::text" : "to_json(r.markdown)::text"} || ` +
  `',"content_revision":"' || r.revision || '"}'`;
const READ: Record<Form, string> = {
  content: select(form("content"), `, ${unsealed}`),
  markdown: select(form("markdown"), `, ${unsealed}`),
};
const CHANGE = select("''", `, ${typedIn("d")} as live`);
// Locks in a statement of its own: PostgreSQL rechecks a row that changed while it waited for the lock, but joins it to
// the revision that was newest before.
const HOLD = "select from documents where workspace_id = current_workspace() and id = $1 for no key update";
async function change(tx: Queries, id: string | undefined) {
  const [, target] = await Promise.all([tx.rows(HOLD, [id]), tx.maybe<ContentTarget>(CHANGE, [id])]);
  return target;
}

export const readContent = (tx: Queries, id: string, as: Form) => tx.maybe<ContentTarget>(READ[as], [id]);
export const content = (verb: DocumentVerb, as: Form): Access<ContentTarget> => ({
  reach: "membership",
  load: (tx, { document_id }, changing) => {
    if (changing) return change(tx, document_id);
    if (verb === "documents:read") return readContent(tx, document_id as string, as);
    return tx.maybe<ContentTarget>(CHANGE, [document_id]);
  },
  permits: permitsDocument(verb),
});

const REVISION = `
select d.id, d.project_id, r.revision::text, d.trashed_at is not null as trashed, ${inProject},
  ${fullRevisionView} as json
from documents d ${projectOfDocument}
join document_revisions r on r.workspace_id = d.workspace_id and r.document_id = d.id
where d.workspace_id = current_workspace() and d.id = $1 and r.revision = $2 and ${documentVisible}`;
/** Access to a revision of the content. */
export const documentRevision = (verb: DocumentVerb): Access<Omit<ContentTarget, "digest">> => ({
  reach: "membership",
  load: (tx, { document_id, revision }) => tx.maybe(REVISION, [document_id, revision]),
  permits: permitsDocument(verb),
});
