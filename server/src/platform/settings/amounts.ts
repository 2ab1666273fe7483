// Readers of sizes, times, counts and limits in the configuration. Pure.
import { defaultRates, parseRates, type Rates } from "../wire/limits/rate-limit.ts";

export const MEBIBYTE = 1024 * 1024;
export function readMebibytes(text: string): number {
  const most = Number(text);
  if (!/^\d{1,4}$/.test(text) || most < 1 || most > 5000)
    throw new Error(`"${text}" is not a size; set a whole number of MiB from 1 to 5000`);
  return most * MEBIBYTE;
}

export function readDays(text: string): number | null {
  if (text === "forever") return null;
  const days = Number(text);
  if (!/^\d{1,5}$/.test(text) || days < 90)
    throw new Error(`"${text}" is not a retention; set a whole number of days from 90, or forever`);
  return days;
}

const UNITS = { m: 60, h: 60 * 60, d: 24 * 60 * 60 };
export function readTime(text: string): number {
  const [, count, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  const seconds = Number(count) * (UNITS[unit as keyof typeof UNITS] ?? Number.NaN);
  if (!(seconds >= 5 * UNITS.m && seconds <= 30 * UNITS.d))
    throw new Error(`"${text}" is not a time from 5m to 30d; set for example 30m, 24h or 7d`);
  return seconds;
}

export function readCount(text: string): number {
  const count = Number(text);
  if (!/^\d{1,4}$/.test(text) || count < 1 || count > 1000)
    throw new Error(`"${text}" is not a count; set a whole number from 1 to 1000`);
  return count;
}

function readSeconds(text: string, least: number): number {
  const seconds = Number(text);
  if (!/^\d{1,4}$/.test(text) || seconds < least || seconds > 3600)
    throw new Error(`"${text}" is not a time; set a whole number of seconds from ${least} to 3600`);
  return seconds;
}
export const readWait = (text: string) => readSeconds(text, 0);
/** Nothing can close in no time. */
export const readCloseTime = (text: string) => readSeconds(text, 1);

export function readRates(text: string): Rates | null {
  if (text === "off") return null;
  return text === "on" ? defaultRates : parseRates(text);
}

export function readMaintenance(text: string): "on" | Date | null {
  if (text === "on") return "on";
  if (text === "off") return null;
  const until = new Date(text);
  if (Number.isNaN(until.getTime()))
    throw new Error(`"${text}" is not on, off or a time; set for example 2027-01-01T06:00:00Z`);
  return until;
}
