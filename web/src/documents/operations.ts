// Optimistic updates of Documents, and how to refresh one. The body has its own revisions and is not part of the row.
import type { Client } from "@svc/client";
import type { Domain, Operation } from "../store/domain.ts";
import { orGone } from "../store/hints.ts";
import type { QueuedChange } from "../store/queue/change.ts";
import type { Document } from "../store/rows.ts";

type Applied = Pick<QueuedChange, "input" | "guess" | "creates" | "madeAt">;
/**
 * Input fields that are not columns of the row. The neighbours determine the position, which is guessed until the
 * service answers.
 */
const NOT_FIELDS = ["document_id", "after_document_id", "before_document_id", "archived", "published", "markdown"];
const fieldsOf = (input: QueuedChange["input"]) =>
  Object.fromEntries(Object.entries(input).filter(([name]) => !NOT_FIELDS.includes(name))) as Partial<Document>;

function create(_row: Document | undefined, { input, guess, creates, madeAt }: Applied): Document {
  const now = new Date(madeAt).toISOString();
  return {
    id: creates as string,
    revision: "0",
    created_at: now,
    updated_at: now,
    workspace_id: "",
    title: "",
    icon: null,
    parent_id: null,
    project_id: null,
    path: "",
    position: 0,
    label_ids: [],
    has_children: false,
    content_revision: "1",
    public_id: null,
    published_at: null,
    archived_at: null,
    trashed_at: null,
    created_by_actor_id: "",
    ...(guess as Partial<Document>),
    ...fieldsOf(input),
  };
}
function update(row: Document | undefined, { input, guess, madeAt }: Applied): Document | undefined {
  if (!row) return row;
  const now = new Date(madeAt).toISOString();
  const { archived, published } = input;
  return {
    ...row,
    ...fieldsOf(input),
    ...(guess as Partial<Document>),
    ...(archived !== undefined && { archived_at: archived ? (row.archived_at ?? now) : null }),
    ...(published === false && { public_id: null, published_at: null }),
    updated_at: now,
  };
}
const trash = (row: Document | undefined, { madeAt }: Applied) =>
  row && { ...row, trashed_at: new Date(madeAt).toISOString(), public_id: null, published_at: null };
const restore = (row: Document | undefined) => row && { ...row, trashed_at: null };

export const readDocument = (api: Client, id: string) =>
  orGone(
    "document",
    id,
    api.getDocument({ document_id: id }).then((document) => ({ document: [document as unknown as Document] })),
  );

const document = (apply: Operation<Document>["apply"], more: Partial<Operation<Document>> = {}): Operation<never> =>
  ({ kind: "document", apply, ...more }) as unknown as Operation<never>;

const linking: Partial<Operation<Document>> = {
  unmatched: true,
  took: (_answer, { ids }, api) => readDocument(api, ids[0] as string),
};
export const documentsDomain: Domain = {
  operations: {
    createDocument: document(create, { unmatched: true }),
    updateDocument: document(update, { unmatched: ["after_document_id", "before_document_id"] }),
    // Links are not part of the row.
    linkDocument: document((row) => row, linking),
    unlinkDocument: document((row) => row, linking),
    trashDocument: document(trash, {
      unmatched: true,
      took: (_answer, { ids }, api) => readDocument(api, ids[0] as string),
    }),
    restoreDocument: document(restore),
  },
  read: { document: readDocument },
};
