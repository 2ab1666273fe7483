// Documents page: the tree beside the open Document. On a small screen the tree is a separate page.
import "../messages/later/documents.ts";
import { useEffect, useRef, useState } from "react";
import { t } from "../messages/t.ts";
import { go } from "../router.tsx";
import { useMayWrite } from "../store/current-member.ts";
import { useReplica, useStore } from "../store/react.ts";
import { Button, Empty, Skeleton } from "../ui/controls.tsx";
import { useKeys } from "../ui/keys.ts";
import { create } from "./actions.ts";
import { DocumentView } from "./document.tsx";
import { useDocuments } from "./load.ts";
import { Repository } from "./repository.tsx";
import { documentPath, Tree } from "./tree.tsx";

const ID = /^(?:new-|[0-9a-f]{8}-)/i;

export default function DocumentsPage({ params }: { params: Readonly<Record<string, string>> }) {
  const replica = useReplica();
  const mayWrite = useMayWrite();
  const loaded = useDocuments();
  const found = useDocumentId(params.id);
  const id = typeof found === "string" ? found : null;
  // Keeps the React key when a new Document gets its server id, so that the editor does not remount while somebody
  // types.
  const key = useRef(id);
  if (id !== null && replica.store.real(key.current ?? "") !== id) key.current = id;
  const projects = useStore(({ store }) => {
    const names = new Set<string>();
    for (const { project_id, parent_id } of store.all("document")) if (project_id && !parent_id) names.add(project_id);
    return [...names].sort().join();
  });
  const hasSome = useStore(({ store }) => !store.all("document").next().done);
  useEffect(() => {
    if (!id) document.title = `${t("doc.documents")} · svc`;
  }, [id]);
  const begin = () =>
    go(documentPath(create(replica, { parent_id: null, project_id: null }, { title: t("doc.untitled") })));
  useKeys([{ keys: "n", label: "keys.newDocument", run: () => mayWrite && begin() }]);
  return (
    <div className="flex min-h-0 flex-1">
      {!id && <h1 className="sr-only">{t("doc.documents")}</h1>}
      <nav
        aria-label={t("doc.documents")}
        className={`w-full shrink-0 space-y-3 overflow-y-auto border-r border-line p-2 lg:block lg:w-64 ${id || params.id ? "hidden" : ""}`}
      >
        <Tree projectId={null} label={t("doc.workspace")} currentId={id} />
        {projects
          .split(",")
          .filter(Boolean)
          .map((projectId) => (
            <ProjectTree key={projectId} projectId={projectId} currentId={id} />
          ))}
        <Repository />
      </nav>
      <div className={`min-w-0 flex-1 flex-col ${id || params.id ? "flex" : "hidden lg:flex"}`}>
        {id ? (
          <DocumentView key={key.current} id={id} />
        ) : found === null ? (
          <Empty title={t("doc.gone")} />
        ) : params.id || (!loaded && !hasSome) ? (
          <Skeleton rows={10} />
        ) : (
          <Empty title={t(hasSome ? "doc.choose" : "doc.none")}>
            <p>{t("doc.noneHelp")}</p>
            {mayWrite && (
              <Button look="first" className="mt-3" onClick={begin}>
                {t("doc.new")}
              </Button>
            )}
          </Empty>
        )}
      </div>
    </div>
  );
}

function ProjectTree({ projectId, currentId }: { projectId: string; currentId: string | null }) {
  const name = useStore(({ store }) => store.get("project", projectId)?.name);
  return name ? <Tree projectId={projectId} label={name} currentId={currentId} /> : null;
}

/**
 * Resolves the address, which contains an id or a readable path, to a Document id; null if none exists, undefined while
 * it loads.
 */
function useDocumentId(given: string | undefined): string | null | undefined {
  const replica = useReplica();
  const [found, setFound] = useState<{ path: string; id: string | null }>();
  const isPath = given !== undefined && !ID.test(given);
  useEffect(() => {
    if (!isPath) return;
    replica.api.getDocumentByPath({ workspace_id: replica.member.workspaceId, document_path: given }).then(
      (document) => {
        replica.take({ document: [document as never] });
        setFound({ path: given, id: document.id });
      },
      () => setFound({ path: given, id: null }),
    );
  }, [replica, given, isPath]);
  if (given === undefined) return undefined;
  if (!isPath) return replica.store.real(given);
  return found?.path === given ? found.id : undefined;
}
