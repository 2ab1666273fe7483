// Table of the tools, and the subset that a credential may use. A tool does what its operations do; it contains no rule
// of the service. Bulk and destructive work is only proposed.
import Type from "typebox";
import { faultsIn } from "../../platform/wire/input/validation.ts";
import type { Fault } from "../../platform/wire/problem.ts";
import { closed } from "./arguments.ts";
import { ownAssistantTools } from "./assistant.ts";
import { changingTools, patchDocument } from "./change-set-tools.ts";
import { createDocument, createProjectDocument, editDocument, writeEdits } from "./documents.ts";
import { ownTools } from "./own-work.ts";
import { readingTools } from "./read-tools.ts";
import { withoutMissing } from "./refusal-text.ts";
import type { Args, Tool } from "./tool.ts";
import { writingTools } from "./write-tools.ts";

const shared = [...readingTools, ...ownTools, ...writingTools, ...changingTools];
export const tools: readonly Tool[] = [...shared, createDocument];
const inside = shared.map((each) => (each === patchDocument ? editDocument : each));
/** Tools of the assistant inside the service. */
export const assistantTools: readonly Tool[] = [...inside, ...ownAssistantTools];
/** Tools that an Agent can be given. Only the decision of a person applies a ChangeSet. */
export const agentTools: readonly Tool[] = [
  ...inside.filter(({ name }) => name !== "apply_change_set"),
  createProjectDocument,
];

export { createProjectDocument, editDocument, writeEdits };

/** Tools as offered to a service. */
function withoutPerson({ human, ...tool }: Tool): Tool[] {
  if (human === true) return [];
  const left = Object.entries(tool.input.properties).filter(([name]) => !human?.includes(name));
  return [{ ...tool, input: Type.Object(Object.fromEntries(left), closed) }];
}
const servicesTools = tools.flatMap(withoutPerson);
const toolsOf = (kind: string) => (kind === "service" ? servicesTools : tools);

const everyName: ReadonlySet<string> = new Set([...tools, ...ownAssistantTools].map(({ name }) => name));
/** Removes the sentences that name a tool which is not offered. */
export function hearing(offered: readonly Tool[]): (text: string) => string {
  const names = new Set(offered.map(({ name }) => name));
  return (text) => withoutMissing(text, everyName, names);
}

export const toolsFor = ({ kind, scopes }: { kind: string; scopes: readonly string[] }) =>
  toolsOf(kind).filter((each) => each.scopes.some((scope) => scopes.includes(scope)));
export const toolNamed = (name: string, kind: string) => toolsOf(kind).find((each) => each.name === name);

export const faultsOf = ({ input }: Tool, args: Args): Fault[] =>
  faultsIn("body", input, args, JSON.stringify(args).length);
