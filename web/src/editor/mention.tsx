// Mention of a person or resource: links to it, and shows its current name if the store knows it.
import { isId } from "@svc/document/attributes.ts";
import { Link } from "../router.tsx";
import { useStore } from "../store/react.ts";
import { within } from "../ui/address.ts";

interface Props {
  kind: string;
  id: string;
  label: string;
}
export function Mention({ kind, id, label }: Props) {
  const name = useStore(({ store }) => {
    if (kind === "person") return store.get("person", id)?.display_name;
    if (kind === "task") return store.get("task", id)?.title;
    if (kind === "project") return store.get("project", id)?.name;
    return undefined;
  });
  const text = name ?? label;
  const to = useStore(({ store }) => addressOf(kind, id, (taskId) => store.get("task", taskId)?.code));
  if (kind === "person") return <span className="rich-mention">@{text.replace(/^@/, "")}</span>;
  if (to === null) return <span className="rich-mention">{text}</span>;
  return (
    <Link to={to} className="rich-mention">
      {text}
    </Link>
  );
}

function addressOf(kind: string, id: string, codeOf: (taskId: string) => string | undefined): string | null {
  if (kind === "task") {
    const code = isId(id) ? codeOf(id) : id;
    return code ? within(`tasks/${encodeURIComponent(code)}`) : `${location.pathname}?task=${id}`;
  }
  if (kind === "document") return within(`documents/${encodeURIComponent(id)}`);
  if (kind === "project" && !isId(id)) return within(`projects/${encodeURIComponent(id)}`);
  return null;
}
