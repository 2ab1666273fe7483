// Formats days and moments in the account's locale and time zone.
import { t } from "../../messages/t.ts";

const formats = new Map<string, Intl.DateTimeFormat>();
/** Cached: constructing a formatter takes as long as rendering a list row. */
function format(locale: string | undefined, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const name = `${locale} ${JSON.stringify(options)}`;
  const known = formats.get(name) ?? new Intl.DateTimeFormat(locale, options);
  formats.set(name, known);
  return known;
}

/** Current day in the person's time zone. */
export function today(timezone?: string, now = new Date()): string {
  const zone = timezone ? { timeZone: timezone } : {};
  return format("en-CA", { ...zone, year: "numeric", month: "2-digit", day: "2-digit" }).format(now);
}
export function plusDays(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}
/** Formats a day as "Today", "Tomorrow" or "24 Dec", with the year if it differs. */
export function dayText(day: string, from: string, locale?: string): string {
  if (day === from) return t("date.today");
  if (day === plusDays(from, 1)) return t("date.tomorrow");
  if (day === plusDays(from, -1)) return t("date.yesterday");
  const year = day.slice(0, 4) === from.slice(0, 4) ? {} : { year: "numeric" as const };
  return format(locale, { ...year, day: "numeric", month: "short", timeZone: "UTC" }).format(new Date(day));
}
export function momentText(moment: string, locale?: string, timezone?: string): string {
  const zone = timezone ? { timeZone: timezone } : {};
  return format(locale, { ...zone, dateStyle: "medium", timeStyle: "short" }).format(new Date(moment));
}
