// Message composer: text, files (button, drop or paste), and on request the page on the screen.
import type { Problem } from "@svc/client";
import { type DragEvent, useEffect, useRef, useState } from "react";
import { spoken, t, why } from "../messages/t.ts";
import { useAddress } from "../router.tsx";
import { useHome } from "../store/current-member.ts";
import { useNotices, useReplica, useStore } from "../store/react.ts";
import type { DiscussMessage } from "../store/rows.ts";
import { Button, IconButton } from "../ui/controls.tsx";
import { takeAsked, useAsked } from "../ui/conversation-state.ts";
import { Icon } from "../ui/icons.tsx";
import { labelOf, pin, seenAt } from "./context.ts";
import { changeDraft, putBack, send, useDraft } from "./draft.ts";
import { addFiles, dropFile, useSendings } from "./files.ts";
import { isWorking } from "./message.tsx";

const MOST = 32_768;

export function Composer({ messages }: { messages: readonly DiscussMessage[] }) {
  const replica = useReplica();
  const home = useHome();
  const draft = useDraft(replica);
  const sendings = useSendings();
  const field = useRef<HTMLTextAreaElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  useTakenBack();
  const asked = useAsked();
  useEffect(() => {
    if (asked === null) return;
    putBack(replica, asked);
    takeAsked();
  }, [replica, asked]);
  useEffect(() => {
    const box = field.current;
    box?.focus();
    box?.setSelectionRange(box.value.length, box.value.length);
  }, []);
  const working = messages.filter(isWorking);
  const isFull = draft.text.trim() !== "" || draft.files.length > 0;
  const say = () => send(replica, spoken(), home?.timezone);
  const stop = () => {
    for (const { id } of working)
      replica.make("cancelDiscussMessage", {
        ids: [id],
        input: { workspace_id: replica.member.workspaceId, message_id: id },
      });
  };
  const take = (files: FileList) => files.length > 0 && addFiles(replica, files);
  const drag = {
    onDragOver(event: DragEvent) {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop(event: DragEvent) {
      setOver(false);
      if (take(event.dataTransfer.files)) event.preventDefault();
    },
  };
  return (
    <div className="border-t border-line p-3">
      <div
        {...drag}
        data-drop={over || undefined}
        className={`rounded-xl border bg-card focus-within:border-accent ${over ? "border-accent bg-note-wash" : "border-edge"}`}
      >
        <Chips />
        <textarea
          ref={field}
          aria-label={t("talk.field")}
          placeholder={t("talk.placeholder")}
          value={draft.text}
          maxLength={MOST}
          rows={2}
          onChange={({ target }) => changeDraft(replica, () => ({ text: target.value }))}
          onPaste={(event) => take(event.clipboardData.files) && event.preventDefault()}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            if (isFull && sendings.every(({ code }) => code !== null)) say();
          }}
          className="talk-field block w-full resize-none bg-transparent px-3 pt-2 outline-none placeholder:text-soft"
        />
        <div className="flex items-center gap-1 p-1.5">
          <input
            ref={input}
            type="file"
            multiple
            hidden
            onChange={({ target }) => {
              if (target.files) take(target.files);
              target.value = "";
            }}
          />
          <IconButton icon="clip" label={t("talk.addFile")} onClick={() => input.current?.click()} />
          <OnScreen />
          <span className="flex-1" />
          {working.length > 0 && (
            <Button
              icon="stop"
              onClick={stop}
              disabled={working.every((each) => each.generation_state === "cancel_requested")}
            >
              {t("talk.stop")}
            </Button>
          )}
          <Button look="first" disabled={!isFull || sendings.some(({ code }) => code === null)} onClick={say}>
            {t("panel.send")}
          </Button>
        </div>
      </div>
    </div>
  );
}

/** Returns the text of a rejected message to the composer, so that nobody has to write it twice. */
function useTakenBack() {
  const replica = useReplica();
  const notices = useNotices();
  const seen = useRef(new Set<number>());
  useEffect(() => {
    for (const notice of notices) {
      if (notice.kind !== "refused" || notice.change.operation !== "createDiscussTurn") continue;
      if (seen.current.has(notice.id)) continue;
      seen.current.add(notice.id);
      putBack(replica, String(notice.change.input.content));
    }
  }, [replica, notices]);
}

/** Attachments of the draft: the pinned page, uploaded files, and uploads in progress. */
function Chips() {
  const replica = useReplica();
  const { files, pinned } = useDraft(replica);
  const sendings = useSendings();
  if (!pinned && files.length === 0 && sendings.length === 0) return null;
  const chip = "flex min-h-7 max-w-full items-center gap-1.5 rounded-md border border-line bg-sunken pl-2 text-12";
  return (
    <ul aria-label={t("talk.along")} className="flex flex-wrap gap-1 px-2 pt-2">
      {pinned && (
        <li className={chip} data-pinned>
          <Icon name="bookmark" className="size-3.5 text-soft" />
          <span className="min-w-0 truncate">{pinned.label}</span>
          <IconButton
            icon="close"
            label={t("talk.without", { name: pinned.label })}
            onClick={() => changeDraft(replica, () => ({ pinned: null }))}
          />
        </li>
      )}
      {files.map(({ id, name }) => (
        <li key={id} className={chip} data-file="here">
          <Icon name="file" className="size-3.5 text-soft" />
          <span className="min-w-0 truncate">{name}</span>
          <IconButton icon="close" label={t("talk.without", { name })} onClick={() => dropFile(replica, id)} />
        </li>
      ))}
      {sendings.map(({ id, name, sent, total, code, cancel }) => (
        <li key={id} className={chip} data-file={code ?? "sending"}>
          <Icon name="file" className="size-3.5 text-soft" />
          <span className="min-w-0 truncate">{name}</span>
          {code === null ? (
            <progress
              max={100}
              value={total === 0 ? 100 : Math.round((100 * sent) / total)}
              aria-label={t("panel.uploading", { name })}
              className="upload w-16"
            />
          ) : (
            <span className="text-bad">{why(code)}</span>
          )}
          <IconButton icon="close" label={t("panel.cancelUpload", { name })} onClick={cancel} />
        </li>
      ))}
    </ul>
  );
}

/** Pins the current page to the draft as it is now; nothing of it is sent before the member presses the button. */
function OnScreen() {
  const replica = useReplica();
  const address = useAddress();
  const { pinned } = useDraft(replica);
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState<string | null>(null);
  const label = useStore((held) => {
    const seen = seenAt(held, address);
    return seen && labelOf(seen);
  });
  if (!label || pinned?.label === label) return null;
  async function add() {
    const seen = seenAt(replica, address);
    if (!seen || busy) return;
    setBusy(true);
    setFailed(null);
    await pin(replica, seen).then(
      (found) => changeDraft(replica, () => ({ pinned: found })),
      ({ code, status }: Problem) => setFailed(status === 0 ? "unreachable" : code),
    );
    setBusy(false);
  }
  return (
    <>
      <button
        type="button"
        disabled={busy}
        onClick={() => void add()}
        title={t("talk.onScreenHelp", { name: label })}
        className="picker min-w-0 text-soft"
      >
        <Icon name="bookmark" className="size-3.5" />
        <span className="min-w-0 truncate">{t("talk.onScreen", { name: label })}</span>
      </button>
      {failed && (
        <span role="alert" className="text-12 text-bad">
          {why(failed)}
        </span>
      )}
    </>
  );
}
