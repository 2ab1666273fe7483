// Outline: the headings of the open Document, each scrolls to its place.
import type { RefObject } from "react";
import { t } from "../messages/t.ts";

export interface Heading {
  level: number;
  text: string;
}
export function Outline({ headings, within }: { headings: readonly Heading[]; within: RefObject<HTMLElement | null> }) {
  if (headings.length < 2) return null;
  const least = Math.min(...headings.map(({ level }) => level));
  const goTo = (at: number) =>
    within.current
      ?.querySelectorAll(".rich :is(h2,h3,h4,h5,h6)")
      [at]?.scrollIntoView({ block: "start", behavior: "smooth" });
  return (
    <nav aria-label={t("doc.outline")}>
      <h2 className="mb-1 text-11 font-medium text-soft">{t("doc.outline")}</h2>
      <ol className="border-l border-line">
        {headings.map(({ level, text }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a heading is known by its place.
          <li key={at}>
            <button
              type="button"
              onClick={() => goTo(at)}
              style={{ paddingLeft: 8 + 12 * Math.min(3, level - least) }}
              className="block w-full cursor-pointer truncate py-0.5 pr-1 text-left text-12 text-soft hover:text-ink"
            >
              {text}
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}
