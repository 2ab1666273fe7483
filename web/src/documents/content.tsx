// Body of a Document: the static renderer shows it at once, and the editor replaces it as soon as it has loaded, for
// readers who may write.
import type { DocumentJson, NodeJson } from "@svc/document/schema.ts";
import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import { t } from "../messages/t.ts";
import { useMayWrite } from "../store/current-member.ts";
import { isProvisional } from "../store/queue/change.ts";
import { useConnection, useReplica } from "../store/react.ts";
import type { Document } from "../store/rows.ts";
import { Skeleton } from "../ui/controls.tsx";
import type { Heading } from "./outline.tsx";

const Drawn = lazy(() => import("../editor/content-view.tsx"));
const RichText = lazy(() => import("../editor/rich-text.tsx"));

/**
 * In-memory cache of this visit, so that a Document opens at once a second time. It is never persisted, because access
 * may be revoked.
 */
const read = new Map<string, DocumentJson>();
const MOST_READ = 50;

function headingsIn(content: NodeJson): Heading[] {
  const found: Heading[] = [];
  const look = (node: NodeJson) => {
    if (node.type === "heading") found.push({ level: Number(node.attrs?.level), text: wordsIn(node) });
    else node.content?.forEach(look);
  };
  look(content);
  return found;
}
const wordsIn = ({ text, attrs, content = [] }: NodeJson): string =>
  text ?? (content.length > 0 ? content.map(wordsIn).join("") : String(attrs?.label ?? ""));

interface Props {
  row: Document;
  tell: (headings: readonly Heading[]) => void;
}
export function Content({ row, tell }: Props) {
  const replica = useReplica();
  const mayWrite = useMayWrite() && row.trashed_at === null;
  const isLive = useConnection() === "live";
  const [content, setContent] = useState<DocumentJson | undefined>(() => read.get(row.id));
  const isMade = !isProvisional(row.id);
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again when it says something else.
  useEffect(() => {
    if (!isMade || !isLive) return;
    let current = true;
    replica.api.getDocumentContent({ document_id: row.id }).then(
      (answer) => {
        const found = answer.content as unknown as DocumentJson;
        read.delete(row.id);
        read.set(row.id, found);
        for (const [first] of read) if (read.size > MOST_READ) read.delete(first);
        if (current) setContent(found);
      },
      () => {},
    );
    return () => {
      current = false;
    };
  }, [replica, row.id, row.content_revision, isMade, isLive]);
  useEffect(() => {
    if (content) tell(headingsIn(content));
  }, [content, tell]);
  const shown = useMemo(
    () =>
      content ? (
        <div className="rich">
          <Suspense fallback={<Skeleton rows={6} />}>
            <Drawn content={content} />
          </Suspense>
        </div>
      ) : (
        <Skeleton rows={6} />
      ),
    [content],
  );
  if (!isMade || !mayWrite) return isMade ? shown : null;
  return (
    <Suspense fallback={shown}>
      <RichText
        target={{ kind: "document", id: row.id }}
        label={t("doc.content")}
        changed={(editor) => tell(headingsIn(editor.state.doc.toJSON() as NodeJson))}
      >
        {shown}
      </RichText>
    </Suspense>
  );
}
