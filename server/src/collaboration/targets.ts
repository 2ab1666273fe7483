// What can be written together: the description of a Task, and the content of a Document. How its text is read, parsed, rendered and written, each in its own
// domain's way.

import { check } from "@svc/document/check.ts";
import { fromMarkdown } from "@svc/document/from-markdown.ts";
import { schema } from "@svc/document/schema.ts";
import { toMarkdown } from "@svc/document/to-markdown.ts";
import { Node } from "prosemirror-model";
import type { Queries } from "../database/db.ts";
import { readDescription, writeDescription } from "../tasks/description-change.ts";
import type { Kind, Place } from "./store.ts";

/** What it says now, under a name that another text never has. */
export interface Now<Text = unknown> {
  tag: string;
  text: Text;
}
export interface Target<Text = unknown> {
  read(tx: Queries, place: Place): Promise<Now<Text> | undefined>;
  nodeOf(text: Text): Promise<Node>;
  rendered(node: Node): Promise<Text>;
  same(one: Text, other: Text): boolean;
  /** Writes it as a change of these people, the last of them first. The tag that it then has, or null where it says something else by now. */
  write(tx: Queries, place: Place, now: Now<Text>, text: Text, authors: string[]): Promise<string | null>;
}

/** Markdown. */
const task: Target<string> = {
  read: (tx, { workspaceId, targetId }) => readDescription(tx, workspaceId, targetId),
  nodeOf: async (markdown) => Node.fromJSON(schema, fromMarkdown(markdown)),
  rendered: async (node) => toMarkdown(check(node.toJSON())),
  same: (one, other) => one === other,
  write: (tx, { workspaceId, targetId }, now, markdown, authors) =>
    writeDescription(tx, workspaceId, targetId, now.tag, markdown, authors),
};

export const targets = { task, document: task } as Record<Kind, Target>;
