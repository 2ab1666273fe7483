// Title and description of a Task, editable in place. The input stays in the field until it loses the focus.
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { Markdown } from "../../editor/markdown.tsx";
import { t } from "../../messages/t.ts";
import { isProvisional } from "../../store/queue/change.ts";
import { useConnection, useReplica } from "../../store/react.ts";
import type { Task } from "../../store/rows.ts";
import { Button } from "../../ui/controls.tsx";
import { TitleField } from "../../ui/title-field.tsx";
import { change } from "../actions.ts";
import { readTask } from "../operations.ts";
import { useMayChange } from "./use-may-change.ts";

export function Title({ task }: { task: Task }) {
  const replica = useReplica();
  const mayWrite = useMayChange(task);
  const { id, title } = task;
  if (!mayWrite) return <h2 className="text-16 font-semibold break-words">{title}</h2>;
  return (
    <TitleField
      title={title}
      keep={(typed) => change(replica, id, { title: typed })}
      className="text-16 font-semibold"
    />
  );
}

/** Description editor: collaborative while connected; offline a Markdown field whose change is queued. */
export function Description({ task }: { task: Task }) {
  const replica = useReplica();
  const mayWrite = useMayChange(task);
  const isLive = useConnection() === "live" && !isProvisional(replica.store.real(task.id));
  const [writing, setWriting] = useState<"together" | "alone" | null>(null);
  const text = task.description_markdown ?? "";
  const shown = text === "" ? <p className="text-soft">{t("task.noDescription")}</p> : <Markdown text={text} />;
  function leave() {
    setWriting(null);
    // Reading the Task checkpoints its collaboration session, once the last edits have arrived.
    setTimeout(() => readTask(replica.api, replica.store.real(task.id)).then(replica.take, () => {}), ARRIVES_MS);
  }
  return (
    <section aria-label={t("task.description")} className="mt-5 border-t border-line pt-4">
      {writing === "alone" && <Alone task={task} isLive={isLive} close={setWriting} />}
      {writing === "together" && (
        // biome-ignore lint/a11y/noStaticElementInteractions: Escape leaves, and so does the button.
        <div
          onKeyDown={(event) => {
            if (event.key === "Escape" && !event.defaultPrevented) leave();
          }}
        >
          <Suspense fallback={shown}>
            <RichText target={{ kind: "task", id: replica.store.real(task.id) }} label={t("task.description")} focus>
              {shown}
            </RichText>
          </Suspense>
          <Button look="plain" onClick={leave}>
            {t("panel.done")}
          </Button>
        </div>
      )}
      {writing === null && (
        <>
          {(text !== "" || !mayWrite) && shown}
          {mayWrite && (
            <button
              type="button"
              onClick={() => setWriting(isLive ? "together" : "alone")}
              onPointerEnter={() => isLive && void editor()}
              className="btn btn-quiet mt-2 -ml-2"
            >
              {t(text === "" ? "new.more" : "task.editDescription")}
            </button>
          )}
        </>
      )}
    </section>
  );
}
const editor = () => import("../../editor/rich-text.tsx");
const RichText = lazy(editor);
const ARRIVES_MS = 300;

interface AloneProps {
  task: Task;
  isLive: boolean;
  close: (next: "together" | null) => void;
}
function Alone({ task, isLive, close }: AloneProps) {
  const replica = useReplica();
  // The edit is based on the Task as it was opened, not on later changes by others.
  const [begun] = useState(task);
  const text = begun.description_markdown ?? "";
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  // The connection is back and nothing was typed: switch to the collaborative editor.
  useEffect(() => {
    if (isLive && field.current?.value === text) close("together");
  }, [isLive, text, close]);
  function leave() {
    const typed = field.current?.value ?? text;
    if (typed !== text) change(replica, task.id, { description_markdown: typed }, begun);
    close(null);
  }
  return (
    <textarea
      ref={field}
      aria-label={t("task.description")}
      defaultValue={text}
      onBlur={leave}
      onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
      className="field-sizing-content min-h-40 w-full resize-none rounded-md bg-transparent leading-relaxed outline-none"
    />
  );
}
