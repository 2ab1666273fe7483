// Reads one page of a feed: a bounded range of events that ends at the end of a command, optionally narrowed to a civil
// day, a person or a Project.
import { isTimeZone } from "@svc/contract/types.ts";
import type { Queries } from "../../platform/database/db.ts";
import { LAST_ID } from "../../platform/wire/ids.ts";
import { refuseAt } from "../../platform/wire/problem.ts";
import { civilDay, collapse, type SeenEvent } from "./rules.ts";
import * as store from "./store.ts";

export interface ActivityRequest {
  query: { day?: string; time_zone?: string };
  page: { after: readonly (string | number | null)[] | null; limit: number };
}
const NEWEST = ["infinity", LAST_ID] as const;
export const ALWAYS = { from: "-infinity", until: "infinity" } as const;
export const beforeOf = ({ after }: ActivityRequest["page"]) => (after ?? NEWEST) as readonly [string, string];

export async function feed(tx: Queries, { query, page }: ActivityRequest, to: store.Narrowing = null) {
  const { from, until } = span(query);
  return pageOf(await store.examine(tx, from, until, beforeOf(page), page.limit + 1, to), collapse);
}

/** Builds one page of items from the examined events that the reader sees. */
export function pageOf(found: readonly store.ExaminedEvent[], told: (events: SeenEvent[]) => object[]) {
  const shown = found.filter((event) => event.shown);
  const seen = shown.flatMap(({ json }) => (json === null ? [] : [JSON.parse(json) as SeenEvent]));
  const more = found.length > shown.length ? (shown.at(-1)?.key ?? null) : null;
  return { rows: told(seen).map((item) => ({ json: JSON.stringify(item), key: "" })), more };
}

export function span({ day, time_zone }: ActivityRequest["query"]) {
  if (day === undefined && time_zone === undefined) return ALWAYS;
  if (day === undefined) return refuseQuery("day", "required", "must accompany time_zone");
  if (time_zone === undefined) return refuseQuery("time_zone", "required", "must accompany day");
  if (!isTimeZone(time_zone)) return refuseQuery("time_zone", "not_allowed", "must be an IANA time zone name");
  return civilDay(day, time_zone);
}

const refuseQuery = (name: string, code: string, detail: string): never =>
  refuseAt(`/query/${name}`, "invalid_request", detail, code);
