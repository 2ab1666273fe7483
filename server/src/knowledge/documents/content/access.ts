// Who reads and writes what a Document says: whoever reads and writes the Document. `revision` is here that of the content, which If-Match and ETag name.

import { type InProject, inProject, permitsDocument, typedIn } from "../../../planning/projects/access.ts";
import type { DocumentVerb } from "../../../planning/projects/rules.ts";
import type { Queries } from "../../../platform/database/db.ts";
import type { Access } from "../../../platform/kernel/implement.ts";
import { documentVisible, projectOfDocument, unsealed } from "../access.ts";
import { fullRevisionView } from "./view.ts";

export interface ContentTarget extends InProject {
  id: string;
  project_id: string | null;
  /** Of the content. */
  revision: string;
  trashed: boolean;
  /** Of its Markdown: two contents with the same are the same. */
  digest: string;
  /** Where it is read: people are writing in it, and it holds more than is written down. */
  unsealed?: boolean;
  /** Where it is written: people have typed in it since its newest revision. */
  live?: boolean;
  /** The wire form, where it is read. */
  json: string;
}
export type Form = "content" | "markdown";

const select = (json: string, more = "") => `
select d.id, d.project_id, r.revision::text, d.trashed_at is not null as trashed, md5(r.markdown) as digest, ${inProject}, ${json} as json${more}
from documents d ${projectOfDocument}
cross join lateral (
  select * from document_revisions r where r.workspace_id = d.workspace_id and r.document_id = d.id and r.revision = d.content_revision limit 1) r
where d.workspace_id = current_workspace() and d.id = $1 and ${documentVisible}`;
const form = (name: Form) =>
  `'{"${name}":' || ${name === "content" ? "r.content::text" : "to_json(r.markdown)::text"} || ',"content_revision":"' || r.revision || '"}'`;
const READ: Record<Form, string> = {
  content: select(form("content"), `, ${unsealed}`),
  markdown: select(form("markdown"), `, ${unsealed}`),
};
const CHANGE = select("''", `, ${typedIn("d")} as live`);
// In a statement before: a row that changes while another waits for its lock is looked at again by itself, beside the revision that was the newest before.
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
select d.id, d.project_id, r.revision::text, d.trashed_at is not null as trashed, ${inProject}, ${fullRevisionView} as json
from documents d ${projectOfDocument} join document_revisions r on r.workspace_id = d.workspace_id and r.document_id = d.id
where d.workspace_id = current_workspace() and d.id = $1 and r.revision = $2 and ${documentVisible}`;
/** One of what it said. */
export const documentRevision = (verb: DocumentVerb): Access<Omit<ContentTarget, "digest">> => ({
  reach: "membership",
  load: (tx, { document_id, revision }) => tx.maybe(REVISION, [document_id, revision]),
  permits: permitsDocument(verb),
});
