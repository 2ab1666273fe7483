// Parses "tomorrow at 9 to call Grace": the time and the text of a reminder, in English and German, in the person's
// time zone. Pure. A partial match is no match: a reminder at an unintended time is worse than none.

const DAY_MS = 86_400_000;
/** Wall clock of the zone at a moment, encoded as if it were UTC. */
function clockIn(zone: string, ms: number): number {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(ms);
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  return Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"));
}
/** Moment at which the zone's clocks show this time; if a clock change skips it, as much later. */
export function momentIn(zone: string, day: string, hour = 0, minute = 0): Date {
  const shown = Date.parse(`${day}T00:00:00Z`) + (hour * 60 + minute) * 60_000;
  const first = shown - (clockIn(zone, shown) - shown);
  const second = shown - (clockIn(zone, first) - first);
  return new Date(clockIn(zone, second) === shown ? second : Math.max(first, second));
}
/** Calendar day in the zone, `days` days from a moment. */
export const dayIn = (zone: string, days = 0, now = Date.now()) =>
  new Date(clockIn(zone, now - (now % 1000)) + days * DAY_MS).toISOString().slice(0, 10);

const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const WOCHENTAGE = ["sonntag", "montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag"];
const AHEAD: Record<string, number> = {
  today: 0,
  tomorrow: 1,
  "the day after tomorrow": 2,
  heute: 0,
  morgen: 1,
  übermorgen: 2,
};
const MINUTES: [RegExp, number][] = [
  [/^min/, 1],
  [/^(?:hour|stunde)/, 60],
  [/^(?:day|tag)/, 1440],
  [/^(?:week|woche)/, 10_080],
];
const weekday = [...WEEKDAYS, ...WOCHENTAGE].join("|");
const DAY =
  "(?<day>the day after tomorrow|today|tomorrow|übermorgen|morgen|heute)|(?:on |next |am |nächsten " +
  `)?(?<weekday>${weekday})|(?:on |am )?(?<date>\\d{4}-\\d{2}-\\d{2}|\\d{1,2}\\.\\d{1,2}\\.(?:\\d{4})?)`;
const TIME = "(?:at|um) (?<hour>\\d{1,2})(?:[:.](?<minute>\\d{2}))?(?: ?(?<half>am|pm)| o'clock| uhr)?";
const LATER =
  "in (?<count>\\d{1,4}|an?|one|einer|einem) " +
  "(?<unit>min(?:ute[sn]?)?|hours?|days?|weeks?|stunden?|tag(?:e|en)?|wochen?)";
const WHEN = `(?:(?:${DAY})(?:,? (?:${TIME}))?|(?:${TIME})(?:,? (?:${DAY}))?|${LATER})`;
/** A group name may occur once in a pattern: numbers the names of repeated groups. */
const numbered = (pattern: string) => {
  let count = 0;
  return pattern.replace(/\(\?<(\w+)>/g, (_, name: string) => `(?<${name}_${++count}>`);
};
const ABOUT = "(?:to |about |of |that |an |daran,? (?:dass )?|dass |zu )?";
const FIRST = new RegExp(`^(?:daran,? )?${numbered(WHEN)}(?:,| |, )\\s*${ABOUT}(?<text>\\S[\\s\\S]*)$`, "iu");
const LAST = new RegExp(`^${ABOUT}(?<text>\\S[\\s\\S]*?),? ${numbered(WHEN)}$`, "iu");
export const reminders = [FIRST, LAST];

interface Said {
  [name: string]: string | undefined;
}
const unnumbered = (groups: Said): Said => {
  const said: Said = {};
  for (const [name, value] of Object.entries(groups)) said[name.replace(/_\d+$/, "")] ??= value;
  return said;
};

/** Hour of a reminder without a time. */
const MORNING = 9;
function clockOf({ hour, minute, half }: Said): { hour: number; minute: number } | null {
  if (hour === undefined) return { hour: MORNING, minute: 0 };
  const shown = Number(hour);
  const of12 = half ? (shown % 12) + (half.toLowerCase() === "pm" ? 12 : 0) : shown;
  const valid = of12 < 24 && Number(minute ?? 0) < 60 && (!half || (shown >= 1 && shown <= 12));
  return valid ? { hour: of12, minute: Number(minute ?? 0) } : null;
}
/** Null for a day that does not exist, such as the 31st of a month of 30 days. */
function dateOf(date: string, zone: string, now: number): string | null {
  const [day = "", month = "", year = ""] = date.includes("-") ? date.split("-").reverse() : date.split(".");
  const thisYear = Number(dayIn(zone, 0, now).slice(0, 4));
  const of = (each: number) => `${each}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  const found = year !== "" ? of(Number(year)) : of(thisYear) < dayIn(zone, 0, now) ? of(thisYear + 1) : of(thisYear);
  const parsed = new Date(`${found}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(found) ? found : null;
}
function dayOf({ day, weekday, date }: Said, zone: string, now: number): string | null | undefined {
  if (day !== undefined) return dayIn(zone, AHEAD[day.toLowerCase()], now);
  if (date !== undefined) return dateOf(date, zone, now);
  if (weekday === undefined) return undefined;
  const name = weekday.toLowerCase();
  const wanted = WEEKDAYS.includes(name) ? WEEKDAYS.indexOf(name) : WOCHENTAGE.indexOf(name);
  const today = new Date(`${dayIn(zone, 0, now)}T00:00:00Z`).getUTCDay();
  return dayIn(zone, ((wanted - today + 6) % 7) + 1, now);
}
function momentOf(said: Said, zone: string, now: number): Date | null {
  if (said.unit !== undefined) {
    const count = /^\d+$/.test(said.count ?? "") ? Number(said.count) : 1;
    const minutes = MINUTES.find(([unit]) => unit.test(said.unit?.toLowerCase() ?? ""))?.[1] ?? 0;
    return new Date(now + count * minutes * 60_000);
  }
  const clock = clockOf(said);
  const day = dayOf(said, zone, now);
  if (!clock || day === null) return null;
  if (day !== undefined) return momentIn(zone, day, clock.hour, clock.minute);
  const today = momentIn(zone, dayIn(zone, 0, now), clock.hour, clock.minute);
  return today.getTime() > now ? today : momentIn(zone, dayIn(zone, 1, now), clock.hour, clock.minute);
}

export interface ReminderDraft {
  text: string;
  due_at: string;
  /** Code of the Task that it is about. */
  code?: string;
}
/** Parses the words after "remind me". */
export function reminderIn(words: string, zone: string, now = Date.now()): ReminderDraft | null {
  const plain = words.trim().replace(/\s+/g, " ");
  for (const pattern of reminders) {
    const groups = pattern.exec(plain)?.groups;
    const moment = groups && momentOf(unnumbered(groups), zone, now);
    if (groups && moment) return { text: (groups.text as string).trim().slice(0, 500), due_at: moment.toISOString() };
  }
  return null;
}
