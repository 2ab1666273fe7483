// Line diff of two texts side by side: removed lines left, added lines right, marked by sign and colour.
import { difference } from "@svc/document/difference.ts";
import { Fragment, useMemo } from "react";
import { t } from "../messages/t.ts";

interface Row {
  before: string | null;
  after: string | null;
}
/** Pairs removed and added lines of the same place in one row. */
export function rowsOf(before: string, after: string): Row[] {
  const [one, other] = [before.split("\n"), after.split("\n")];
  const rows: Row[] = [];
  let removed: string[] = [];
  const flush = (added: readonly string[]) => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++)
      rows.push({ before: removed[at] ?? null, after: added[at] ?? null });
    removed = [];
  };
  for (const { kind, from, to, count } of difference(one, other)) {
    if (kind === "removed") {
      flush([]);
      removed = one.slice(from, from + count);
    } else if (kind === "added") flush(other.slice(to, to + count));
    else {
      flush([]);
      for (const line of other.slice(to, to + count)) rows.push({ before: line, after: line });
    }
  }
  flush([]);
  return rows;
}

export function Differing({ before, after }: { before: string; after: string }) {
  const rows = useMemo(() => rowsOf(before, after), [before, after]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what is wide is scrolled with the keyboard, too.
    <div className="differing" tabIndex={0}>
      {rows.map((row, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines do not move.
        <Fragment key={at}>
          <Line text={row.before} kind={row.before === row.after ? "same" : "removed"} />
          <Line text={row.after} kind={row.before === row.after ? "same" : "added"} />
        </Fragment>
      ))}
    </div>
  );
}

function Line({ text, kind }: { text: string | null; kind: "same" | "removed" | "added" }) {
  if (text === null) return <div data-kind="none" />;
  if (kind === "same") return <div data-kind="same">{text}</div>;
  const Tag = kind === "added" ? "ins" : "del";
  return (
    <div data-kind={kind}>
      <span className="sr-only">{t(kind === "added" ? "edit.added" : "edit.removed")}</span>
      <Tag>{text}</Tag>
    </div>
  );
}
