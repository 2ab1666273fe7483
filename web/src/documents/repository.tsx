// Synchronisation between the Documents and their Git repository, for members who manage it: its state, and the
// conflicts that need a person's decision, with both versions side by side.
import type { Operations } from "@svc/client";
import { useCallback, useEffect, useState } from "react";
import { Differing } from "../editor/text-comparison.tsx";
import { t, tn, why } from "../messages/t.ts";
import { useHome } from "../store/current-member.ts";
import { useReplica } from "../store/react.ts";
import { Button, Empty, IconButton } from "../ui/controls.tsx";
import { momentText } from "../ui/formats/dates.ts";
import { Icon } from "../ui/icons.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";

type State = Awaited<ReturnType<Operations["getKnowledgeRepository"]>>;
type Conflict = Awaited<ReturnType<Operations["listKnowledgeRepositoryConflicts"]>>["items"][number];

const LOOK_MS = 1000;

export function Repository() {
  const { api, member } = useReplica();
  const home = useHome();
  const mayManage = home?.role === "owner" || home?.role === "admin";
  const workspace_id = member.workspaceId;
  const [state, setState] = useState<State>();
  const [open, setOpen] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const [running, setRunning] = useState(false);
  const look = useCallback(() => {
    api.getKnowledgeRepository({ workspace_id }).then(setState, () => {});
  }, [api, workspace_id]);
  useEffect(() => {
    if (mayManage) look();
  }, [mayManage, look]);
  /** Starts a run and polls until it ends. */
  async function synchronise() {
    setRunning(true);
    setFault(null);
    try {
      const { id } = await api.syncKnowledgeRepository({ workspace_id });
      for (let isOver = false; !isOver; ) {
        await new Promise((go) => setTimeout(go, LOOK_MS));
        const { items } = await api.listKnowledgeRepositoryRuns({ workspace_id, limit: 20 });
        isOver = !items.some((run) => run.id === id && run.finished_at === null);
      }
      look();
    } catch (problem) {
      setFault((problem as { code?: string }).code ?? "other");
    }
    setRunning(false);
  }
  if (!state || state.state === "disconnected") return null;
  const when = state.synchronized_at && momentText(state.synchronized_at, home?.locale, home?.timezone);
  return (
    <section aria-label={t("doc.repository")} className="rounded-lg border border-line p-2 text-12">
      <h2 className="font-medium">{t("doc.repository")}</h2>
      <p className="truncate text-soft" title={state.url ?? ""}>
        {state.url?.replace(/^https?:\/\//, "")} · {state.branch}
      </p>
      <p className={state.error_code ? "text-bad" : "text-soft"}>
        {state.state === "paused"
          ? t("doc.paused")
          : state.error_code
            ? t("doc.syncFailed", { code: state.error_code })
            : when
              ? t("doc.inStep", { when })
              : t("doc.neverSynced")}
      </p>
      {fault && <p role="alert">{t("toast.refused", { why: why(fault) })}</p>}
      <div className="mt-1 flex flex-wrap gap-1">
        {state.state === "active" && (
          <Button look="quiet" disabled={running} onClick={() => void synchronise()}>
            {running ? t("doc.syncing") : t("doc.sync")}
          </Button>
        )}
        {state.open_conflicts > 0 && (
          <Button look="quiet" onClick={() => setOpen(true)}>
            <Icon name="blocked" className="size-3.5" />
            {tn("doc.conflicts", state.open_conflicts)}
          </Button>
        )}
      </div>
      {open && (
        <Conflicts
          close={() => {
            setOpen(false);
            look();
          }}
        />
      )}
    </section>
  );
}

function Conflicts({ close }: { close: () => void }) {
  const { api, member } = useReplica();
  const workspace_id = member.workspaceId;
  const [conflicts, setConflicts] = useState<readonly Conflict[]>();
  const [fault, setFault] = useState<string | null>(null);
  const look = useCallback(() => {
    api.listKnowledgeRepositoryConflicts({ workspace_id, limit: 20 }).then(
      ({ items }) => setConflicts(items),
      () => setConflicts([]),
    );
  }, [api, workspace_id]);
  useEffect(look, [look]);
  const resolve = (conflict_id: string, choice: "ours" | "theirs") =>
    void api.resolveKnowledgeRepositoryConflict({ workspace_id, conflict_id, choice }).then(
      () => {
        setFault(null);
        look();
      },
      (problem: { code?: string }) => setFault(problem.code ?? "other"),
    );
  return (
    <Dialog label={t("doc.conflictsTitle")} at="wide" close={close}>
      <header className="flex h-11 items-center border-b border-line px-3">
        <h2 className="flex-1 text-14 font-semibold">{t("doc.conflictsTitle")}</h2>
        <IconButton icon="close" label={t("ui.close")} onClick={close} />
      </header>
      <div className="max-h-[70vh] space-y-4 overflow-y-auto p-3">
        {fault && <p role="alert">{t("toast.refused", { why: why(fault) })}</p>}
        {conflicts?.length === 0 && <Empty title={t("doc.noConflicts")} />}
        {conflicts?.map(({ id, path, kind, ours, theirs }) => (
          <section key={id} aria-label={path} className="rounded-lg border border-line">
            <header className="flex flex-wrap items-center gap-2 p-2">
              <h3 className="min-w-0 flex-1 truncate font-medium">{path}</h3>
              <span className="text-12 text-soft">{t(`doc.conflict.${kind}`)}</span>
              <Button onClick={() => resolve(id, "ours")}>{t("doc.keepOurs")}</Button>
              <Button onClick={() => resolve(id, "theirs")}>{t("doc.takeTheirs")}</Button>
            </header>
            <Differing before={ours ?? ""} after={theirs ?? ""} />
          </section>
        ))}
      </div>
    </Dialog>
  );
}
