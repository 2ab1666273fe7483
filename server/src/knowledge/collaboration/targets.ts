// Resources with collaborative text: the description of a Task and the content of a Document. Each reads, parses,
// renders and writes its text by its domain's own rules.
import { schema } from "@svc/document/schema.ts";
import { Node } from "prosemirror-model";
import { readDescription, writeDescription } from "../../planning/tasks/description-change.ts";
import type { Queries } from "../../platform/database/db.ts";
import { parseAll, renderAll } from "../documents/content/parsing.ts";
import { readNewest, writeTogether } from "../documents/content/session-change.ts";
import type { EditedKind, TextPlace } from "./store.ts";

/** The current text, under a tag that no other text of the resource ever has. */
export interface Now {
  tag: string;
  text: string;
  /** Length of its Markdown in characters. */
  size: number;
}
type Forms = Awaited<ReturnType<typeof renderAll>>;
export interface TargetAdapter {
  read(tx: Queries, place: TextPlace): Promise<Now | undefined>;
  /** Parses the text to nodes. Long texts are parsed in a thread, in the Workspace's turn. */
  nodeOf(text: string, place: TextPlace): Promise<Node>;
  /** Whether the text already equals these forms. */
  says(text: string, forms: Forms): boolean;
  /**
   * Writes the text as a change by these authors, the last one first. Returns its new tag, or null if the text has
   * changed since.
   */
  write(tx: Queries, place: TextPlace, now: Now, forms: Forms, authors: string[]): Promise<string | null>;
}

const nodeFor = (content: string) => Node.fromJSON(schema, JSON.parse(content));
/** Renders a text in all its forms. */
export const formsOf = (node: Node, { workspaceId }: TextPlace): Promise<Forms> =>
  renderAll(JSON.stringify(node.toJSON()), workspaceId);

/** The text of a Task is Markdown. */
const task: TargetAdapter = {
  read: (tx, { workspaceId, targetId }) => readDescription(tx, workspaceId, targetId),
  nodeOf: async (markdown, { workspaceId }) => nodeFor((await parseAll(markdown, workspaceId)).content),
  says: (markdown, forms) => markdown === forms.markdown,
  write: (tx, { workspaceId, targetId }, now, { markdown }, authors) =>
    writeDescription(tx, workspaceId, targetId, now.tag, markdown, authors),
};

/** The text of a Document is JSON. */
const document: TargetAdapter = {
  read: (tx, { workspaceId, targetId }) => readNewest(tx, workspaceId, targetId),
  nodeOf: async (content) => nodeFor(content),
  says: () => false,
  write: (tx, { workspaceId, targetId }, now, forms, authors) =>
    writeTogether(tx, workspaceId, targetId, now.tag, forms, authors),
};

export const targets: Record<EditedKind, TargetAdapter> = { task, document };
