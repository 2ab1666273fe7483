// What can be written together: the description of a Task, and the content of a Document. How its text is read, parsed, rendered and written, each in its own
// domain's way.
import { schema } from "@svc/document/schema.ts";
import { Node } from "prosemirror-model";
import { readDescription, writeDescription } from "../../planning/tasks/description-change.ts";
import type { Queries } from "../../platform/database/db.ts";
import { parseAll, renderAll } from "../documents/content/parsing.ts";
import { readNewest, writeTogether } from "../documents/content/session-change.ts";
import type { Kind, Place } from "./store.ts";

/** What it says now, under a name that another text never has. */
export interface Now {
  tag: string;
  text: string;
  /** Characters of its Markdown. */
  size: number;
}
type Forms = Awaited<ReturnType<typeof renderAll>>;
export interface Target {
  read(tx: Queries, place: Place): Promise<Now | undefined>;
  /** The text as nodes. What takes long is done in a thread, in the Workspace's turn. */
  nodeOf(text: string, place: Place): Promise<Node>;
  /** Whether it says this already. */
  says(text: string, forms: Forms): boolean;
  /** Writes it as a change of these people, the last of them first. The tag that it then has, or null where it says something else by now. */
  write(tx: Queries, place: Place, now: Now, forms: Forms, authors: string[]): Promise<string | null>;
}

const nodeFor = (content: string) => Node.fromJSON(schema, JSON.parse(content));
/** A text in all its forms. */
export const formsOf = (node: Node, { workspaceId }: Place): Promise<Forms> =>
  renderAll(JSON.stringify(node.toJSON()), workspaceId);

/** Its text is Markdown. */
const task: Target = {
  read: (tx, { workspaceId, targetId }) => readDescription(tx, workspaceId, targetId),
  nodeOf: async (markdown, { workspaceId }) => nodeFor((await parseAll(markdown, workspaceId)).content),
  says: (markdown, forms) => markdown === forms.markdown,
  write: (tx, { workspaceId, targetId }, now, { markdown }, authors) =>
    writeDescription(tx, workspaceId, targetId, now.tag, markdown, authors),
};

/** Its text is JSON. */
const document: Target = {
  read: (tx, { workspaceId, targetId }) => readNewest(tx, workspaceId, targetId),
  nodeOf: async (content) => nodeFor(content),
  says: () => false,
  write: (tx, { workspaceId, targetId }, now, forms, authors) =>
    writeTogether(tx, workspaceId, targetId, now.tag, forms, authors),
};

export const targets: Record<Kind, Target> = { task, document };
