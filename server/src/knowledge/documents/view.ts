// Documents on the wire. The query gives the Document as d.
import { DocumentRow } from "@svc/contract/knowledge/documents/documents.ts";
import { view } from "../../platform/database/view.ts";

/** Whether something is archived, as 0 or 1, in the form that the indexes use. */
export const archivedness = (alias: string) => `(case when ${alias}.archived_at is null then 0 else 1 end)`;

export const documentColumns = {
  content_revision: "d.content_revision::text",
  has_children: `exists (
    select from documents c where c.workspace_id = d.workspace_id and c.place_id = d.id and ${archivedness("c")} = 0
      and c.trashed_at is null)`,
};
export const documentView = view(DocumentRow, "d", documentColumns);
