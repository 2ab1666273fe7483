// Compares the load's ledger with the database, as its owner, bypassing row-level security. Every acknowledged write
// must exist once: one row or revision, one audit row, its events, one key with exactly the response that was sent.
// Nothing else may exist.
import { correlationOf, type Entry, keyHashOf, readLedger, writeOf } from "./ledger.ts";
import { readTruth, type StoredTask, type Truth } from "./truth.ts";

export const violations = [
  "acknowledged writes lost",
  "effects duplicated",
  "wrong revisions",
  "answers that differ",
  "writes never answered",
  "requests not answered in time",
  "answers out of place",
  "effects nobody was told of",
  "rows that do not match",
  "numbers given twice, or never",
  "changes missed",
  "changes told to the wrong",
] as const;
export type Violation = (typeof violations)[number];

export interface Verdict {
  counts: Record<string, number>;
  found: Record<Violation, string[]>;
}

export async function check(databaseUrl: string, workspaceId: string, ledger: string): Promise<Verdict> {
  const entries = readLedger(ledger);
  const truth = await readTruth(databaseUrl, workspaceId);
  const found = Object.fromEntries(violations.map((name) => [name, []])) as unknown as Verdict["found"];
  const acknowledged = [...entries.values()].filter((entry) => answerOf(entry) !== undefined);
  for (const entry of entries.values()) checkWrite(entry, truth, found);
  const updates = Map.groupBy(acknowledged, (entry) => (entry.kind === "update" ? entry.target : undefined));
  for (const [id, task] of truth.tasks) checkRevisions(id, task, updates.get(id) ?? [], found);
  checkStrangers(entries, truth, found);
  // A number reserved by a failed write is a gap, which is allowed.
  for (const { projectId, numbers, last } of truth.numbers)
    if (new Set(numbers).size !== numbers.length || Math.max(0, ...numbers) > last)
      found["numbers given twice, or never"].push(`Project ${projectId}: ${numbers.length} Tasks, last number ${last}`);
  return { counts: count(entries, acknowledged, truth), found };
}

/** The answer of an acknowledged write. */
const answerOf = (entry: Entry) => entry.answers.find((answer) => answer.status < 300);

function checkWrite(entry: Entry, truth: Truth, found: Verdict["found"]) {
  const { id } = entry;
  const audits = truth.audits.get(id) ?? [];
  const keys = truth.keys.get(keyHashOf(id)) ?? [];
  const rows = truth.marked.get(id) ?? [];
  const executions = entry.answers.filter((answer) => answer.status < 300 && !answer.replayed).length;
  if (audits.length > 1 || rows.length > 1 || executions > 1)
    found["effects duplicated"].push(
      `${id}: ${audits.length} audit rows, ${rows.length} rows, ${executions} executions`,
    );
  for (const { id: audit, events } of audits)
    if (events.length === 0 || new Set(events).size < events.length)
      found["rows that do not match"].push(`${id}: audit row ${audit} has the events ${events.join(", ") || "none"}`);

  const answer = answerOf(entry);
  for (const { attempt, why } of entry.ambiguous)
    if (why === "time-out") found["requests not answered in time"].push(`${id}, attempt ${attempt}`);
  if (entry.answers.length === 0) found["writes never answered"].push(`${id}: ${last(entry)}`);
  for (const other of entry.answers) {
    const conflict = other.status === 409 && entry.contested && other.body.includes('"revision_conflict"');
    if (other.status >= 300 && !conflict) found["answers out of place"].push(`${id}: ${other.status} ${other.body}`);
    if (answer && (other.status !== answer.status || other.etag !== answer.etag || other.body !== answer.body))
      found["answers that differ"].push(`${id}: ${other.status} ${other.body} after ${answer.status} ${answer.body}`);
  }
  if (!answer) {
    if (audits.length + keys.length + rows.length > 0)
      found["effects nobody was told of"].push(
        `${id}: ${audits.length} audit rows, ${keys.length} keys, ${rows.length} rows`,
      );
    return;
  }
  if (audits.length === 0 || !isThere(entry, JSON.parse(answer.body).id, rows, truth))
    found["acknowledged writes lost"].push(`${id}: ${answer.status} ${answer.body}`);
  const [key] = keys;
  if (keys.length !== 1 || key?.status !== answer.status || key.etag !== answer.etag || key.body !== answer.body)
    found["rows that do not match"].push(`${id}: ${keys.length} keys, stored status ${key?.status ?? "none"}`);
}

function isThere({ kind, target }: Entry, id: string, rows: string[], truth: Truth): boolean {
  if (kind === "update") return id === target && truth.tasks.has(id);
  return rows.includes(id) && (kind !== "create" || truth.tasks.has(id));
}

const last = ({ tries, ambiguous }: Entry) => `${tries} attempts, the last one ${ambiguous.at(-1)?.why ?? "unreached"}`;

/**
 * Revisions 2, 3, ... were each assigned once, to the update that expected the previous one; the row has the last
 * revision and its title.
 */
function checkRevisions(id: string, task: StoredTask, acknowledged: Entry[], found: Verdict["found"]) {
  const updates = acknowledged
    .map((entry) => ({ entry, revision: Number(JSON.parse(answerOf(entry)?.body ?? "{}").revision) }))
    .sort((a, b) => a.revision - b.revision);
  for (const [index, { entry, revision }] of updates.entries())
    if (revision !== index + 2 || Number(entry.revision) !== revision - 1)
      found["wrong revisions"].push(`${entry.id}: ${entry.revision} became ${revision}, update ${index + 1} of ${id}`);
  const newest = updates.at(-1)?.entry.id;
  if (task.revision !== updates.length + 1 || (newest !== undefined && task.title !== newest))
    found["wrong revisions"].push(`${id}: at ${task.revision} after ${updates.length} updates, last ${newest}`);
}

/** Rows in the database that no write of the ledger accounts for. */
function checkStrangers(entries: Map<string, Entry>, truth: Truth, found: Verdict["found"]) {
  const hashes = new Set([...entries.keys()].map(keyHashOf));
  const strangers = [
    ...[...truth.audits.keys(), ...truth.marked.keys()].filter((id) => !entries.has(writeOf(id))),
    ...[...truth.keys.keys()].filter((hash) => !hashes.has(hash)),
    ...truth.orphanEvents,
  ];
  for (const stranger of strangers) found["effects nobody was told of"].push(stranger);
}

function count(entries: Map<string, Entry>, acknowledged: Entry[], truth: Truth): Record<string, number> {
  const all = [...entries.values()];
  const ambiguous = all.flatMap((entry) => entry.ambiguous);
  const committed = all.flatMap(({ id, ambiguous: cut }) =>
    cut.filter(({ killed, attempt }) =>
      truth.audits.get(id)?.some(({ correlation }) => killed && correlation === correlationOf(id, attempt)),
    ),
  );
  const because = (why: string) => ambiguous.filter((one) => one.why === why).length;
  return {
    writes: all.length,
    attempts: all.reduce((sum, entry) => sum + entry.tries, 0),
    "ambiguous: cut by a kill": ambiguous.filter((one) => one.killed).length,
    "  of them committed": committed.length,
    "ambiguous: client hung up": because("gave up") + because("time-out"),
    "ambiguous: 503 or in progress": because("503") + because("idempotency_in_progress"),
    acknowledged: acknowledged.length,
    "refused as stale": all.filter((entry) => entry.answers.length > 0 && answerOf(entry) === undefined).length,
    "replays compared": acknowledged.reduce((sum, entry) => sum + entry.answers.length - 1, 0),
  };
}
