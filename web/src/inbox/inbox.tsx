// Inbox: notifications with keyboard navigation. Archived items move to Done and can be restored.
import { useEffect, useRef, useState } from "react";
import { type Key, t, tn } from "../messages/t.ts";
import { go, useAddress } from "../router.tsx";
import { useHome } from "../store/current-member.ts";
import { useConnection, useGroup, useReplica } from "../store/react.ts";
import type { InboxItem } from "../store/rows.ts";
import { openTask, within, withQuery } from "../ui/address.ts";
import { Button, Empty, Kbd } from "../ui/controls.tsx";
import { plusDays, today } from "../ui/formats/dates.ts";
import { useKeys } from "../ui/keys.ts";
import { PageHead, Unread } from "../ui/page.tsx";
import { useKeptScroll } from "../ui/scroll/scroll.ts";
import { ItemRow } from "./item.tsx";
import { byPlace, loadInbox, put, readAll } from "./operations.ts";

type Place = "inbox" | "done";

/** Page for each kind of subject without a page of its own. */
const places = {
  integration_request: "settings/integrations",
  agent_request: "agents",
  webhook_endpoint: "settings/webhooks",
};

/** Loads the list, and refreshes it on hints. */
function useLoaded(place: Place) {
  const replica = useReplica();
  const connection = useConnection();
  const [state, setState] = useState<{ place: Place; next: string | null; failed: string | null } | null>(null);
  const read = (cursor?: string) =>
    loadInbox(replica, place, cursor).then(
      (next) => setState({ place, next, failed: null }),
      ({ code, status }) => setState({ place, next: null, failed: status === 0 ? "unreachable" : code }),
    );
  // biome-ignore lint/correctness/useExhaustiveDependencies: a connection that is back is worth another try.
  useEffect(() => {
    void read();
    const stop = replica.onHints((hints) => {
      if (hints.some(({ kind }) => kind.startsWith("inbox"))) void read();
    });
    return () => void stop();
  }, [replica, place, connection]);
  return { ...(state?.place === place ? state : { next: null, failed: null, isNew: true }), read };
}

export default function InboxPage() {
  const replica = useReplica();
  const { store } = replica;
  const place: Place = useAddress().searchParams.get("view") === "done" ? "done" : "inbox";
  const { ids } = useGroup("inbox_item", byPlace, place);
  const { next, failed, read, ...loading } = useLoaded(place);
  const home = useHome();
  const [current, setCurrent] = useState<string | null>(null);
  const scroller = useRef<HTMLDivElement>(null);
  useKeptScroll(scroller, place);
  useEffect(() => {
    document.title = `${t("inbox.title")} · svc`;
  }, []);
  const items = ids.flatMap((id) => store.get("inbox_item", id) ?? []);
  const unread = items.filter(({ read_at }) => read_at === null).map(({ id }) => id);

  const focus = (id: string | undefined) => {
    setCurrent(id ?? null);
    // Waits for the next frame, after the render.
    if (id !== undefined)
      requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-item="${id}"]`)?.focus());
  };
  const step = (by: number) => focus(ids[Math.max(0, Math.min(ids.length - 1, ids.indexOf(current ?? "") + by))]);
  function open(item: InboxItem) {
    setCurrent(item.id);
    if (item.read_at === null) put(replica, item.id, { read: true });
    if (item.task) openTask(item.task.id);
    else if (item.about) go(within(places[item.about.kind]));
  }
  function done(id: string) {
    const at = ids.indexOf(id);
    const beside = ids[at + 1] ?? ids[at - 1];
    put(replica, id, place === "inbox" ? { read: true, archived: true } : { archived: false });
    if (id === current) focus(beside);
  }
  const chosen = () => (current ? store.get("inbox_item", current) : undefined);
  useKeys([
    { keys: "j", label: "keys.nextItem", run: () => step(1) },
    { keys: "k", label: "keys.previousItem", run: () => step(-1) },
    { keys: "ArrowDown", label: "keys.nextItem", run: () => step(1) },
    { keys: "ArrowUp", label: "keys.previousItem", run: () => step(-1) },
    { keys: "e", label: place === "inbox" ? "keys.done" : "keys.notDone", run: () => current && done(current) },
    {
      keys: "u",
      label: "keys.unread",
      run: () => {
        const item = chosen();
        if (item) put(replica, item.id, { read: item.read_at === null });
      },
    },
  ]);
  const from = today(home?.timezone);
  const isNew = "isNew" in loading;
  return (
    <>
      <PageHead
        title={t("inbox.title")}
        tabs={[
          { to: withQuery({ view: null }), label: t("inbox.open"), isHere: place === "inbox" },
          { to: withQuery({ view: "done" }), label: t("inbox.done"), isHere: place === "done" },
        ]}
      >
        {place === "inbox" && unread.length > 0 && (
          <Button look="quiet" onClick={() => readAll(replica, unread)}>
            {t("inbox.readAll")}
          </Button>
        )}
      </PageHead>
      <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto">
        {items.length === 0 &&
          (isNew || failed ? (
            <Unread failed={failed} again={() => void read()} />
          ) : (
            <Empty title={place === "inbox" ? t("inbox.empty") : t("inbox.nothingDone")}>
              {place === "inbox" ? t("inbox.emptyHelp") : t("inbox.nothingDoneHelp")}
            </Empty>
          ))}
        {sections(items, from, home?.timezone).map(([name, some]) => (
          <section key={name} aria-label={t(name)}>
            <h2 className="sticky top-0 z-1 border-b border-line bg-sunken px-3 py-1 text-12 font-medium text-soft">
              {t(name)} <span className="font-normal tabular-nums">{tn("inbox.count", some.length)}</span>
            </h2>
            <ul>
              {some.map((item) => (
                <ItemRow
                  key={item.id}
                  item={item}
                  isCurrent={item.id === current}
                  open={() => open(item)}
                  done={() => done(item.id)}
                  doneLabel={place === "inbox" ? t("inbox.toDone") : t("inbox.toInbox")}
                />
              ))}
            </ul>
          </section>
        ))}
        {next && (
          <div className="p-3">
            <Button onClick={() => void read(next)}>{t("ui.more")}</Button>
          </div>
        )}
        {items.length > 0 && (
          <p className="hidden items-center gap-1.5 p-3 text-12 text-soft md:flex">
            <Kbd>J</Kbd>
            <Kbd>K</Kbd> {t("inbox.hintMove")} <Kbd>E</Kbd> {place === "inbox" ? t("inbox.toDone") : t("inbox.toInbox")}{" "}
            <Kbd>U</Kbd> {t("inbox.hintUnread")}
          </p>
        )}
      </div>
    </>
  );
}

/** Groups items by day: today, yesterday, the last seven days, earlier. */
function sections(items: readonly InboxItem[], from: string, timezone?: string): [Key, InboxItem[]][] {
  const nameOf = ({ occurred_at }: InboxItem): Key => {
    const day = today(timezone, new Date(occurred_at));
    if (day >= from) return "date.today";
    if (day === plusDays(from, -1)) return "date.yesterday";
    return day > plusDays(from, -7) ? "date.lastDays" : "date.before";
  };
  return [...Map.groupBy(items, nameOf)];
}
