// Drop target for files of a Task, which also accepts pasted files.
import { type ReactNode, useState } from "react";
import { upload } from "../../editor/uploads.ts";
import { t } from "../../messages/t.ts";
import { useReplica } from "../../store/react.ts";
import type { Task } from "../../store/rows.ts";
import { useMayChange } from "./use-may-change.ts";

export function DropZone({ task, children }: { task: Task; children: ReactNode }) {
  const replica = useReplica();
  const mayWrite = useMayChange(task) && !task.id.startsWith("new-");
  const [over, setOver] = useState(false);
  const take = (files: FileList | undefined) => {
    if (!files || files.length === 0) return false;
    for (const file of files) void upload(replica, { kind: "task", id: task.id }, file);
    return true;
  };
  if (!mayWrite) return <div className="relative">{children}</div>;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button of the section does the same.
    <div
      className="relative"
      data-drop={over || undefined}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes("Files")) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => !event.currentTarget.contains(event.relatedTarget as Node | null) && setOver(false)}
      onDrop={(event) => {
        setOver(false);
        if (!event.defaultPrevented && take(event.dataTransfer.files)) event.preventDefault();
      }}
      onPaste={(event) => {
        if (!event.defaultPrevented && take(event.clipboardData.files)) event.preventDefault();
      }}
    >
      {children}
      {over && (
        <div className="pointer-events-none absolute inset-0 grid place-items-center rounded-lg border-2 border-dashed border-accent bg-note-wash/80 font-medium">
          {t("panel.dropHere")}
        </div>
      )}
    </div>
  );
}
