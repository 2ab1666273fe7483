// Answers without a model: recognised requests use the same tools and the same gate; anything else is searched for and
// quoted. Every sentence about the work comes from its source; nothing is invented.
import { derivedId } from "../../runs/rules.ts";
import type { OperationCaller } from "../../tools/operation-calls.ts";
import { namesOf, type PlaceName } from "../../tools/place-view.ts";
import type { Args } from "../../tools/tool.ts";
import { type Attached, attachedTo } from "../attachments/attached-files.ts";
import { bestSentences, type Intent, sentencesOf, understood, wordsIn } from "../language/intents.ts";
import { dayIn, momentIn, reminderIn } from "../language/reminder-words.ts";
import type { DiscussTexts } from "../language/texts.ts";
import { wordsFor, zoneOf } from "../language/turn-words.ts";
import type { AnswerPart } from "../rules.ts";
import { type AnswerContent, type AnswerRequest, referencesIn } from "./answer.ts";
import { ask, type DiscussToolResult, interactionPart } from "./tool-gate.ts";

type Row = Args;
type Answer = { text: string; parts?: AnswerPart[] };
interface Plain extends AnswerRequest {
  texts: DiscussTexts;
  use(name: string, input: Args): Promise<DiscussToolResult>;
}

export async function answerPlainly(asked: AnswerRequest): Promise<AnswerContent> {
  let count = 0;
  const plain: Plain = {
    ...asked,
    texts: wordsFor(asked.run, asked.question),
    // Each call follows from the words of the person alone, whatever was read for it.
    use: (name, input) => asked.gate.use({ id: `plain-${++count}`, name, input }, { trusted: true }),
  };
  const found = understood(asked.question);
  const attached = await attachedTo(asked);
  const { text, parts = [] } = found
    ? await answers[found.intent](plain, found.said)
    : (fromFiles(plain, attached) ?? (await fromKnowledge(plain)) ?? (await quoted(plain)));
  asked.journal.say(text);
  return { text, parts: [...parts, ...(await referencesIn(asked, text))] };
}

const lineOf = ({ texts }: Plain, row: Row) =>
  `- ${row.code} ${row.title}${row.status ? ` (${row.status}${row.due_date ? `, ${texts.due} ${row.due_date}` : ""})` : ""}`;
async function listed(plain: Plain, heading: string, tool: string, input: Args): Promise<Answer> {
  const { texts } = plain;
  const used = await plain.use(tool, input);
  if (used.refused) return { text: texts.refused(used.result) };
  const items = (used.value?.items ?? []) as Row[];
  if (items.length === 0) return { text: `${heading} ${texts.none}` };
  const lines = items.map((row) =>
    row.code && row.title ? lineOf(plain, row) : `- ${[row.title, row.excerpt].filter(Boolean).join(": ")}`,
  );
  return { text: [heading, ...lines, ...(used.value?.more ? [texts.more] : [])].join("\n") };
}

const OPEN = ["backlog", "unstarted", "started"];
const dayNamed = (word: string, zone: string) =>
  ({ yesterday: -1, gestern: -1, today: 0, heute: 0, tomorrow: 1, morgen: 1 })[word.toLowerCase()] === undefined
    ? word
    : dayIn(zone, { yesterday: -1, gestern: -1, today: 0, heute: 0, tomorrow: 1, morgen: 1 }[word.toLowerCase()]);

/** Changes a Task at its present revision. */
async function changed(plain: Plain, code: string, set: Args): Promise<Answer> {
  const read = await plain.use("get_task", { code });
  if (read.refused) return { text: plain.texts.refused(read.result) };
  return written(
    plain,
    "update_task",
    { code, revision: read.value?.task.revision, ...set },
    `${code} ${read.value?.task.title}`,
  );
}
async function written({ texts, use }: Plain, tool: string, input: Args, title: string): Promise<Answer> {
  const used = await use(tool, input);
  if (used.refused) return { text: texts.refused(used.result) };
  const { state, changes } = used.value ?? {};
  if (state === "proposed") return { text: texts.proposed(title) };
  if (state !== undefined)
    return {
      text: texts.refused(
        (changes as Row[])
          .map(({ refusal }) => refusal)
          .filter(Boolean)
          .join(" "),
      ),
    };
  return { text: texts.done(title) };
}

/** If several people have the name, the person chooses one. */
async function assigned(plain: Plain, { code = "", person = "" }: Record<string, string>): Promise<Answer> {
  const { kit, run, journal, texts } = plain;
  const name = /^(?:me|mir|mich)$/i.test(person.trim()) ? "me" : person.trim().replace(/^@/, "");
  if (name === "me") return changed(plain, code, { assignee: "me" });
  const people = ((await plain.use("find", { query: name, kind: "person" })).value?.items ?? []) as Row[];
  const exact = people.find(({ username }) => String(username).toLowerCase() === name.toLowerCase());
  if (exact || people.length <= 1)
    return changed(plain, code, { assignee: exact?.username ?? people[0]?.username ?? name });
  const choices = people
    .slice(0, 10)
    .map(({ username, name: called }) => ({ id: String(username), label: `${called} (${username})` }));
  const meanings = Object.fromEntries(choices.map(({ id }) => [id, `assign ${code} to ${id}`]));
  const part = interactionPart(journal.held.id, "which", "ambiguity", texts.which, choices);
  await ask(kit, run, journal, part, { meanings });
  return { text: texts.which, parts: [part] };
}

const MOST_SENTENCES = 5;
async function summary(plain: Plain, code: string): Promise<Answer> {
  const { texts, journal } = plain;
  const used = await plain.use("get_task", { code, detail: "full" });
  if (used.refused || !used.value) return { text: texts.refused(used.result) };
  const { task, comments = [] } = used.value as Row;
  const spoken = sentencesOf(task.description_markdown ?? task.description ?? "").slice(0, MOST_SENTENCES);
  const last = (comments as Row[]).slice(-2).flatMap(({ markdown, author }) =>
    sentencesOf(markdown ?? "")
      .slice(0, 2)
      .map((sentence) => `> ${sentence} (${author})`),
  );
  const lines = [...spoken.map((sentence) => `> ${sentence}`), ...last];
  const part: AnswerPart = {
    kind: "task_result",
    part_id: derivedId(journal.held.id, `task ${code}`),
    task_id: task.id,
    task_code: task.code,
    title: task.title,
    observed_revision: task.revision,
    reason: "summary",
  };
  const head = lineOf(plain, task).slice(2);
  return {
    text: [head, "", texts.sentences(task.code), ...(lines.length > 0 ? lines : [texts.noSentences])].join("\n"),
    parts: task.id ? [part] : [],
  };
}

const answers: Record<Intent, (plain: Plain, said: Record<string, string>) => Promise<Answer>> = {
  overdue: (plain) =>
    listed(plain, plain.texts.overdue, "list_tasks", {
      assignee: "me",
      category: OPEN,
      due_before: dayIn(zoneOf(plain.run), -1),
      sort: "due",
    }),
  assigned: (plain) => listed(plain, plain.texts.assigned, "my_work", { view: "assigned" }),
  dueSoon: (plain) => listed(plain, plain.texts.dueSoon, "my_work", { view: "due_soon" }),
  inbox: (plain) => listed(plain, plain.texts.inbox, "my_work", { view: "inbox" }),
  changedSince: (plain, { since = "" }) => {
    const day = dayNamed(since, zoneOf(plain.run));
    return listed(plain, plain.texts.changed(day), "list_tasks", {
      updated_since: momentIn(zoneOf(plain.run), day).toISOString(),
      sort: "updated",
    });
  },
  show: (plain, { code = "" }) => summary(plain, code),
  summarise: (plain, { code = "" }) => summary(plain, code),
  move: (plain, { code = "", status = "" }) => changed(plain, code, { status: status.trim() }),
  assign: assigned,
  dueOn: (plain, { code = "", day = "" }) => changed(plain, code, { due_date: dayNamed(day, zoneOf(plain.run)) }),
  create: (plain, { title = "", project = "" }) =>
    written(plain, "create_task", { project: project.toUpperCase(), title: title.trim() }, title.trim()),
  askAgent: async ({ texts, use }, { agent = "", task = "" }) => {
    const used = await use("ask_agent", { agent: agent.trim().replace(/^@/, ""), task: task.trim() });
    return { text: used.refused ? texts.refused(used.result) : texts.handedOver(String(used.value?.name)) };
  },
  comment: (plain, { code = "", markdown = "" }) =>
    written(plain, "comment", { code, markdown: markdown.trim() }, code),
  remind: reminded,
};

const CODE = /\b[A-Za-z][A-Za-z0-9]{1,9}-[1-9][0-9]{0,8}\b/;
/** A request in the person's own words, with a time, is its confirmation: no other text contributes to it. */
async function reminded(plain: Plain, { rest = "" }: Record<string, string>): Promise<Answer> {
  const { texts, gate, run } = plain;
  const zone = zoneOf(run);
  const reminding = reminderIn(rest.replace(/[.!]+$/, ""), zone);
  if (!reminding) return { text: texts.noReminder };
  const set = (input: Args) =>
    gate.use({ id: `remind-${Object.keys(input).length}`, name: "remind", input }, { trusted: true, confirmed: true });
  const code = CODE.exec(reminding.text)?.[0].toUpperCase();
  let used = await set({ ...reminding, ...(code && { code }) });
  // A match of the code pattern may be no Task.
  if (used.refused && used.code === "not_found") used = await set({ ...reminding });
  if (used.refused) return { text: texts.refused(used.result) };
  return { text: texts.reminded(texts.at(reminding.due_at, zone), reminding.text) };
}

const MOST_SOURCES = 4;
/** Matching sentences of the attached files, or their beginnings; null if nothing matches. */
function fromFiles({ texts, question }: Plain, attached: readonly Attached[]): Answer | null {
  const words = wordsIn(question);
  const said = attached.flatMap(({ filename, text }) => {
    const sentences = sentencesOf(text ?? "");
    const best = words.length === 0 ? sentences.slice(0, 3) : bestSentences(sentences, words, 3);
    return best.length === 0 ? [] : [`${best.map((sentence) => `> ${sentence}`).join("\n>\n")}\n\n— ${filename}`];
  });
  if (said.length > 0) return { text: [texts.inFiles, ...said].join("\n\n") };
  return words.length === 0 && attached.length > 0 ? { text: texts.noTextInFiles } : null;
}

/** Characters of a question to Knowledge. */
const MOST_ASKED = 200;
/** Indexed sentences near the question that the person may see, with their places; null if there are none. */
async function fromKnowledge({ texts, question, gate, journal }: Plain): Promise<Answer | null> {
  const q = question.trim().slice(0, MOST_ASKED);
  if (q === "") return null;
  const read = async (call: OperationCaller) => {
    const { body } = await call("answerFromKnowledge", { query: { q } });
    if (body.mode !== "extractive") return [];
    const names = await namesOf(
      call,
      body.sentences.flatMap(({ sources }: Row) => sources),
    );
    return body.sentences.map(({ text, sources }: Row) => ({
      text,
      places: sources.flatMap(({ id, revision, kind }: Row) => {
        const named = names.get(id);
        return named ? [{ id, revision, kind, ...named }] : [];
      }),
    })) as { text: string; places: FoundPlace[] }[];
  };
  const found = (await gate.look({ question: q }, read, true)).filter(({ places }) => places.length > 0);
  if (found.length === 0) return null;
  const quotes = found.map(({ text, places }) => `> ${onOneLine(text)}\n\n— ${placesShown(places).join(", ")}`);
  const tasks = found.flatMap(({ places }) => places).filter(({ kind }) => kind.startsWith("task_"));
  const parts = [...new Map(tasks.map((place) => [place.id, place])).values()].slice(0, MOST_SOURCES).map(
    ({ id, code, title, revision }): AnswerPart => ({
      kind: "task_result",
      part_id: derivedId(journal.held.id, `task ${id}`),
      task_id: id,
      task_code: code ?? "",
      title,
      observed_revision: revision,
      reason: "quoted",
    }),
  );
  return { text: [texts.found, ...quotes].join("\n\n"), parts };
}
const onOneLine = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ");
interface FoundPlace extends PlaceName {
  id: string;
  kind: string;
  revision: string;
}
/** Each place once, as a link that opens it. */
const placesShown = (places: readonly FoundPlace[]) => [
  ...new Set(
    places.map(({ kind, code, title, url }) => {
      const name = kind === "comment" ? (code ?? title) : code ? `${code} ${title}` : title;
      const plain = name.replace(/[[\]]/g, "");
      return url ? `[${plain}](${url})` : plain;
    }),
  ),
];

/** Quotes matching text exactly, with its source. */
async function quoted(plain: Plain): Promise<Answer> {
  const { texts, question } = plain;
  const words = wordsIn(question);
  const query = words.slice(0, 12).join(" ").slice(0, 200);
  const found = query === "" ? null : await plain.use("find", { query, limit: 10 });
  let items = (found?.value?.items ?? []) as Row[];
  if (items.length === 0 && words.length > 1) {
    // If no text contains all words, searches for the longest ones, which are the most specific.
    const longest = words.toSorted((one, other) => other.length - one.length).slice(0, 3);
    for (const word of longest)
      items.push(...(((await plain.use("find", { query: word, limit: 5 })).value?.items ?? []) as Row[]));
  }
  items = [...new Map(items.map((item) => [item.path ?? item.code, item])).values()].slice(0, MOST_SOURCES);
  const quotes: string[] = [];
  for (const item of items) {
    const read = item.path
      ? await plain.use("get_document", { path: item.path })
      : await plain.use("get_task", { code: item.code, detail: "full" });
    if (read.refused || !read.value) continue;
    const value = read.value as Row;
    const texted = item.path
      ? [value.markdown]
      : [
          value.task.description_markdown ?? value.task.description ?? "",
          ...((value.comments ?? []) as Row[]).map(({ markdown }) => markdown ?? ""),
        ];
    const best = bestSentences(texted.flatMap(sentencesOf), words, 2);
    const where = item.path ? `${item.title} (${item.path})` : `${item.code} ${item.title}`;
    quotes.push(
      best.length > 0 ? `${best.map((sentence) => `> ${sentence}`).join("\n>\n")}\n\n— ${where}` : `- ${where}`,
    );
  }
  return { text: quotes.length === 0 ? texts.nothing : [texts.found, ...quotes].join("\n\n") };
}
