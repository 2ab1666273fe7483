// Performs one run: fetches the branch, imports files, exports Documents, and records the agreed versions. A run may be
// killed at any point and repeated: decisions are committed together with the versions that they were based on, and the
// next run recognizes a commit that was already pushed.
import type { RepositoryError } from "@svc/contract/knowledge/repository/errors.ts";
import { inWorkspace, type JobParts } from "../../platform/background/jobs.ts";
import { look, type RepositoryExchange } from "./exchange.ts";
import { giveOut, messageOf, settle } from "./export-documents.ts";
import { RepositoryFault } from "./git/fault.ts";
import { type Git, openGit } from "./git/git.ts";
import type { RepositoryEntry } from "./git/messages.ts";
import { takeIn } from "./import-documents.ts";
import { sealedFor } from "./rules.ts";
import { beginRun, endRun, forgetAllFiles, type SyncOutcome, settleOthers } from "./run-store.ts";
import { type Acting, acting, Superseded } from "./run-transaction.ts";
import { findRoot } from "./store.ts";

/** Number of attempts if the branch moves during a run. */
const MOST_TURNS = 3;
/** Number of attempts after an unexpected error; the queue backs off between them. */
const MOST_ATTEMPTS = 3;
const MOST_PROBLEMS = 100;

export async function synchronise(
  parts: Pick<JobParts, "database" | "outside" | "log">,
  workspaceId: string,
): Promise<void> {
  const { writer } = parts.database;
  const run = await inWorkspace(writer, workspaceId, (tx) => beginRun(tx, workspaceId));
  if (!run) return;
  let outcome: SyncOutcome;
  try {
    outcome = await inTurns({ parts, workspaceId, run });
  } catch (error) {
    if (error instanceof Superseded) return;
    if (!(error instanceof RepositoryFault)) {
      parts.log.error({ err: error, run: run.id }, "a run of the knowledge repository failed");
      if (run.attempt < MOST_ATTEMPTS) throw error;
    } else if (error.cause)
      parts.log.info({ run: run.id, code: error.code, cause: String(error.cause) }, "the knowledge repository refused");
    const error_code: RepositoryError = error instanceof RepositoryFault ? error.code : "internal";
    outcome = { error_code, counts: {}, problems: [], commit: null, committed_at: null };
  }
  await inWorkspace(writer, workspaceId, (tx) => endRun(tx, workspaceId, run, outcome));
}

async function inTurns(run: Acting): Promise<SyncOutcome> {
  const { outside } = run.parts;
  const { url, username, sealed_credential: sealed } = run.run;
  const credential = sealed === null ? null : outside.secrets.open(sealed, sealedFor(run.workspaceId));
  if (sealed !== null && credential === null) throw new RepositoryFault("credential_refused");
  for (let turn = 1; turn <= MOST_TURNS; turn++) {
    const git = openGit(outside.git, { url, username, credential });
    try {
      const outcome = await once(run, git);
      if (outcome) return outcome;
    } finally {
      await git.close();
    }
  }
  throw new RepositoryFault("busy");
}

/** Returns null if the branch moved before the push. */
async function once(acts: Acting, git: Git): Promise<SyncOutcome | null> {
  const { run, workspaceId } = acts;
  const { branch, folder, kind, direction } = run;
  const isOneWay = kind === "import" || direction === "in";
  const { commit: head, empty } = await git.head({ branch });
  if (head === null && (!empty || run.commit !== null)) throw new RepositoryFault("branch_missing");
  const exchange: RepositoryExchange = {
    ...acts,
    git,
    docs: new Map(),
    rows: new Map(),
    labels: [],
    takesIn: kind === "import" || direction !== "out",
    beside: [],
    entries: new Map<string, string>(),
    taken: new Set<string>(),
    counts: {},
    problems: new Map(),
    open: new Set<string>(),
    held: new Set<string>(),
  };
  await look(exchange);
  const rootId = run.root_document_id;
  if (rootId !== null && !(await acting(acts, ({ tx }) => findRoot(tx, rootId))))
    throw new RepositoryFault("document_missing");
  const ended = (commit: string | null, committed_at: number | null): SyncOutcome => ({
    error_code: null,
    counts: exchange.counts,
    commit,
    committed_at,
    problems: [...exchange.problems].slice(0, MOST_PROBLEMS).map(([path, code]) => ({ path, code })),
  });
  const before = run.commit === null ? null : { commit: run.commit, committed_at: Number(run.committed_at) };
  if (before && head === before.commit && !run.looks && (isOneWay || !hasChanged(exchange)))
    return ended(before.commit, before.committed_at);

  let entries: RepositoryEntry[] = [];
  const fetched = head === null ? null : await git.pull({ branch, since: before?.commit === head ? null : before });
  if (fetched) {
    if (!fetched.continues) await beginAnew(exchange);
    entries = await git.list({ commit: fetched.commit, folder });
    exchange.entries = new Map(entries.flatMap(({ path, oid, kind }) => (kind === "file" ? [[path, oid]] : [])));
    await takeIn(exchange, entries);
  }
  await acting(acts, ({ tx }) => settleOthers(tx, workspaceId, [...exchange.open]));
  if (isOneWay) return ended(fetched?.commit ?? null, fetched?.committed_at ?? null);

  await look(exchange);
  const commit = await giveOut(exchange, entries);
  const message = messageOf(commit);
  const email = `svc@${new URL(acts.parts.outside.origin()).hostname}`;
  const pushed = commit.isEmpty
    ? fetched
    : await git.push({ branch, parent: fetched?.commit ?? null, folder, message, email });
  if (!pushed && !commit.isEmpty) return null;
  await settle(exchange, commit);
  return ended(pushed?.commit ?? null, pushed?.committed_at ?? null);
}

/** Whether a Document differs from its agreed version, judged by revisions. */
const hasChanged = ({ docs, rows }: RepositoryExchange) =>
  docs.size !== rows.size ||
  [...docs.values()].some(({ id, revision, content_revision }) => {
    const row = rows.get(id);
    return (
      !row ||
      row.revision !== revision ||
      row.content_revision !== content_revision ||
      (!row.marked && row.oid !== null)
    );
  });

/**
 * The branch was rewritten, so no version is agreed on. Once somebody has accepted that, equal versions are recognized,
 * and different ones become conflicts.
 */
async function beginAnew(exchange: RepositoryExchange): Promise<void> {
  if (!exchange.run.accept_rewritten_history) throw new RepositoryFault("history_rewritten");
  await acting(exchange, ({ tx }) => forgetAllFiles(tx, exchange.workspaceId));
  await look(exchange);
}
