// Rules that curated Agents follow without a model: lists of facts, and questions with fixed texts, through the same
// tools and the same gate. They invent nothing and do not pretend to be a model. Texts are in the language of the
// initiator.
import type { RunLease } from "../../runs/store.ts";
import type { Args } from "../../tools/tool.ts";
import { doneLately } from "./action-store.ts";
import type { AgentDependencies } from "./dependencies.ts";
import { type ClaimedAgentRun, type Output, reachedBy } from "./run-store.ts";
import { type AgentTexts, textsFor } from "./texts.ts";
import type { AgentGate } from "./tool-gate.ts";

interface At {
  kit: AgentDependencies;
  run: ClaimedAgentRun;
  held: RunLease;
  gate: AgentGate;
}
type Rule = (at: At) => Promise<Output[]>;

const OPEN = ["backlog", "unstarted", "started"];
const DAY_MS = 86_400_000;
const day = (offset = 0) => new Date(Date.now() + offset * DAY_MS).toISOString().slice(0, 10);
const MOST_PROJECTS = 10;
const MOST_TASKS = 20;

/** Calls a tool; a missing or refused tool gives an empty result. */
function using({ gate }: At) {
  let count = 0;
  return async (name: string, input: Args): Promise<Args> =>
    (await gate.use({ id: `plain-${++count}`, name, input })).value ?? {};
}
type Use = ReturnType<typeof using>;
const tasksOf = async (use: Use, input: Args): Promise<Args[]> =>
  ((await use("list_tasks", { limit: MOST_TASKS, ...input })).items ?? []) as Args[];
const line = (texts: AgentTexts, { code, title, assignee, due_date, status }: Args) => {
  const more = [status, assignee && `@${assignee}`, due_date && texts.due(due_date)].filter(Boolean);
  return `- ${code} ${title}${more.length > 0 ? ` (${more.join(", ")})` : ""}`;
};
const section = (texts: AgentTexts, heading: string, tasks: readonly Args[]) =>
  tasks.length === 0 ? [] : [`## ${heading}`, ...tasks.map((task) => line(texts, task))];

const dailySummary: Rule = async (at) => {
  const use = using(at);
  const texts = textsFor(at.run);
  const reached = (await reachedBy(at.kit.writer, at.held)).toSorted((one, other) => (one.key < other.key ? -1 : 1));
  const since = new Date(Date.now() - (new Date().getUTCDay() === 1 ? 3 : 1) * DAY_MS).toISOString();
  const outputs: Output[] = [];
  for (const { id, key } of reached.slice(0, MOST_PROJECTS)) {
    const changed = await tasksOf(use, { project: key, updated_since: since, sort: "updated" });
    const due = await tasksOf(use, { project: key, category: OPEN, due_before: day(3), sort: "due" });
    const text = [
      ...section(
        texts,
        texts.done,
        changed.filter(({ category }) => category === "completed"),
      ),
      ...section(
        texts,
        texts.inProgress,
        changed.filter(({ category }) => category === "started"),
      ),
      ...section(texts, texts.dueNext, due),
    ].join("\n");
    if (text !== "") outputs.push({ kind: "text", resource: { kind: "project", id }, text: `# ${key}\n${text}` });
  }
  return outputs.length > 0 ? outputs : [{ kind: "text", resource: null, text: texts.nothingChanged }];
};

const overdue: Rule = async (at) => {
  const { kit, run, held } = at;
  const use = using(at);
  const texts = textsFor(run);
  const late = (await tasksOf(use, { category: OPEN, due_before: day(-1), sort: "due" })).filter(
    ({ assignee }) => assignee,
  );
  const asked = new Set(
    await doneLately(
      kit.writer,
      held,
      run.agent_id,
      "comment",
      late.map(({ code }) => String(code)),
    ),
  );
  const left = late.filter(({ code }) => !asked.has(code));
  for (const { code, assignee, due_date } of left)
    await use("comment", { code, markdown: texts.overdue(assignee, due_date) });
  const text = section(texts, texts.askedAbout, left).join("\n");
  return [{ kind: "text", resource: null, text: text || texts.nothingOverdue }];
};

const releaseNotes: Rule = async (at) => {
  const { run, gate } = at;
  const use = using(at);
  const completed = await tasksOf(use, {
    limit: 50,
    category: ["completed"],
    completed_after: new Date(Date.now() - 14 * DAY_MS).toISOString(),
  });
  const texts = textsFor(run);
  const notesOf = (tasks: readonly Args[]) => tasks.map(({ code, title }) => `- ${title} [${code}]`).join("\n");
  const all = `# ${texts.releaseNotes}\n${notesOf(completed) || texts.nothingCompleted}`;
  const said = (text: string): Output[] => [{ kind: "text", resource: null, text }];
  if (!gate.offered.some(({ name }) => name === "create_document"))
    return [{ kind: "document_draft", resource: null, text: all }];
  if (completed.length === 0) return said(texts.nothingCompleted);
  if (run.document_path !== null) {
    const { markdown, content_revision: revision } = await use("get_document", { path: run.document_path });
    if (revision === undefined) return said(texts.unreadable(run.document_path));
    const notes = `## ${texts.releaseNotes}\n\n${notesOf(completed)}`;
    await use("patch_document", { path: run.document_path, revision, markdown: `${markdown}\n\n${notes}`.trim() });
    return said(texts.notesIn([run.document_path]));
  }
  const projects = Map.groupBy(completed, ({ code }) => String(code).replace(/-\d+$/, ""));
  for (const [project, tasks] of projects)
    await use("create_document", { project, title: texts.releaseNotes, markdown: notesOf(tasks) });
  return said(texts.notesIn([...projects.keys()]));
};

const wordsOf = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? []);
/** Labels whose words all occur in a text. */
const labelsIn = (labels: readonly string[], text: string) => {
  const words = wordsOf(text);
  return labels.filter(
    (label) => [...wordsOf(label)].length > 0 && [...wordsOf(label)].every((word) => words.has(word)),
  );
};
const triage: Rule = async (at) => {
  const { task_code: code } = at.run;
  const texts = textsFor(at.run);
  if (code === null) return [{ kind: "text", resource: null, text: texts.whichTask }];
  const use = using(at);
  const { task } = await use("get_task", { code });
  if (!task) return [{ kind: "text", resource: null, text: texts.unreadable(code) }];
  const project = await use("get_project", { key: code.replace(/-\d+$/, "") });
  const had: string[] = (task.labels ?? []).map((label: unknown) =>
    typeof label === "string" ? label : (label as Args).name,
  );
  const fitting = labelsIn(project.labels ?? [], `${task.title} ${task.description_markdown ?? ""}`).filter(
    (label) => !had.includes(label),
  );
  if (fitting.length > 0) await use("update_task", { code, revision: task.revision, labels: [...had, ...fitting] });
  const mine = wordsOf(task.title);
  const query = [...mine].slice(0, 6).join(" ");
  const found = query === "" ? [] : (((await use("find", { query, limit: 10 })).items ?? []) as Args[]);
  const same = found.find((item) => {
    const theirs = wordsOf(String(item.title ?? ""));
    const shared = [...mine].filter((word) => theirs.has(word)).length;
    return item.code && item.code !== code && mine.size > 1 && shared === mine.size && shared === theirs.size;
  });
  if (same) await use("comment", { code, markdown: texts.isItTheSame(same.code) });
  const said = [
    fitting.length > 0 ? texts.labels(fitting) : texts.noLabel,
    same ? texts.same(same.code) : texts.noSame,
  ];
  return [{ kind: "text", resource: null, text: `${code}: ${said.join(" ")}` }];
};

const TO_DO = /^[ \t]*(?:[-*+][ \t]*)?(?:\[ \]|TODO:?)[ \t]+(\S.{2,399})$/gim;
const meetingNotes: Rule = async (at) => {
  const { task_code: code, document_path: path } = at.run;
  const use = using(at);
  const texts = textsFor(at.run);
  const [key] = (await reachedBy(at.kit.writer, at.held)).map((each) => each.key);
  const source = path
    ? String((await use("get_document", { path })).markdown ?? "")
    : code
      ? String((await use("get_task", { code, detail: "full" })).task?.description_markdown ?? "")
      : at.run.input;
  const found = [...source.matchAll(TO_DO)].map(([, title = ""]) => title.trim()).slice(0, 30);
  const project = code?.replace(/-\d+$/, "") ?? key;
  if (project !== undefined)
    for (const title of found)
      await use("propose_changes", {
        title: texts.fromNotes,
        changes: [{ action: "create", project, set: { title } }],
      });
  const text =
    found.length === 0 ? texts.nothingToDo : [`${texts.fromNotes}:`, ...found.map((title) => `- ${title}`)].join("\n");
  return [{ kind: "text", resource: null, text }];
};

/** Rules by the key of the curated definition. */
export const plainRules: Record<string, Rule | undefined> = {
  daily_summary: dailySummary,
  overdue_follow_up: overdue,
  release_notes: releaseNotes,
  triage,
  meeting_notes: meetingNotes,
};
