// Converts between local times of a form field and moments: browser fields have no time zone, so the account's applies.
// Pure.
const parts = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" } as const;

/** Local time at a moment, such as "2026-11-17T09:00". */
export function localText(moment: Date, timeZone: string | undefined): string {
  const text = new Intl.DateTimeFormat("sv-SE", { ...parts, hourCycle: "h23", timeZone }).format(moment);
  return text.replace(" ", "T");
}
/** Moment of a local time in the zone. */
export function momentOf(local: string, timeZone: string | undefined): Date {
  const wanted = /^\d{4,}-\d\d-\d\dT\d\d:\d\d$/.test(local) ? Date.parse(`${local}:00Z`) : Number.NaN;
  let moment = wanted;
  // Two passes: the first guess may lie on the other side of a daylight-saving change.
  for (let time = 0; time < 2; time++) {
    if (Number.isNaN(moment)) break;
    moment += wanted - Date.parse(`${localText(new Date(moment), timeZone)}:00Z`);
  }
  return new Date(moment);
}
/** 09:00 in the zone, the given number of days from now. */
export function nine(days: number, timeZone: string | undefined, now = new Date()): Date {
  const day = localText(new Date(now.getTime() + days * 86_400_000), timeZone).slice(0, 10);
  return momentOf(`${day}T09:00`, timeZone);
}
