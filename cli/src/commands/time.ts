// Records time on a Task, and lists the caller's time entries.
import { newKey } from "@svc/client";
import type { Run } from "../command.ts";
import { openSession } from "../credentials/session.ts";
import { taskCode } from "../git.ts";
import { table } from "../output/table.ts";
import { undoLine } from "../output/task-shape.ts";
import { type Told, toolsOf } from "../tools.ts";
import { listRows } from "./work.ts";

/** The current day in local time, or a number of days before it. */
const today = (before = 0) => {
  const now = new Date();
  now.setDate(now.getDate() - before);
  const two = (number: number) => String(number).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
};

export const add: Run = async (input) => {
  const session = openSession(input);
  const { command, duration, code } = await toolsOf(session)("log_time", {
    code: taskCode(input),
    duration: input.needed("duration"),
    date: input.text("date") ?? today(),
    note: input.text("note"),
    key: input.text("key") ?? newKey(),
  });
  return {
    data: { code, duration, date: input.text("date") ?? today(), command },
    text: () => `Recorded ${duration} on ${code}.`,
    next: undoLine(command),
  };
};

/** Formats an ISO 8601 duration as 1h 30m. */
const said = (duration: string) =>
  duration
    .replace(/^PT/, "")
    .toLowerCase()
    .replace(/(?<=[a-z])(?=\d)/g, " ");

export const list: Run = async (input) => {
  const use = toolsOf(openSession(input));
  const [from, to] = [input.text("from") ?? today(6), input.text("to") ?? today()];
  const limit = input.count("limit", 100);
  let total = "PT0S";
  const found = await listRows(async (page) => {
    const part = await use("my_work", { view: "time", from, to, ...page });
    total = part.duration;
    return part as never;
  }, limit);
  const items = (found.items as Told[]).map((row) => ({
    date: row.date,
    code: row.code ?? null,
    title: row.title ?? null,
    duration: row.duration,
    note: row.note ?? null,
  }));
  return {
    data: { items, has_more: found.has_more, from, to, duration: total },
    text: (screen) =>
      [
        table(
          items,
          [
            { title: "date", of: ({ date }) => date },
            { title: "code", of: ({ code }) => code, colour: "cyan" },
            { title: "title", of: ({ title }) => title, shrinks: true },
            { title: "time", of: ({ duration }) => (screen.columns === null ? duration : said(duration)) },
            { title: "note", of: ({ note }) => note, shrinks: true },
          ],
          screen,
        ),
        screen.columns === null ? "" : `${said(total)} from ${from} to ${to}`,
      ]
        .filter(Boolean)
        .join("\n"),
  };
};
