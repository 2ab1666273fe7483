// Lists the caller's own work, and searches.
import type { Run } from "../command.ts";
import { openSession } from "../credentials/session.ts";
import { table } from "../output/table.ts";
import { lineOf, lineOfTool, taskTable } from "../output/task-shape.ts";
import { upTo } from "../pages.ts";
import { toolsOf } from "../tools.ts";

export const listRows = async (
  use: (args: Record<string, unknown>) => Promise<{ items: Record<string, unknown>[]; next_cursor?: string }>,
  limit: number,
) => {
  const items: Record<string, unknown>[] = [];
  let cursor: string | undefined;
  do {
    const page = await use({ limit: Math.min(50, limit - items.length), cursor });
    items.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== undefined && items.length < limit);
  return { items, has_more: cursor !== undefined };
};

export const work: Run = async (input) => {
  const session = openSession(input);
  const view = input.text("view") ?? "assigned";
  const limit = input.count("limit", 30);
  const { items, has_more } =
    view === "assigned"
      ? await upTo(limit, (page) => session.client.listCliWork(page)).then((found) => ({
          ...found,
          items: found.items.map(lineOf),
        }))
      : await listRows((page) => toolsOf(session)("my_work", { view, ...page }) as never, limit).then((found) => ({
          ...found,
          items: found.items.map(lineOfTool),
        }));
  return {
    data: { items, has_more },
    text: (screen) => taskTable(items, screen, "There is nothing here."),
    next: has_more ? `There are more: --limit ${limit * 2}` : undefined,
  };
};

export const search: Run = async (input) => {
  const { client } = openSession(input);
  const limit = input.count("limit", 20);
  const asked = {
    q: input.list("words").join(" "),
    project_code: input.text("project"),
    resource_type: input.text("kind") as "task" | "document" | undefined,
  };
  const { items, has_more } = await upTo(limit, (page) => client.searchCli({ ...asked, ...page }));
  return {
    data: { items: items.map(({ resource_type: _, ...item }) => item), has_more },
    text: (screen) =>
      items.length === 0 && screen.columns !== null
        ? "Nothing was found."
        : table(
            items,
            [
              { title: "code", of: ({ code }) => code, colour: "cyan" },
              { title: "title", of: ({ title }) => title, shrinks: true },
              { title: "kind", of: ({ kind }) => kind, colour: "dim" },
            ],
            screen,
          ),
    next: has_more ? `There are more: --limit ${limit * 2}` : undefined,
  };
};
