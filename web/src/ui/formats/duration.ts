// Parses and formats durations. Accepts the formats of the service; a bare number means hours. Pure.
const LONGEST = 24 * 3600;
const NUMBER = String.raw`(\d+(?:[.,]\d+)?)`;
const UNITS = new RegExp(String.raw`^(?=\d)(?:${NUMBER} *h)? *(?:${NUMBER} *m)? *(?:${NUMBER} *s)?$`, "i");
const CLOCK = /^(\d+):([0-5]\d)(?::([0-5]\d))?$/;
const ISO = /^PT(?=\d)(?:(\d+(?:[.,]\d+)?)H)?(?:(\d+(?:[.,]\d+)?)M)?(?:(\d+(?:[.,]\d+)?)S)?$/i;
const HOURS = new RegExp(`^${NUMBER}$`);

/** Duration in whole seconds; null if the text is invalid, zero, or more than a day. */
export function secondsIn(text: string): number | null {
  const said = text.trim();
  const [, hours, minutes, seconds] = UNITS.exec(said) ?? CLOCK.exec(said) ?? ISO.exec(said) ?? HOURS.exec(said) ?? [];
  const [h = 0, m = 0, s = 0] = [hours, minutes, seconds].map((part) => Number((part ?? "0").replace(",", ".")));
  const total = Math.round(h * 3600 + m * 60 + s);
  return total >= 1 && total <= LONGEST ? total : null;
}
/** Formats hours and minutes, such as "1:30", rounded to the minute. */
export function clock(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}`;
}
/** Formats a duration for the API. */
export const written = (seconds: number) => `${Math.round(seconds)}s`;
