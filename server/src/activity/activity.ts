// The activity of a Workspace: projected from domain events when it is read, under the reader's access at that moment. Nothing is
// stored for it, so what somebody may no longer see is gone from their feed at once.
import * as contract from "@svc/contract/activity/activity.ts";
import { implementList } from "../kernel/implement.ts";
import { refuse } from "../kernel/problem.ts";
import { workspace } from "../workspaces/access.ts";
import { civilDay, collapse, isTimeZone } from "./rules.ts";
import * as store from "./store.ts";

const NEWEST = ["infinity", "ffffffff-ffff-ffff-ffff-ffffffffffff"] as const;
const ALWAYS = { from: "-infinity", until: "infinity" } as const;

export const listWorkspaceActivity = implementList(
  contract.listWorkspaceActivity,
  workspace("work:read"),
  async (tx, { query, page }) => {
    const { from, until } = span(query);
    const before = (page.after ?? NEWEST) as readonly [string, string];
    const found = await store.examine(tx, from, until, before, page.limit + 1);
    const examined = found.slice(0, page.limit);
    const seen = examined.flatMap((event) => event.seen ?? []);
    const more = found.length > page.limit ? (examined.at(-1)?.key ?? null) : null;
    return { rows: collapse(seen).map((item) => ({ json: JSON.stringify(item), key: "" })), more };
  },
);

function span({ day, time_zone }: { day?: string; time_zone?: string }) {
  if (day === undefined && time_zone === undefined) return ALWAYS;
  if (day === undefined) return refuseQuery("day", "required", "must accompany time_zone");
  if (time_zone === undefined) return refuseQuery("time_zone", "required", "must accompany day");
  if (!isTimeZone(time_zone)) return refuseQuery("time_zone", "not_allowed", "must be an IANA time zone name");
  return civilDay(day, time_zone);
}

const refuseQuery = (name: string, code: string, detail: string): never =>
  refuse("invalid_request", { errors: [{ pointer: `/query/${name}`, code, detail }] });
