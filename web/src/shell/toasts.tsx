// Toast about the result of a change: success with Undo, or failure with the reason. Screen readers announce it, and it
// stays while the pointer is over it.
import { useEffect, useState } from "react";
import { t, why } from "../messages/t.ts";
import type { Noticed } from "../store/notices.ts";
import { useNotices, useReplica } from "../store/react.ts";
import { Button, IconButton } from "../ui/controls.tsx";
import { nameOf, wordsOf } from "./words.ts";

const SHOWN_MS = 6000;
const told = { old: "queue.old", conflict: "conflict.title", wished: "toast.wished" } as const;

export function Toasts() {
  const notice = useNotices().at(-1);
  return (
    <div role="status" className="pointer-events-none fixed inset-x-0 bottom-4 z-10 flex justify-center px-4">
      {notice && <Toast key={notice.id} notice={notice} />}
    </div>
  );
}

/** Number of successful changes in a partly failed batch. */
const someOf = ({ change, done }: Noticed) =>
  done === undefined
    ? ""
    : t(change.operation === "undoCommand" ? "toast.someUndone" : "toast.someDone", { done, all: change.ids.length });

function Toast({ notice }: { notice: Noticed }) {
  const replica = useReplica();
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (held) return;
    const timer = setTimeout(() => replica.notices.seen(notice.id), notice.kind === "done" ? SHOWN_MS : 2 * SHOWN_MS);
    return () => clearTimeout(timer);
  }, [replica, notice, held]);
  const { change } = notice;
  const isUndo = change.operation === "undoCommand";
  const text =
    notice.kind === "done"
      ? wordsOf(change)
      : notice.kind === "refused"
        ? [t("toast.refused", { why: why(notice.code) }), someOf(notice)].join(" ")
        : t(told[notice.kind]);
  return (
    <div
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      data-toast={notice.kind}
      className="toast pointer-events-auto flex max-w-md items-center gap-3 rounded-lg border border-line bg-card py-1.5 pr-1.5 pl-3 text-13 shadow-lift"
    >
      <p className="min-w-0 flex-1">
        <span className="font-medium">{text}</span> <span className="text-soft">{nameOf(replica.store, change)}</span>
      </p>
      {notice.kind === "done" && (notice.commandId !== undefined || isUndo) && (
        <Button
          look="quiet"
          onClick={() => {
            replica.notices.seen(notice.id);
            const entry = replica.recent().find(({ commandId }) => commandId === notice.commandId);
            if (isUndo) replica.redo();
            else if (entry) replica.undo(entry);
          }}
        >
          {isUndo ? t("toast.redo") : t("toast.undo")}
        </Button>
      )}
      <IconButton icon="close" label={t("ui.close")} onClick={() => replica.notices.seen(notice.id)} />
    </div>
  );
}
