// Page of a published Project: its purpose, its progress and its Milestones. It has no script, and every character of
// it is escaped.
import type { PublicProject } from "@svc/contract/planning/projects/publication.ts";
import type { Static } from "typebox";
import { parseAll } from "../../knowledge/documents/content/parsing.ts";
import { drawn, escaped, framed } from "../../knowledge/documents/publication/view.ts";
import { Refusal } from "../../platform/wire/problem.ts";

type Shown = Static<typeof PublicProject>;
const categories = ["completed", "started", "unstarted", "backlog", "cancelled"] as const;
const words = {
  en: {
    completed: "Completed",
    started: "In progress",
    unstarted: "Not begun",
    backlog: "Backlog",
    cancelled: "Cancelled",
    progress: "Progress",
    tasks: "Tasks",
    milestones: "Milestones",
    from: "Begins",
    to: "To be done by",
    stage: "Stage",
    more: "There are more Milestones.",
    none: "No date",
  },
  de: {
    completed: "Erledigt",
    started: "In Arbeit",
    unstarted: "Nicht begonnen",
    backlog: "Vorrat",
    cancelled: "Abgebrochen",
    progress: "Fortschritt",
    tasks: "Aufgaben",
    milestones: "Meilensteine",
    from: "Beginnt",
    to: "Fertig bis",
    stage: "Phase",
    more: "Es gibt weitere Meilensteine.",
    none: "Kein Datum",
  },
};

export const languageOf = (accepted = "") => (/^\s*de\b/i.test(accepted) ? "de" : "en");
/** The page, in the reader's language if there are texts in it. */
export async function projectPage(project: Shown, accepted?: string): Promise<string> {
  const language = languageOf(accepted);
  const say = words[language];
  const day = (date: string) =>
    new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" }).format(new Date(date));
  const { counts, milestones, state, start_date, target_date } = project;
  const open = counts.backlog + counts.unstarted + counts.started;
  const percent = open + counts.completed === 0 ? 0 : Math.floor((100 * counts.completed) / (open + counts.completed));
  const bar = (name: string, value: number) =>
    `<progress max="100" value="${value}" aria-label="${escaped(name)}">${value} %</progress>`;
  const facts = [
    ...(state ? [[say.stage, state.name]] : []),
    ...(start_date ? [[say.from, day(start_date)]] : []),
    ...(target_date ? [[say.to, day(target_date)]] : []),
  ];
  const tasks = categories.map((category) => [say[category], `${counts[category]}${counts.capped ? "+" : ""}`]);
  const table = (rows: readonly string[][]) =>
    rows.length === 0
      ? ""
      : `<dl>${rows.map(([name, value]) => `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`).join("")}</dl>`;
  const listed = milestones.map(
    ({ name, target_date: by, stage, progress }) =>
      `<li><h3>${escaped(name)}</h3><p>${escaped(stage.name)} · ${by ? escaped(day(by)) : say.none} · ` +
      `${progress.percent ?? 0} %</p>${bar(name, progress.percent ?? 0)}</li>`,
  );
  const body = [
    `<main>${table(facts)}${await described(project)}`,
    `<h2>${say.progress}</h2><p>${percent} %</p>${bar(say.progress, percent)}<h3>${say.tasks}</h3>${table(tasks)}`,
    listed.length > 0 ? `<h2>${say.milestones}</h2><ul>${listed.join("")}</ul>` : "",
    project.more_milestones ? `<p>${say.more}</p>` : "",
    "</main>",
  ];
  return framed(project.name, project.icon, `<span>${escaped(project.key)}</span>`, body.join("\n"), language);
}

/**
 * Parses in a worker thread, as for every long text. A text that is too complex, or that finds no free thread, is shown
 * as source.
 */
async function described({ public_id, description_markdown: markdown }: Shown): Promise<string> {
  if (markdown === "") return "";
  try {
    return drawn(JSON.parse((await parseAll(markdown, `public ${public_id}`)).content)).html;
  } catch (error) {
    if (error instanceof Refusal) return `<pre>${escaped(markdown)}</pre>`;
    throw error;
  }
}
