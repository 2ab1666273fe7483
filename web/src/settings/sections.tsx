// Settings frame: a list of sections (one scrolling line on a phone) and the open section.
import { type ReactNode, useEffect } from "react";
import { t } from "../messages/t.ts";
import { Link } from "../router.tsx";

export interface Section {
  to: string;
  label: string;
  isHere: boolean;
}
export interface SectionGroup {
  title: string;
  sections: readonly Section[];
}
const inSight = (link: HTMLAnchorElement | null) => link?.scrollIntoView({ block: "nearest", inline: "center" });

export function Sections({ groups, children }: { groups: readonly SectionGroup[]; children: ReactNode }) {
  const here = groups.flatMap(({ sections }) => sections).find(({ isHere }) => isHere)?.label ?? t("settings.title");
  useEffect(() => {
    document.title = `${here} · svc`;
  }, [here]);
  return (
    <div className="flex min-h-0 flex-1 flex-col md:flex-row">
      <nav
        aria-label={t("settings.title")}
        className="shrink-0 overflow-x-auto border-b border-line p-2 md:w-52 md:py-4 md:overflow-y-auto md:border-r md:border-b-0"
      >
        <div className="flex gap-4 md:block md:space-y-4">
          {groups.map(({ title, sections }) => (
            <div key={title}>
              <p className="px-2 text-11 font-medium text-soft">{title}</p>
              <ul aria-label={title} className="flex md:block">
                {sections.map(({ to, label, isHere }) => (
                  <li key={to}>
                    <Link
                      to={to}
                      ref={isHere ? inSight : undefined}
                      aria-current={isHere ? "page" : undefined}
                      className="nav-item whitespace-nowrap"
                    >
                      {label}
                    </Link>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </div>
      </nav>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto max-w-3xl p-4 sm:p-6">{children}</div>
      </div>
    </div>
  );
}
