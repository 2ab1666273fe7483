// One message of the conversation: a question, or an answer that may still be streaming. Answers render as elements,
// never as HTML.
import type { MouseEvent } from "react";
import { Markdown } from "../editor/markdown.tsx";
import { has, type Key, t } from "../messages/t.ts";
import { Receipt } from "../review/receipt.tsx";
import { go } from "../router.tsx";
import { useConnection } from "../store/react.ts";
import type { DiscussMessage } from "../store/rows.ts";
import { Icon } from "../ui/icons.tsx";
import { Activity, partsOf, SentFile, TaskCard } from "./answer-parts.tsx";
import { documentsIn, type Source } from "./cited-documents.ts";
import { InteractionCard } from "./interaction.tsx";
import { opened, Sources } from "./sources.tsx";

export const isWorking = ({ generation_state: state }: DiscussMessage) =>
  state === "queued" || state === "running" || state === "cancel_requested";
/** The complete answer, or the text streamed so far. */
export const textOf = (message: DiscussMessage) =>
  message.content || (partsOf(message, "runtime_text").at(-1)?.text ?? "");

export function Message({ message }: { message: DiscussMessage }) {
  return message.role === "user" ? <Said message={message} /> : <Answer message={message} />;
}

function Said({ message }: { message: DiscussMessage }) {
  const isSent = !message.id.startsWith("new-");
  const connection = useConnection();
  return (
    <li data-message="user" className="flex flex-col items-end gap-1 pl-8">
      {message.content && (
        <p className="max-w-full rounded-xl rounded-br-sm bg-note-wash px-3 py-2 break-words whitespace-pre-wrap">
          <span className="sr-only">{t("talk.you")} </span>
          {message.content}
        </p>
      )}
      {message.file_ids.map((id) => (
        <SentFile key={id} id={id} />
      ))}
      {!isSent && connection !== "live" && <span className="text-12 text-soft">{t("queue.waiting")}</span>}
    </li>
  );
}

/** Follows internal links of an answer without a page load, so that the conversation stays open. */
function follow(event: MouseEvent) {
  const link = (event.target as HTMLElement).closest("a");
  if (!link || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const { origin, pathname, search, hash } = new URL(link.href);
  if (origin !== location.origin) return;
  event.preventDefault();
  opened();
  go(pathname + search + hash);
}

function Answer({ message }: { message: DiscussMessage }) {
  const text = textOf(message);
  const sources: Source[] = [
    ...partsOf(message, "entity_references").flatMap(({ references }) => references),
    ...documentsIn(message.content),
  ];
  const done = [
    ...partsOf(message, "action_result").flatMap(({ receipt_id }) => receipt_id ?? []),
    ...partsOf(message, "operation_receipts").flatMap(({ receipts }) => receipts.map((each) => each.operation_id)),
  ];
  // The error comes before the interaction that it caused.
  const hasFailed = !isWorking(message) && Boolean(message.generation_error);
  return (
    <li data-message="assistant" data-generation={message.generation_state} className="min-w-0 space-y-2">
      <span className="sr-only">{t("talk.assistant")}</span>
      <Activity uses={partsOf(message, "tool_activity")} />
      {text && (
        // biome-ignore lint/a11y/noStaticElementInteractions: the links in it are what is pressed.
        // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link is a click.
        <div onClick={follow} data-answer>
          <Markdown text={text} />
        </div>
      )}
      {hasFailed && <State message={message} hasText={text !== ""} />}
      {partsOf(message, "task_result").map((part) => (
        <TaskCard key={part.part_id} part={part} />
      ))}
      {partsOf(message, "interaction").map((part) => (
        <InteractionCard key={part.part_id} part={part} messageId={message.id} />
      ))}
      {[...new Set(done)].map((id) => (
        <Receipt key={id} commandId={id} />
      ))}
      <Sources sources={sources} />
      {!hasFailed && <State message={message} hasText={text !== ""} />}
    </li>
  );
}

function State({ message, hasText }: { message: DiscussMessage; hasText: boolean }) {
  const { generation_state: state, generation_error: error } = message;
  if (isWorking(message)) {
    const words = state === "queued" ? "talk.queued" : state === "running" ? "talk.running" : "talk.stopping";
    return (
      <p className="flex items-center gap-1.5 text-12 text-soft">
        <span aria-hidden="true" className="size-1.5 rounded-full bg-accent motion-safe:animate-pulse" />
        {t(words)}
      </p>
    );
  }
  if (error) {
    const words = `talk.failed.${error.code}`;
    return (
      <p className="flex items-center gap-1.5 text-12 text-soft" data-failed={error.code}>
        <Icon name={error.code === "cancelled" ? "stop" : "blocked"} className="size-3.5" />
        {has(words) ? t(words as Key) : error.detail}
      </p>
    );
  }
  return hasText || message.parts.length > 0 ? null : <p className="text-soft">{t("talk.nothing")}</p>;
}
