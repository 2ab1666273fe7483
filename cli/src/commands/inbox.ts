// Lists the caller's notifications, and marks them as read.
import type { Run } from "../command.ts";
import { openSession } from "../credentials/session.ts";
import { usage } from "../failure.ts";
import { table } from "../output/table.ts";
import { type Told, toolsOf } from "../tools.ts";
import { listRows } from "./work.ts";

export const inbox: Run = async (input) => {
  const use = toolsOf(openSession(input));
  const limit = input.count("limit", 30);
  const all = input.has("all") || undefined;
  const { items, has_more } = await listRows((page) => use("my_work", { view: "inbox", all, ...page }) as never, limit);
  const rows = (items as Told[]).map((item) => ({
    id: item.id,
    category: item.category,
    code: item.code ?? null,
    path: item.path ?? null,
    title: item.title ?? null,
    by: item.by ?? null,
    excerpt: item.excerpt ?? null,
    occurred_at: item.occurred_at,
    read_at: item.read_at ?? null,
  }));
  return {
    data: { items: rows, has_more },
    text: (screen) =>
      rows.length === 0 && screen.columns !== null
        ? "Nothing is new."
        : table(
            rows,
            [
              { title: "about", of: ({ code, path }) => code ?? path, colour: "cyan", shrinks: true },
              { title: "title", of: ({ title }) => title, shrinks: true },
              { title: "what", of: ({ category }) => category },
              { title: "by", of: ({ by }) => by, shrinks: true },
              { title: "when", of: ({ occurred_at }) => occurred_at.slice(0, 16).replace("T", " "), colour: "dim" },
              { title: "id", of: ({ id }) => id, colour: "dim" },
            ],
            screen,
          ),
    next: rows.length > 0 ? "All of it is seen: svc inbox read --all" : undefined,
  };
};

export const read: Run = async (input) => {
  const ids = input.list("id");
  if (ids.length > 0 === input.has("all"))
    throw usage("Which of them?", "Name their ids, or say all of it: svc inbox read --all");
  const which = ids.length > 0 ? { ids } : { all_before: new Date().toISOString() };
  const { changed, unread } = await toolsOf(openSession(input))("mark_read", which);
  return { data: { changed, unread }, text: () => `Marked ${changed} as read; ${unread} are left.` };
};
