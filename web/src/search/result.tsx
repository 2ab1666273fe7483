// Search result, with the matches highlighted in title and excerpt.
import { t } from "../messages/t.ts";
import { Link } from "../router.tsx";
import { useHome } from "../store/current-member.ts";
import { useReplica } from "../store/react.ts";
import { within, withQuery } from "../ui/address.ts";
import { momentText } from "../ui/formats/dates.ts";
import { Icon, StatusIcon } from "../ui/icons.tsx";
import type { Result } from "./use-search.ts";

/**
 * Splits a text into matches and the parts between them. The pieces always add up to the text, whatever ranges the
 * service returns.
 */
export function pieces(
  text: string,
  matches: readonly (readonly number[])[],
): { text: string; hit: boolean; at: number }[] {
  const found: { text: string; hit: boolean; at: number }[] = [];
  let done = 0;
  const add = (to: number, hit: boolean) => {
    if (to > done) found.push({ text: text.slice(done, to), hit, at: done });
    done = Math.max(done, to);
  };
  for (const [start = 0, end = 0] of matches) {
    add(Math.min(start, text.length), false);
    add(Math.min(end, text.length), true);
  }
  add(text.length, false);
  return found;
}
function Marked({ text, matches }: { text: string; matches: readonly (readonly number[])[] }) {
  return pieces(text, matches).map(({ text: piece, hit, at }) =>
    hit ? (
      <mark key={at} className="rounded-sm bg-note-wash font-semibold text-ink">
        {piece}
      </mark>
    ) : (
      <span key={at}>{piece}</span>
    ),
  );
}

interface Props {
  result: Result;
  opened: () => void;
}
export function ResultRow({ result, opened }: Props) {
  const { store } = useReplica();
  const home = useHome();
  const { kind, code, title, snippet } = result;
  const project = result.project_id ? store.get("project", result.project_id) : undefined;
  const status = result.status_id ? store.get("status", result.status_id) : undefined;
  return (
    <li className="border-b border-line">
      <Link
        to={resultPath(result)}
        data-result={kind}
        onClickCapture={opened}
        className="flex items-start gap-2.5 px-3 py-2 text-ink no-underline hover:bg-hover focus-visible:bg-hover"
      >
        <span className="mt-0.5" title={status?.name ?? t(`search.${kind}`)}>
          {kind === "task" ? (
            <StatusIcon category={status?.category ?? "backlog"} color={status?.color} />
          ) : (
            <Icon name={kind === "comment" ? "comment" : "list"} className="size-3.5 text-soft" />
          )}
        </span>
        <span className="min-w-0 flex-1">
          <span className="flex items-baseline gap-2">
            {code && <span className="shrink-0 text-12 text-soft tabular-nums">{code}</span>}
            <span className="min-w-0 flex-1 truncate">
              <Marked text={title} matches={result.title_matches} />
            </span>
            <time dateTime={result.updated_at} className="hidden shrink-0 text-12 text-soft sm:inline">
              {momentText(result.updated_at, home?.locale, home?.timezone)}
            </time>
          </span>
          {snippet && (
            <span className="mt-0.5 line-clamp-2 text-12 text-soft">
              <Marked text={snippet} matches={result.snippet_matches} />
            </span>
          )}
          {project && <span className="mt-0.5 block text-12 text-soft">{project.name}</span>}
        </span>
      </Link>
    </li>
  );
}

/** A Task opens beside the results, a Document on its own page. */
export const resultPath = ({ task_id, id }: Pick<Result, "task_id" | "id">) =>
  task_id ? withQuery({ task: task_id }) : within(`documents/${id}`);
