// Creates Documents for every operation: below a parent, or at the top of a Project or of the Workspace.
import { MOST_LEVELS } from "@svc/contract/knowledge/documents/documents.ts";
import { documentLabelsChanged, requireLabels } from "../../planning/labels/change.ts";
import { documentCapabilities } from "../../planning/projects/access.ts";
import { settle } from "../../platform/kernel/context.ts";
import type { Context, Rendered } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { newId } from "../../platform/wire/ids.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { shareTree } from "./access.ts";
import { requirePlace } from "./change.ts";
import { documentCreated, subjectOf } from "./events.ts";
import { newSuffix, slugOf } from "./rules.ts";
import * as store from "./store.ts";

interface Given {
  title: string;
  icon?: string | null;
  parent_id?: string | null;
  project_id?: string | null;
  label_ids?: readonly string[];
}
/** The content of an empty Document. */
const EMPTY: store.StoredContent = {
  content: '{"type":"doc","content":[{"type":"paragraph"}]}',
  markdown: "",
  text: "",
};

/** Creates the Document with its content as the first revision. */
export async function createIn(context: Context, body: Given, content = EMPTY): Promise<Rendered> {
  const { tx, member, record } = context;
  const { title, icon = null, parent_id = null, project_id, label_ids = [] } = body;
  const [, place] = await settle([shareTree(tx), requirePlace(context, { parent_id, project_id })]);
  if (place.depth >= MOST_LEVELS) refuse("document_too_deep");
  const kind = { kind: "document", project_id: place.project_id } as const;
  const labels = [...new Set(label_ids)];
  const slug = slugOf(title);
  const made = { id: newId(), title, icon, slug, suffix: newSuffix(), labelIds: labels, content };
  const [, first] = await settle([
    requireLabels(context, kind, label_ids),
    store.createDocument(tx, member, made, place),
  ]);
  const row = first ?? (await store.createDocument(tx, member, { ...made, slug: `${slug}-${newSuffix()}` }, place));
  // A second collision is practically impossible, because the suffix is random.
  if (!row) return refuse("overloaded", { retry_after: 1 });
  const subject = subjectOf({ id: made.id, project_id: place.project_id });
  record(documentCreated(subject, { title, parent_id, project_id: place.project_id }));
  if (labels.length > 0) record(documentLabelsChanged(subject, { from: [], to: labels }));
  return render(row, documentCapabilities(context, place));
}
