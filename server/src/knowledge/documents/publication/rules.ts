// The public part of a content. Pure.
import type { NodeJson } from "@svc/document/document.ts";

/**
 * Public names of mentioned resources, by kind and id: the code or title, and the public id if it is published itself.
 */
export type PublicNames = ReadonlyMap<string, { code: string; public_id: string | null }>;

const UNKNOWN: Record<string, string> = {
  task: "a Task",
  milestone: "a Milestone",
  project: "a Project",
  document: "a Document",
  person: "somebody",
};

/**
 * Replaces a mention by text. People have the name that the author wrote; other resources have their current public
 * name, without the author's label.
 */
function textOf({ attrs, marks = [] }: NodeJson, outside: PublicNames): NodeJson {
  const { kind, id, label } = attrs as { kind: string; id: string; label: string };
  const { code = "", public_id = null } = outside.get(`${kind}/${id}`) ?? {};
  const text = (kind === "person" ? label && `@${label}` : code) || (UNKNOWN[kind] as string);
  const link = public_id === null ? [] : [{ type: "link", attrs: { href: `/p/${public_id}`, title: null } }];
  const kept = [...link, ...marks.filter(({ type }) => type !== "link")];
  return { type: "text", text, ...(kept.length > 0 && { marks: kept }) };
}

export function publicContent(node: NodeJson, outside: PublicNames): NodeJson {
  if (node.type === "mention") return textOf(node, outside);
  return node.content ? { ...node, content: node.content.map((child) => publicContent(child, outside)) } : node;
}
