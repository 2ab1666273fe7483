// Updates the index of Knowledge soon after each commit: applies settings by adding and removing places, marks sources
// of events as due, and indexes due sources, some of each Workspace at a time. It runs in pages with pauses, so that it
// uses a fifth of a core.
import { type Background, BEGINNING, type FollowerPosition, inPages } from "../../platform/background/jobs.ts";
import type { Database } from "../../platform/database/db.ts";
import type { ExternalSystems } from "../../platform/outside/external-systems.ts";
import { RELEASE_LEFT } from "./credit-store.ts";
import { type DueSource, indexSource } from "./index-source.ts";
import { beside, noted } from "./store.ts";

const EVENTS_AT_ONCE = 2_000;
const REMOVED_AT_ONCE = 5_000;
/** Number of due sources read per Workspace at a time. */
const SOURCES_AT_ONCE = 4;

const SETTLE = "select settle_knowledge($1) as more";
const READ = "select after::text, settled::text, more from read_for_knowledge($1, $2, $3)";
const DUE = "select * from due_for_knowledge($1)";

type Parts = { database: Pick<Database, "writer">; outside: Pick<ExternalSystems, "storage"> };
/** Runs one statement in a short transaction. */
const turn = <R>({ writer }: Parts["database"], sql: string, values: unknown[]) =>
  writer.use(async (tx) => {
    const begun = [tx.begin(), tx.atLength()];
    const [rows] = await Promise.all([tx.rows<R>(sql, values), ...begun]);
    await tx.commit();
    return rows;
  });

/** Milliseconds after which a long run reads settings and events again. */
const LOOK_MS = 10_000;
async function look(database: Parts["database"]): Promise<void> {
  await inPages(async () => (await turn<{ more: boolean }>(database, SETTLE, [REMOVED_AT_ONCE]))[0]?.more === true);
  let position: FollowerPosition = BEGINNING;
  await inPages(async () => {
    const values = [EVENTS_AT_ONCE, position.after, position.settled];
    const [read] = await turn<FollowerPosition & { more: boolean }>(database, READ, values);
    if (read) position = { after: read.after, settled: read.settled };
    return read?.more === true;
  });
}

/** Runs until nothing is due. Sources that fail are retried in the next run. */
export async function indexKnowledge({ database, outside }: Parts, failed: (error: unknown) => void = () => {}) {
  const tried = new Set<string>();
  let looked = Number.NEGATIVE_INFINITY;
  await inPages(async () => {
    if (performance.now() - looked > LOOK_MS) {
      await look(database);
      looked = performance.now();
    }
    const due = (await turn<DueSource>(database, DUE, [SOURCES_AT_ONCE])).filter((each) => !tried.has(keyOf(each)));
    for (const each of due) {
      tried.add(keyOf(each));
      await indexSource(database, outside.storage, each).catch(failed);
    }
    return due.length > 0;
  });
}
const keyOf = ({ workspace_id, kind, id, asked_at }: DueSource) => [workspace_id, kind, id, asked_at].join(" ");

export const background: Background = {
  schedule: "19 * * * * sweep_knowledge_credits",
  jobs: () => ({ sweep_knowledge_credits: (_payload, { query }) => query(RELEASE_LEFT).then(() => {}) }),
  follows: ({ database, outside, log, metrics }) => {
    let without = 0;
    noted.unavailable = (why) => {
      without = 1;
      log.warn({ err: why }, "the model of Knowledge cannot be loaded here: it is searched by words alone");
    };
    metrics.asked("svc_knowledge_without_model", "1 where Knowledge is searched by words alone", async () => without);
    metrics.asked("svc_knowledge_passages_held", "Passages of Knowledge in memory", async () => beside.held());
    const failed = (error: unknown) => log.warn({ err: error }, "a source of Knowledge could not be read");
    return { index_knowledge: { run: () => indexKnowledge({ database, outside }, failed), gatherMs: 2000 } };
  },
};
