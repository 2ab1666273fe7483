// Sources of an answer: links to the Tasks, Projects and Documents that it cites, limited to those the reader can
// access now.
import { t } from "../messages/t.ts";
import { go } from "../router.tsx";
import { useReading } from "../store/page-query.ts";
import { useReplica } from "../store/react.ts";
import { openTask, projectPath, within } from "../ui/address.ts";
import { hush } from "../ui/conversation-state.ts";
import { Icon } from "../ui/icons.tsx";
import type { Source } from "./cited-documents.ts";

/** Closes the conversation on a small screen, because it covers the page. */
export function opened() {
  if (matchMedia("(max-width: 767px)").matches) hush();
}

export function Sources({ sources }: { sources: readonly Source[] }) {
  const { store, member } = useReplica();
  const named = sources.flatMap((each) => (each.kind === "document" ? [] : [each]));
  const unknown = named.filter(({ kind, id }) => !store.get(kind, id)).slice(0, 20);
  const { value } = useReading(
    unknown.length === 0 ? null : `references:${unknown.map(({ id }) => id)}`,
    async (api) =>
      (
        await api.resolveReferences({
          workspace_id: member.workspaceId,
          references: unknown.map(({ kind, id }) => ({ kind, id })),
        })
      ).items,
  );
  if (sources.length === 0) return null;
  const titleOf = ({ kind, id }: { kind: "task" | "project"; id: string }) => {
    const row = store.get(kind, id) as { title?: string; name?: string } | undefined;
    return row?.title ?? row?.name ?? value?.find((each) => each.id === id)?.title ?? "";
  };
  function open(source: Source) {
    opened();
    if (source.kind === "document") go(within(`documents/${encodeURIComponent(source.path)}`));
    else if (source.kind === "project") go(projectPath(source.code));
    else openTask(source.id);
  }
  return (
    <section aria-label={t("talk.sources")}>
      <h3 className="text-11 font-medium text-soft">{t("talk.sources")}</h3>
      <ul className="mt-1 flex flex-wrap gap-1">
        {sources.map((source) => {
          const isDocument = source.kind === "document";
          return (
            <li key={isDocument ? source.path : source.id} className="max-w-full">
              <button
                type="button"
                data-source={source.kind}
                onClick={() => open(source)}
                className="flex min-h-7 max-w-full cursor-pointer items-center gap-1.5 rounded-md border border-line bg-card px-2 text-12 hover:bg-hover"
              >
                <Icon
                  name={isDocument ? "document" : source.kind === "project" ? "board" : "check"}
                  className="size-3.5 text-soft"
                />
                {!isDocument && <span className="shrink-0 text-soft tabular-nums">{source.code}</span>}
                <span className="min-w-0 truncate">{isDocument ? source.title : titleOf(source)}</span>
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
