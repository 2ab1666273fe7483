// References of a text: Markdown links to Tasks, Documents, Milestones and Projects by svc: and their id, which no
// client can open. Their titles and web addresses are listed beside the text, so that an edit still matches the stored
// text.
import type { ToolContext } from "./tool.ts";

export const resolvesReferences = "resolveReferences";
const REFERENCE =
  /\(svc:(task|document|milestone|project)\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\)/g;
/** Limit of the operation. */
const MOST = 20;

interface Resolved {
  kind: string;
  id: string;
  title: string | null;
  url: string | null;
}
export async function referencesIn({ call, origin, page }: ToolContext, texts: readonly string[]) {
  const found = texts.flatMap((text) => [...text.matchAll(REFERENCE)]);
  const references = [...new Map(found.map(([link, kind, id]) => [link, { kind, id }])).values()].slice(0, MOST);
  if (!page || references.length === 0) return [];
  const { body } = await call(resolvesReferences, { body: { references } });
  return (body.items as Resolved[]).flatMap(({ kind, id, title, url }) =>
    url === null ? [] : [{ link: `svc:${kind}/${id}`, title, url: origin + url }],
  );
}
