// Time axis of the timeline, with lines for today and the Milestones.
import { t } from "../../messages/t.ts";
import { useHome } from "../../store/current-member.ts";
import { plusDays } from "../../ui/formats/dates.ts";
import { Icon } from "../../ui/icons.tsx";
import { daysBetween, weekOf } from "./figures.ts";

interface Props {
  from: string;
  days: number;
  width: number;
  now: string;
  weekStart: number;
  marks: readonly { id: string; name: string; day: string }[];
}
export function Scale({ from, days, width, now, weekStart, marks }: Props) {
  const home = useHome();
  const months: { day: string; at: number }[] = [];
  const weeks: { day: string; at: number }[] = [];
  for (let at = 0; at < days; at++) {
    const day = plusDays(from, at);
    if (at === 0 || day.endsWith("-01")) months.push({ day, at });
    if (weekOf(day, weekStart) === day) weeks.push({ day, at });
  }
  const text = (day: string, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(home?.locale, { ...options, timeZone: "UTC" }).format(new Date(day));
  return (
    <>
      <div className="sticky top-0 z-2 h-10 border-b border-line bg-card text-11 text-soft">
        {months.map(({ day, at }) => (
          <span key={day} style={{ left: at * width + 4 }} className="absolute top-0.5 font-medium whitespace-nowrap">
            {(at > 0 || Number(day.slice(8)) < 20) && text(day, { month: "long", year: "numeric" })}
          </span>
        ))}
        {width >= 8 &&
          weeks.map(({ day, at }) => (
            <span key={day} style={{ left: at * width + 4 }} className="absolute top-5 tabular-nums">
              {text(day, { day: "numeric" })}
            </span>
          ))}
      </div>
      <div aria-hidden="true" className="pointer-events-none absolute inset-0 top-10">
        {(width >= 8 ? weeks : months).map(({ day, at }) => (
          <span key={day} style={{ left: at * width }} className="absolute inset-y-0 border-l border-line" />
        ))}
        <span
          title={t("date.today")}
          style={{ left: (daysBetween(from, now) + 0.5) * width }}
          className="absolute inset-y-0 border-l-2 border-accent"
        />
      </div>
      {marks.map(({ id, name, day }) => (
        <span
          key={id}
          data-mark={name}
          style={{ left: (daysBetween(from, day) + 1) * width }}
          className="pointer-events-none absolute inset-y-0 z-2 border-l-2 border-dotted border-urgent"
        >
          <span className="sticky top-5 flex items-center gap-1 rounded-r bg-card pr-1 text-11 font-medium whitespace-nowrap text-urgent">
            <Icon name="flag" className="size-3" />
            {name}
          </span>
        </span>
      ))}
    </>
  );
}
