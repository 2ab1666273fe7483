// What of a content strangers read. Pure.
import type { NodeJson } from "@svc/document/document.ts";

/** What a mention is called outside: its code, or where it is published itself. By kind and id. */
export type Outside = ReadonlyMap<string, { code: string; public_id: string | null }>;

const UNKNOWN: Record<string, string> = {
  task: "a Task",
  milestone: "a Milestone",
  project: "a Project",
  document: "a Document",
  person: "somebody",
};

/** A mention becomes text. People are called what the writer has called them; whatever else is named now, and its label is not told. */
function textOf({ attrs, marks = [] }: NodeJson, outside: Outside): NodeJson {
  const { kind, id, label } = attrs as { kind: string; id: string; label: string };
  const { code = "", public_id = null } = outside.get(`${kind}/${id}`) ?? {};
  const text = (kind === "person" ? label && `@${label}` : code) || (UNKNOWN[kind] as string);
  const link = public_id === null ? [] : [{ type: "link", attrs: { href: `/p/${public_id}`, title: null } }];
  const kept = [...link, ...marks.filter(({ type }) => type !== "link")];
  return { type: "text", text, ...(kept.length > 0 && { marks: kept }) };
}

export function publicContent(node: NodeJson, outside: Outside): NodeJson {
  if (node.type === "mention") return textOf(node, outside);
  return node.content ? { ...node, content: node.content.map((child) => publicContent(child, outside)) } : node;
}
