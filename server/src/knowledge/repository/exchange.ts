// State of one attempt at a run: both sides as they were read, and the results so far. Also reads both sides.
import type { FileProblem } from "@svc/contract/knowledge/repository/runs.ts";
import type { Queries } from "../../platform/database/db.ts";
import type { StoredContent } from "../documents/store.ts";
import { labelIn } from "./change.ts";
import { contentOf } from "./file-content.ts";
import { type DocumentPage, InvalidFrontMatter, lastPart, parseFile } from "./files/front-matter.ts";
import { lastOf, titleOf } from "./files/names.ts";
import type { Git } from "./git/git.ts";
import {
  type AttachmentFile,
  type Doc,
  type FileRow,
  findBeside,
  findDocs,
  findFiles,
  findLabels,
  type Label,
  labelsOf,
} from "./run-store.ts";
import { type Acting, acting } from "./run-transaction.ts";

export interface RepositoryExchange extends Acting {
  git: Git;
  docs: Map<string, Doc>;
  rows: Map<string, FileRow>;
  labels: Label[];
  /** Files beside those of Documents. */
  beside: AttachmentFile[];
  /** Every plain file in the repository, by path, and all names in use. */
  entries: Map<string, string>;
  taken: Set<string>;
  /** Whether the run may change Documents. */
  takesIn: boolean;
  counts: Record<string, number>;
  problems: Map<string, FileProblem>;
  /** Documents with a conflict, or with a file that is ignored: the run writes neither side. */
  open: Set<string>;
  held: Set<string>;
}

export const count = ({ counts }: RepositoryExchange, name: string, by = 1) => {
  counts[name] = (counts[name] ?? 0) + by;
};

/** Reads both sides from the database. */
export async function look(exchange: RepositoryExchange): Promise<void> {
  const { workspaceId, run } = exchange;
  const [docs, rows, labels, beside] = await acting(exchange, ({ tx }) =>
    Promise.all([
      findDocs(tx, workspaceId, run.root_document_id),
      findFiles(tx, workspaceId),
      findLabels(tx, workspaceId),
      findBeside(tx, workspaceId),
    ]),
  );
  exchange.docs = new Map(docs.map((doc) => [doc.id, doc]));
  exchange.rows = new Map(rows.map((row) => [row.document_id, row]));
  exchange.labels = labels;
  exchange.beside = beside;
}

const MARKDOWN = `
select r.document_id, r.markdown from unnest($2::uuid[], $3::bigint[]) u(id, revision)
join document_revisions r on r.workspace_id = $1 and r.document_id = u.id and r.revision = u.revision`;
/** Pages of Documents, at the revisions that were read. */
export async function oursOf(
  tx: Queries,
  workspaceId: string,
  docs: readonly Doc[],
): Promise<Map<string, DocumentPage>> {
  const ids = [docs.map(({ id }) => id), docs.map(({ content_revision }) => content_revision)];
  const rows = await tx.rows<{ document_id: string; markdown: string }>(MARKDOWN, [workspaceId, ...ids]);
  const texts = new Map(rows.map(({ document_id, markdown }) => [document_id, markdown]));
  return new Map(docs.map(({ id, title, labels }) => [id, { id, title, labels, body: lastPart(texts.get(id) ?? "") }]));
}

const PAGE = `
select d.title, r.markdown, ${labelsOf} as labels
from documents d join document_revisions r on r.workspace_id = d.workspace_id and r.document_id = d.id
  and r.revision = d.content_revision
where d.workspace_id = $1 and d.id = $2`;
/** The current page of one Document. */
export async function pageNow(tx: Queries, workspaceId: string, id: string): Promise<DocumentPage | undefined> {
  const row = await tx.maybe<{ title: string; labels: string[]; markdown: string }>(PAGE, [workspaceId, id]);
  return row && { id, title: row.title, labels: row.labels, body: lastPart(row.markdown) };
}

const MOST_CHARACTERS = 262_144;
/** Maximum size of a file in bytes: a larger one also has too many characters. */
const MOST_BYTES = 4 * MOST_CHARACTERS + 65_536;
const MOST_TITLE = 500;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** A file as read from the repository. */
export interface Theirs {
  raw: string;
  /** The id in its front matter. */
  id: string | null;
  title: string;
  labels: string[];
  body: string;
}
/** Reads files in their order; returns a problem for each unreadable one. */
export async function readFiles(
  git: Git,
  files: readonly { path: string; oid: string }[],
): Promise<(Theirs | FileProblem)[]> {
  const found = await git.read({ oids: files.map(({ oid }) => oid), most: MOST_BYTES });
  return files.map(({ path }, at) => readFile(path, found[at] ?? null));
}
function readFile(path: string, bytes: Uint8Array | null): Theirs | FileProblem {
  if (bytes === null) return "file_too_large";
  try {
    const raw = utf8.decode(bytes);
    if (raw.includes("\0")) return "not_text";
    const { id, title, labels, body } = parseFile(raw);
    if (body.length > MOST_CHARACTERS) return "file_too_large";
    const named = title ?? headingOf(body) ?? titleOf(lastOf(path));
    return { raw, id: id?.toLowerCase() ?? null, title: plain(named) || "Untitled", labels: labels ?? [], body };
  } catch (error) {
    return error instanceof InvalidFrontMatter ? "front_matter_invalid" : "not_text";
  }
}
/** Text of the level-1 heading that the body begins with. */
function headingOf(body: string): string | undefined {
  const [line = ""] = body.trimStart().split("\n", 1);
  if (!/^#[ \t]/.test(line)) return undefined;
  let end = line.length;
  while (" \t\r#".includes(line[end - 1] ?? "x")) end--;
  return line.slice(1, end).trim() || undefined;
}
const plain = (title: string) =>
  title
    .replace(/\p{C}+/gu, " ")
    .trim()
    .slice(0, MOST_TITLE)
    .trim();

/**
 * Converts a file to a page in canonical form, in which both sides are compared. Null if its Markdown cannot be stored.
 */
export async function asPage(
  exchange: RepositoryExchange,
  id: string,
  { title, labels, body }: Pick<Theirs, "title" | "labels" | "body">,
  brought: readonly string[] = [],
): Promise<{ page: DocumentPage; content: StoredContent; unknown: boolean } | null> {
  const { workspaceId, docs, beside } = exchange;
  const doc = docs.get(id);
  const own = [
    ...brought,
    ...beside.flatMap(({ document_id, attachment_id }) => (document_id === id ? [attachment_id] : [])),
  ];
  const over = doc ? { id, revision: doc.content_revision } : null;
  const content = await contentOf((work) => acting(exchange, ({ tx }) => work(tx)), body, { workspaceId, over, own });
  if (!content) return null;
  const projectId = doc?.project_id ?? null;
  const known = labels.flatMap((name) => labelIn(exchange.labels, projectId, name)?.name ?? []);
  const page = { id, title, labels: [...new Set(known)], body: lastPart(content.markdown) };
  return { page, content, unknown: known.length < labels.length };
}
