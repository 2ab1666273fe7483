// Conversation panel beside any page; it stays open during navigation. Loaded lazily.
import "../messages/later/talk.ts";
import "../messages/later/tools.ts";
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { t } from "../messages/t.ts";
import { useReading } from "../store/page-query.ts";
import { useConnection, useGroup, useReplica } from "../store/react.ts";
import type { DiscussMessage } from "../store/rows.ts";
import { Button, IconButton, Skeleton } from "../ui/controls.tsx";
import { hush } from "../ui/conversation-state.ts";
import { useKeys } from "../ui/keys.ts";
import { Composer } from "./composer.tsx";
import { changeDraft } from "./draft.ts";
import { loadMessages, readUpTo, useEarlier, useUnreadAnswers } from "./load.ts";
import { Message, textOf } from "./message.tsx";
import { inTurn } from "./operations.ts";
import { Reminders } from "./reminders.tsx";

export default function Conversation() {
  const [shown, setShown] = useState<"messages" | "reminders">("messages");
  const before = useRef(document.activeElement as HTMLElement | null);
  useEffect(() => () => before.current?.focus(), []);
  useKeys([{ keys: "Escape", label: "ui.close", run: hush }]);
  const tab = (name: typeof shown, label: string) => (
    <button
      type="button"
      role="tab"
      aria-selected={shown === name}
      onClick={() => setShown(name)}
      className="tab cursor-pointer"
    >
      {label}
    </button>
  );
  return (
    <aside
      aria-label={t("talk.title")}
      className="panel talk fixed inset-0 z-6 flex min-w-0 flex-col border-line bg-card md:static md:border-l md:w-[24rem] xl:w-[26rem]"
    >
      <header className="flex h-11 shrink-0 items-center gap-1 border-b border-line px-3">
        <div role="tablist" aria-label={t("talk.title")} className="-ml-2 flex flex-1 gap-0.5">
          {tab("messages", t("talk.title"))}
          {tab("reminders", t("talk.reminders"))}
        </div>
        <IconButton icon="close" label={t("ui.close")} onClick={hush} />
      </header>
      {shown === "messages" ? <Messages /> : <Reminders />}
    </aside>
  );
}

/** Loads the messages when the panel first opens; load.ts refreshes them afterwards. */
function useMessages() {
  const replica = useReplica();
  const connection = useConnection();
  const { ids } = useGroup("discuss_message", inTurn, "all");
  const [state, setState] = useState<{ isRead: boolean; failed: string | null }>({ isRead: false, failed: null });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a connection that is back is worth another try.
  useEffect(() => {
    loadMessages(replica).then(
      () => setState({ isRead: true, failed: null }),
      ({ code, status }) => setState((known) => ({ ...known, failed: status === 0 ? "unreachable" : code })),
    );
  }, [replica, connection]);
  const messages = ids.flatMap((id) => replica.store.get("discuss_message", id) ?? []);
  return { messages, ...state };
}

function Messages() {
  const replica = useReplica();
  const { messages, isRead, failed } = useMessages();
  const earlier = useEarlier();
  const box = useRef<HTMLDivElement>(null);
  const isBelow = useStuck(box, messages);
  useRead(messages, isBelow);
  const last = messages.at(-1);
  return (
    <>
      <Available />
      <div
        ref={box}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long conversation is scrolled with the keyboard, too.
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label={t("talk.messages")}
        className="min-h-0 flex-1 overflow-y-auto px-3 py-4"
      >
        {earlier && messages.length > 0 && (
          <div className="mb-4 text-center">
            <Button look="quiet" onClick={() => void loadMessages(replica, earlier).catch(() => {})}>
              {t("talk.earlier")}
            </Button>
          </div>
        )}
        {messages.length === 0 && (isRead || failed ? <Begin failed={failed} /> : <Skeleton rows={4} />)}
        <ol className="space-y-5">
          {messages.map((message) => (
            <Message key={replica.store.first(message.id)} message={message} />
          ))}
        </ol>
      </div>
      <p role="status" className="sr-only">
        {last?.role === "assistant" && last.generation_state === "completed" && t("talk.answered")}
      </p>
      <Composer messages={messages} />
    </>
  );
}

const NEAR = 80;
/** Sticks to the bottom while the conversation grows, unless the reader has scrolled up. */
function useStuck(box: React.RefObject<HTMLDivElement | null>, messages: readonly DiscussMessage[]): boolean {
  const [isBelow, setBelow] = useState(true);
  const stuck = useRef(true);
  useEffect(() => {
    const element = box.current;
    const note = () => {
      if (!element) return;
      stuck.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR;
      setBelow(stuck.current);
    };
    element?.addEventListener("scroll", note, { passive: true });
    return () => element?.removeEventListener("scroll", note);
  }, [box]);
  const last = messages.at(-1);
  const growing = useMemo(() => last && `${last.id} ${last.revision} ${textOf(last).length}`, [last]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever it has grown.
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    // The reader's own new message always scrolls into view.
    if (stuck.current || last?.id.startsWith("new-")) element.scrollTop = element.scrollHeight;
  }, [box, growing]);
  useEffect(() => {
    const element = box.current?.firstElementChild?.parentElement;
    if (!element) return;
    // Images, reviews and texts that load later change the height.
    const watch = new ResizeObserver(() => {
      if (stuck.current) element.scrollTop = element.scrollHeight;
    });
    for (const child of element.children) watch.observe(child);
    return () => watch.disconnect();
  }, [box]);
  return isBelow;
}

/** Advances the read marker while the end of the open conversation is visible. */
function useRead(messages: readonly DiscussMessage[], isBelow: boolean) {
  const replica = useReplica();
  const unread = useUnreadAnswers();
  const told = useRef(0);
  const sequence = messages.findLast(({ id }) => !id.startsWith("new-"))?.sequence ?? 0;
  useEffect(() => {
    const read = () => {
      if (!isBelow || document.visibilityState !== "visible" || sequence === 0) return;
      if (told.current >= sequence && unread === 0) return;
      told.current = sequence;
      void readUpTo(replica, sequence).catch(() => {});
    };
    read();
    document.addEventListener("visibilitychange", read);
    return () => document.removeEventListener("visibilitychange", read);
  }, [replica, sequence, isBelow, unread]);
}

/** Notice about limited AI access; nothing with full access. */
function Available() {
  const { member } = useReplica();
  const { value } = useReading(
    "discuss-availability",
    (api) => api.getDiscussAvailability({ workspace_id: member.workspaceId }),
    { keep: true, on: /ai_access|policy/ },
  );
  if (!value || value.access === "full") return null;
  return (
    <p data-access={value.access} className="border-b border-line bg-note-wash px-3 py-2 text-12">
      {t(value.access === "none" ? "talk.none" : "talk.limited")}{" "}
      {value.reason && <span className="text-soft">{t(`talk.why.${value.reason}`)}</span>}
    </p>
  );
}

const examples = ["talk.example.overdue", "talk.example.changed", "talk.example.mine"] as const;
function Begin({ failed }: { failed: string | null }): ReactNode {
  const replica = useReplica();
  if (failed === "unreachable") return <p className="text-soft">{t("talk.offline")}</p>;
  return (
    <div className="space-y-3">
      <p className="text-14 font-medium">{t("talk.begin")}</p>
      <p className="text-soft">{t("talk.beginHelp")}</p>
      <ul className="space-y-1">
        {examples.map((key) => (
          <li key={key}>
            <button
              type="button"
              onClick={() => changeDraft(replica, () => ({ text: t(key) }))}
              className="w-full cursor-pointer rounded-lg border border-line px-3 py-2 text-left hover:bg-hover"
            >
              {t(key)}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
