// npm run bench -- --only knowledge: how often the right passage is found (by words, by meaning, by both), how often a
// question on another subject finds anything, the speed of indexing passages, and the time of a question over 100,000
// of them, with a database of its own. Facts and questions are in knowledge-questions.txt, mixed with the passages of
// our own documentation.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { passagesOf } from "../server/src/knowledge/retrieval/extraction/passages.ts";
import { type EmbeddingModel, loadModel } from "../server/src/knowledge/retrieval/index/model.ts";
import { PassageIndex } from "../server/src/knowledge/retrieval/index/passage-index.ts";
import type { IndexRow } from "../server/src/knowledge/retrieval/index/place-index.ts";
import { termsOf } from "../server/src/knowledge/retrieval/index/words.ts";
import { fill } from "./data.ts";
import { ownerOn } from "./lifecycle.ts";
import { withOwnDatabase } from "./own-database.ts";
import { endAll, residentMegabytes, startService } from "./processes.ts";
import { median } from "./table.ts";

const AROUND = 2_000;
const PASSAGES = 100_000;
const QUESTIONS = 400;

interface Fact {
  texts: string[];
  questions: { en: string[]; de: string[] };
}
const written = () => readFileSync(join(import.meta.dirname, "knowledge-questions.txt"), "utf8");
/** Questions that match no fact. */
const foreignQuestions = () => [...written().matchAll(/^x: (.+)$/gm)].map(([, question]) => question as string);
function facts(): Fact[] {
  const blocks = written().split(/\n\n+/).slice(1);
  return blocks
    .map((block) => {
      const lines = (mark: string) =>
        block.split("\n").flatMap((line) => (line.startsWith(`${mark}: `) ? [line.slice(mark.length + 2)] : []));
      return { texts: [...lines("en"), ...lines("de")], questions: { en: lines("q"), de: lines("f") } };
    })
    .filter(({ texts }) => texts.length === 2);
}
/** Passages of all pages in docs, with their headings. */
function documentation(): string[] {
  const root = join(import.meta.dirname, "../docs");
  const files = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .sort();
  return files
    .flatMap((name) => {
      const text = readFileSync(join(root, name), "utf8");
      return passagesOf(text, "").map(({ heading, start, end }) => `${heading}\n${text.slice(start, end)}`);
    })
    .slice(0, AROUND);
}

interface Told extends IndexRow {
  text: string;
}
async function read(model: EmbeddingModel, texts: readonly string[]): Promise<Told[]> {
  const rows: Told[] = [];
  for (const [at, text] of texts.entries())
    rows.push({ number: at, source: String(at), version: 1, text, terms: termsOf(text), vector: await model(text) });
  return rows;
}

/** For all questions of a language, how often the fact is at rank 1 and within the first five. */
async function recall(held: PassageIndex, model: EmbeddingModel, all: readonly Fact[], language: "en" | "de") {
  const none = new Int8Array(384);
  const ways = { words: [0, 0], meaning: [0, 0], both: [0, 0] };
  let count = 0;
  for (const [at, { questions }] of all.entries())
    for (const q of questions[language]) {
      count++;
      const [terms, vector] = [termsOf(q), await model(q)];
      const asked = {
        words: { terms, vector: null },
        meaning: { terms: new Uint32Array(0), vector },
        both: { terms, vector: vector ?? none },
      };
      for (const [name, question] of Object.entries(asked)) {
        const found = held.ask({ ...question, places: [{ id: "all", gone: [] }], most: 20 });
        const rank = found.findIndex(({ number }) => Math.floor(number / 2) === at);
        const way = ways[name as keyof typeof ways] as [number, number];
        if (rank === 0) way[0]++;
        if (rank >= 0 && rank < 5) way[1]++;
      }
    }
  const told = Object.entries(ways).map(([name, [first, five]]) => {
    const percent = (n: number | undefined) => `${Math.round(((n ?? 0) * 100) / count)} %`;
    return `${name} ${percent(first)} at rank 1, ${percent(five)} within 5`;
  });
  console.log(`  ${count} questions in ${language === "en" ? "English" : "German"}: ${told.join("; ")}`);
}

/** Counts passages found for questions that none of them answers. */
async function falseFinds(rows: readonly Told[], model: EmbeddingModel) {
  const questions = foreignQuestions();
  const held = new PassageIndex();
  held.hold("all", true, rows, []);
  const counts: number[] = [];
  for (const q of questions) {
    const places = [{ id: "all", gone: [] }];
    counts.push(held.ask({ terms: termsOf(q), vector: await model(q), places, most: 20 }).length);
  }
  const passages = counts.reduce((sum, count) => sum + count, 0);
  console.log(
    `  ${questions.length} questions about something else, ${rows.length.toLocaleString("en")} passages: ` +
      `${counts.filter((count) => count > 0).length} find anything, ${passages} passages in all.`,
  );
}

const ROWS = `
insert into knowledge_passages (workspace_id, place_id, kind, source_id, start_at, end_at, text, terms, vector, version)
select $1, $2, 'task_description', t.id, 0, length(r.text), r.text, decode(r.terms, 'hex'), decode(r.vector, 'hex'),
  k.version
from knowledge_places k
cross join (select id, row_number() over (order by id) as n from tasks where workspace_id = $1 and project_id = $2
  limit $4) t
join json_to_recordset($3::json) as r(n bigint, text text, terms text, vector text) on r.n = t.n % $5
where k.workspace_id = $1 and k.place_id = $2`;
const hex = (array: Uint32Array | Int8Array) =>
  Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString("hex");

const overHttp = (rows: readonly Told[], questions: readonly string[]): Promise<void> =>
  withOwnDatabase(async ({ url, client }) => {
    const data = await fill(url, [PASSAGES], "KNO");
    const [workspace, project] = [data.workspaceId, data.projectIds[0]];
    await client.query(
      "insert into knowledge_settings (workspace_id, included_projects) values ($1, array[$2::uuid])",
      [workspace, project],
    );
    await client.query("insert into knowledge_places (workspace_id, place_id) values ($1, $2)", [workspace, project]);
    const kept = rows.map(({ text, terms, vector }, n) => ({
      n,
      text,
      terms: hex(terms),
      vector: vector && hex(vector),
    }));
    await client.query(ROWS, [workspace, project, JSON.stringify(kept), PASSAGES, rows.length]);
    await client.query("vacuum analyze");
    const service = await startService(url, { ROLES: "api" });
    const owner = ownerOn(service.port, data);
    const ask = (what: string, q: string) => owner("GET", `knowledge/${what}?q=${encodeURIComponent(q)}`);
    const idle = residentMegabytes(service.pid);
    const began = performance.now();
    await ask("search", questions[0] as string);
    const first = performance.now() - began;
    for (const what of ["search", "answer"]) {
      const times: number[] = [];
      for (let n = 0; n < QUESTIONS; n++) {
        const from = performance.now();
        await ask(what, questions[n % questions.length] as string);
        times.push(performance.now() - from);
      }
      const p99 = times.toSorted((a, b) => a - b)[Math.floor(QUESTIONS * 0.99)] as number;
      console.log(
        `  ${what} over ${PASSAGES.toLocaleString("en")}: p50 ${median(times).toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`,
      );
    }
    const held = residentMegabytes(service.pid);
    console.log(
      `  The first question brings them into memory in ${(first / 1000).toFixed(1)} s; ` +
        `${idle.toFixed(0)} MB before, ${held.toFixed(0)} MB after.`,
    );
    await endAll();
  });

export async function measureKnowledge(): Promise<void> {
  console.log("\nKnowledge:");
  const resident = () => process.memoryUsage().rss / 1_048_576;
  const before = resident();
  const loading = performance.now();
  const model = await loadModel();
  await model("Once, so that everything is there.");
  console.log(
    `  The model is loaded in ${(performance.now() - loading).toFixed(0)} ms and takes ` +
      `${(resident() - before).toFixed(0)} MB.`,
  );
  const all = facts();
  const around = documentation();
  const from = { cpu: process.cpuUsage(), at: performance.now() };
  const rows = await read(model, [...all.flatMap(({ texts }) => texts), ...around]);
  const seconds = (performance.now() - from.at) / 1000;
  const { user, system } = process.cpuUsage(from.cpu);
  console.log(
    `  ${rows.length.toLocaleString("en")} passages are read in ${seconds.toFixed(1)} s ` +
      `(${((user + system) / 1000 / rows.length).toFixed(1)} ms of CPU each).`,
  );
  const held = new PassageIndex();
  held.hold("all", true, rows, []);
  for (const language of ["en", "de"] as const) await recall(held, model, all, language);
  await falseFinds(rows.slice(0, 2 * all.length), model);
  await falseFinds(rows.slice(2 * all.length), model);
  const many = new PassageIndex();
  for (let at = 0; at < PASSAGES; at += rows.length)
    many.hold(
      "all",
      at === 0,
      rows.slice(0, PASSAGES - at).map((row) => ({ ...row, number: row.number + at, source: `${row.source} ${at}` })),
      [],
    );
  const asked = {
    terms: termsOf("who replaces the signing keys"),
    vector: await model("who replaces the signing keys"),
    places: [{ id: "all", gone: [] }],
    most: 20,
  };
  const times = Array.from({ length: 50 }, () => {
    const start = performance.now();
    many.ask(asked);
    return performance.now() - start;
  });
  console.log(`  ${PASSAGES.toLocaleString("en")} passages are looked through in ${median(times).toFixed(1)} ms.`);
  await overHttp(
    rows,
    all.flatMap(({ questions }) => questions.en),
  );
}
