// Search page for Tasks, comments and Documents, with results while typing. A code finds its Task first; recent
// searches are offered again.
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { t, tn } from "../messages/t.ts";
import { go, useAddress } from "../router.tsx";
import { useReplica } from "../store/react.ts";
import { withQuery } from "../ui/address.ts";
import { Button, Empty, IconButton } from "../ui/controls.tsx";
import { talk } from "../ui/conversation-state.ts";
import { Icon } from "../ui/icons.tsx";
import { PageHead, Unread } from "../ui/page.tsx";
import { forget, recentSearches, remember } from "./recent-searches.ts";
import { ResultRow } from "./result.tsx";
import { kinds, type SearchKind, useFound } from "./use-search.ts";

export default function SearchPage() {
  const { searchParams } = useAddress();
  const { member } = useReplica();
  const q = searchParams.get("q") ?? "";
  const asked = searchParams.get("kind") as SearchKind | null;
  const kind = asked && kinds.includes(asked) ? asked : null;
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const { items, next, more, failed, again, isStale } = useFound(q, kind);
  useEffect(() => {
    document.title = `${t("search.title")} · svc`;
    field.current?.focus();
  }, []);
  const put = (changes: Record<string, string | null>) => go(withQuery({ task: null, ...changes }), { replace: true });
  /** Arrow keys move between the field and the results; Enter in the field opens the first result. */
  function pressed(event: KeyboardEvent) {
    const links = [...(list.current?.querySelectorAll<HTMLElement>("[data-result]") ?? [])];
    const at = links.indexOf(document.activeElement as HTMLElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && links.length > 0) {
      event.preventDefault();
      if (at + step < 0) field.current?.focus();
      else links[Math.min(links.length - 1, at + step)]?.focus();
    } else if (event.key === "Enter" && event.target === field.current && !event.nativeEvent.isComposing)
      links[0]?.click();
  }
  return (
    <>
      <PageHead
        title={t("search.title")}
        tabs={[null, ...kinds].map((each) => ({
          to: withQuery({ kind: each, task: null }),
          label: t(each === null ? "search.all" : `search.${each}`),
          isHere: each === kind,
        }))}
      />
      <div className="border-b border-line px-3 py-2">
        <div className="flex items-center gap-2">
          <Icon name="search" className="size-4 text-soft" />
          <input
            ref={field}
            type="search"
            aria-label={t("search.title")}
            placeholder={t("search.placeholder")}
            value={q}
            maxLength={200}
            onChange={(event) => put({ q: event.target.value || null })}
            onKeyDown={pressed}
            className="h-9 w-full bg-transparent text-14 outline-none placeholder:text-soft"
          />
          {q.trim() !== "" && (
            <Button icon="comment" title={t("shell.ask", { q: q.trim() })} onClick={() => talk(q.trim())}>
              {t("search.ask")}
            </Button>
          )}
        </div>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto">
        {q.trim() === "" ? (
          <Recent pick={(text) => put({ q: text })} />
        ) : items === undefined ? (
          <Unread failed={failed} again={again} />
        ) : items.length === 0 ? (
          <Empty title={t("search.nothing", { q })}>{t("search.nothingHelp")}</Empty>
        ) : (
          <>
            <p role="status" className="px-3 py-1.5 text-12 text-soft">
              {next ? t("search.manyFound", { count: items.length }) : tn("search.found", items.length)}
            </p>
            <ul ref={list} aria-label={t("search.results")} onKeyDown={pressed} className={isStale ? "opacity-60" : ""}>
              {items.map((result) => (
                <ResultRow
                  key={result.kind + result.id}
                  result={result}
                  opened={() => remember(member.workspaceId, q)}
                />
              ))}
            </ul>
            {next && (
              <div className="p-3">
                <Button onClick={more}>{t("ui.more")}</Button>
              </div>
            )}
          </>
        )}
      </div>
    </>
  );
}

function Recent({ pick }: { pick: (text: string) => void }) {
  const { member } = useReplica();
  const [recent, setRecent] = useState(() => recentSearches(member.workspaceId));
  if (recent.length === 0) return <Empty title={t("search.begin")}>{t("search.beginHelp")}</Empty>;
  return (
    <section aria-label={t("search.recent")} className="p-3">
      <div className="mb-1 flex items-center justify-between">
        <h2 className="text-12 font-medium text-soft">{t("search.recent")}</h2>
        <IconButton
          icon="trash"
          label={t("search.forget")}
          onClick={() => {
            forget(member.workspaceId);
            setRecent([]);
          }}
        />
      </div>
      <ul>
        {recent.map((text) => (
          <li key={text}>
            <button type="button" onClick={() => pick(text)} className="nav-item">
              <Icon name="search" className="size-3.5 text-soft" />
              <span className="min-w-0 truncate">{text}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
