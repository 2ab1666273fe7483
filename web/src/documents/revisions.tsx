// Revisions of a Document: compares any revision with the one before it, side by side, and restores it.
import type { Operations } from "@svc/client";
import { Fragment, useEffect, useState } from "react";
import { t, why } from "../messages/t.ts";
import { useHome, useMayWrite } from "../store/current-member.ts";
import { useReplica } from "../store/react.ts";
import type { Document } from "../store/rows.ts";
import { Button, IconButton, Skeleton } from "../ui/controls.tsx";
import { momentText } from "../ui/formats/dates.ts";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { readDocument } from "./operations.ts";

type Revision = Awaited<ReturnType<Operations["listDocumentRevisions"]>>["items"][number];
type Comparison = Awaited<ReturnType<Operations["compareDocumentRevisions"]>>;
type Block = Comparison["blocks"][number];

export function Revisions({ row, close }: { row: Document; close: () => void }) {
  const replica = useReplica();
  const home = useHome();
  const mayWrite = useMayWrite() && row.trashed_at === null;
  const [revisions, setRevisions] = useState<readonly Revision[]>();
  const [chosen, setChosen] = useState<string>();
  const [fault, setFault] = useState<string | null>(null);
  /** Id of the last restore command, for undo. */
  const [restored, setRestored] = useState<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: there is another one when it says something else.
  useEffect(() => {
    // Reading the Document checkpoints its open collaboration session.
    readDocument(replica.api, row.id)
      .then(replica.take)
      .then(() => replica.api.listDocumentRevisions({ document_id: row.id, limit: 100 }))
      .then(
        ({ items }) => {
          setRevisions(items);
          setChosen((known) => known ?? items[0]?.revision);
        },
        () => setRevisions([]),
      );
  }, [replica, row.id, row.content_revision]);
  async function restore(revision: string) {
    const now = await replica.api.getDocument({ document_id: row.id });
    const done = await replica.api.restoreDocumentRevision(
      { document_id: row.id, revision },
      { at: now.content_revision },
    );
    setRestored(replica.api.commandOf(done) ?? null);
    replica.take(await readDocument(replica.api, row.id));
    setChosen(undefined);
  }
  /** Undoes the restore. The service rejects it once somebody has edited the Document. */
  async function takeBack(command_id: string) {
    await replica.api.undoCommand({ command_id });
    setRestored(null);
    replica.take(await readDocument(replica.api, row.id));
    setChosen(undefined);
  }
  const failed = (problem: { code?: string }) => setFault(problem.code ?? "other");
  return (
    <Dialog label={t("doc.revisions")} at="wide" close={close}>
      <header className="flex h-11 items-center gap-2 border-b border-line px-3">
        <h2 className="min-w-0 flex-1 truncate font-semibold">{t("doc.revisionsOf", { title: row.title })}</h2>
        <IconButton icon="close" label={t("ui.close")} onClick={close} />
      </header>
      <div className="flex h-[70vh] max-h-[70vh] flex-col md:flex-row">
        <ol className="max-h-40 shrink-0 overflow-y-auto border-b border-line p-2 md:max-h-none md:w-64 md:border-r md:border-b-0">
          {!revisions && <Skeleton rows={4} />}
          {revisions?.map(({ revision, created_at, authors, reason }) => (
            <li key={revision}>
              <button
                type="button"
                aria-pressed={revision === chosen}
                onClick={() => setChosen(revision)}
                className="block w-full cursor-pointer rounded-md px-2 py-1.5 text-left hover:bg-hover aria-pressed:bg-hover"
              >
                <span className="block">{momentText(created_at, home?.locale, home?.timezone)}</span>
                <span className="block truncate text-12 text-soft">
                  {authors.map(({ display_name }) => display_name).join(", ")} · {t(`doc.reason.${reason}`)}
                </span>
              </button>
            </li>
          ))}
        </ol>
        <div className="flex min-h-0 min-w-0 flex-1 flex-col">
          {chosen && <Compared key={chosen} documentId={row.id} revision={chosen} />}
          {restored && (
            <p role="status" className="flex items-center gap-3 border-t border-line bg-good-wash px-3 py-1.5">
              <span className="flex-1">{t("doc.revisionRestored")}</span>
              <Button look="quiet" onClick={() => void takeBack(restored).then(() => setFault(null), failed)}>
                {t("toast.undo")}
              </Button>
            </p>
          )}
          {fault && restored && <p role="alert">{t("toast.refused", { why: why(fault) })}</p>}
          {chosen && mayWrite && chosen !== revisions?.[0]?.revision && (
            <div className="flex items-center justify-end gap-3 border-t border-line p-2">
              {fault && <p role="alert">{t("toast.refused", { why: why(fault) })}</p>}
              <Button look="first" onClick={() => void restore(chosen).then(() => setFault(null), failed)}>
                {t("doc.restoreRevision")}
              </Button>
            </div>
          )}
        </div>
      </div>
    </Dialog>
  );
}

function Compared({ documentId, revision }: { documentId: string; revision: string }) {
  const { api } = useReplica();
  const [blocks, setBlocks] = useState<readonly Block[]>();
  useEffect(() => {
    let current = true;
    const from = String(Math.max(1, Number(revision) - 1));
    api.compareDocumentRevisions({ document_id: documentId, from, to: revision }).then(
      (answer) => current && setBlocks(answer.blocks),
      () => current && setBlocks([]),
    );
    return () => {
      current = false;
    };
  }, [api, documentId, revision]);
  if (!blocks) return <Skeleton rows={6} />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled with the keyboard, too.
    <div className="compared min-h-0 flex-1 overflow-y-auto" tabIndex={0}>
      <p className="text-12 font-medium text-soft">{t("doc.before")}</p>
      <p className="text-12 font-medium text-soft">{t("doc.after")}</p>
      {blocks.map((block, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks do not move.
        <Fragment key={at}>
          <Side block={block} side="removed" />
          <Side block={block} side="added" />
        </Fragment>
      ))}
    </div>
  );
}

/** One side of the comparison: the common words and those that only this side has. */
function Side({ block, side }: { block: Block; side: "removed" | "added" }) {
  const words = block.words.filter(({ kind }) => kind === "same" || kind === side);
  const isHere = block.kind === "same" || block.kind === "changed" || block.kind === side;
  if (!isHere) return <div data-kind="none" />;
  const Tag = side === "added" ? "ins" : "del";
  const kind = block.kind === "same" ? "same" : side;
  return (
    <div data-kind={kind} data-node={block.node}>
      {words.map(({ kind: each, text }, at) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: words do not move.
        each === "same" && block.kind !== side ? <span key={at}>{text}</span> : <Tag key={at}>{text}</Tag>,
      )}
    </div>
  );
}
