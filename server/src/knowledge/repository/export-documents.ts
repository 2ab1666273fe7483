// Exports Documents to the repository: one commit with everything that differs from the last agreed version. Only files
// of Documents are written, and only if the file is still as agreed; everything else in the repository stays unchanged
// to the byte.
import { count, oursOf, type RepositoryExchange, readFiles, type Theirs } from "./exchange.ts";
import { type DocumentPage, editFile, pageOf, renderFile } from "./files/front-matter.ts";
import { freePath, lastOf, nameOf, placesIn, takenBy } from "./files/names.ts";
import type { FileChange, RepositoryEntry } from "./git/messages.ts";
import {
  type AttachmentFile,
  type Doc,
  type FileRow,
  findBase,
  forgetFiles,
  putFiles,
  settleBeside,
} from "./run-store.ts";
import { acting } from "./run-transaction.ts";
import { type Laid, layBeside, removals } from "./sibling-files.ts";

const BATCH = 50;

/** A file to write. */
interface Written {
  doc: Doc;
  row: FileRow | undefined;
  path: string;
}
type Agreed = Written & { oid: string | null };
export interface Commit {
  files: Agreed[];
  gone: FileRow[];
  beside: { put: AttachmentFile[]; gone: AttachmentFile[] };
  /** Whether there is nothing to push. */
  isEmpty: boolean;
}

/** Adds all necessary changes to the next commit. */
export async function giveOut(exchange: RepositoryExchange, entries: readonly RepositoryEntry[]): Promise<Commit> {
  const { docs, rows, open, held } = exchange;
  const isLeft = (id: string) => open.has(id) || held.has(id);
  const gone = [...rows.values()].filter(({ document_id }) => !docs.has(document_id) && !isLeft(document_id));
  const paths = await pathsOf(exchange, entries, gone);
  const wanted = [...docs.values()]
    .filter(({ id }) => !isLeft(id))
    .flatMap((doc): Written[] => {
      const row = rows.get(doc.id);
      const path = paths.get(doc.id) as string;
      const isSame =
        row &&
        row.path === path &&
        (row.marked || row.oid === null) &&
        row.revision === doc.revision &&
        row.content_revision === doc.content_revision;
      return isSame ? [] : [{ doc, row, path }];
    });
  const files: Agreed[] = [];
  // Removed and moved files come first, because another file may take their path.
  const leaving = [...gone, ...wanted.flatMap(({ row, path }) => (row && row.path !== path ? [row] : []))].filter(
    ({ oid }) => oid !== null,
  );
  const forgotten = exchange.beside.filter(({ document_id }) => gone.some((row) => row.document_id === document_id));
  const commit: Commit = { files, gone, beside: { put: [], gone: forgotten }, isEmpty: true };
  const removed = [...leaving.map(({ path }) => ({ path, bytes: null })), ...removals(exchange, forgotten)];
  await keep(exchange, commit, removed);
  for (let at = 0; at < wanted.length; at += BATCH) await write(exchange, commit, wanted.slice(at, at + BATCH));
  count(exchange, "files_written", files.length);
  count(exchange, "files_removed", gone.filter(({ oid }) => oid !== null).length);
  return commit;
}

async function keep(
  exchange: RepositoryExchange,
  commit: Commit,
  changes: readonly FileChange[],
): Promise<(string | null)[]> {
  if (changes.length > 0) commit.isEmpty = false;
  return exchange.git.write({ changes: changes.map(({ path, bytes }) => ({ path, bytes })) });
}

/** Paths of the Documents' files: the current path, unless the title, the place or the parent has changed here. */
async function pathsOf(
  exchange: RepositoryExchange,
  entries: readonly RepositoryEntry[],
  gone: readonly FileRow[],
): Promise<Map<string, string>> {
  const { docs, rows, run, open, held, workspaceId } = exchange;
  const leaving = new Set(gone.map(({ path }) => path));
  exchange.taken = takenBy(entries.map(({ path }) => path).filter((path) => !leaving.has(path)));
  const { taken } = exchange;
  const { stemOf, parentOf } = placesIn([...rows.values()].map(({ path }) => path));
  const paths = new Map<string, string>();
  const children = Map.groupBy(docs.values(), ({ parent_id }) => parent_id ?? run.root_document_id);
  const place = async (doc: Doc, folder: string) => {
    const row = rows.get(doc.id);
    const isLeft = open.has(doc.id) || held.has(doc.id);
    const named = row && row.revision !== doc.revision ? await agreedTitle(exchange, workspaceId, doc.id) : doc.title;
    const renamed = nameOf(named) !== nameOf(doc.title);
    const stays = row && (isLeft || (parentOf(row.path) === folder && !renamed));
    const name = row && !renamed ? lastOf(stemOf(row.path)) : nameOf(doc.title);
    const path = stays ? row.path : freePath(folder, name, taken);
    for (const each of takenBy([path])) taken.add(each);
    paths.set(doc.id, path);
    return stays ? stemOf(path) : path.replace(/\.md$/, "");
  };
  const descend = async (parent: string | null, folder: string): Promise<void> => {
    for (const doc of children.get(parent) ?? []) await descend(doc.id, await place(doc, folder));
  };
  await descend(run.root_document_id, "");
  return paths;
}
const agreedTitle = async (exchange: RepositoryExchange, workspaceId: string, id: string) =>
  pageOf((await acting(exchange, ({ tx }) => findBase(tx, workspaceId, id))) ?? "").title;

async function write(exchange: RepositoryExchange, commit: Commit, batch: readonly Written[]): Promise<void> {
  const { workspaceId, git } = exchange;
  const docs = batch.map(({ doc }) => doc);
  const [pages, bases] = await acting(exchange, ({ tx }) =>
    Promise.all([
      oursOf(tx, workspaceId, docs),
      Promise.all(batch.map(({ doc, row }) => row && findBase(tx, workspaceId, doc.id))),
    ]),
  );
  const there = batch.flatMap(({ row }) => (row?.oid ? [{ path: row.path, oid: row.oid }] : []));
  const read = await readFiles(git, there);
  const before = new Map(there.map(({ path }, at) => [path, read[at]]));
  for (const [at, of] of batch.entries()) {
    const page = pages.get(of.doc.id) as DocumentPage;
    const base = bases[at] ?? "";
    const found = of.row && before.get(of.row.path);
    // A folder without text needs no file.
    if (of.row?.oid === null && base === renderFile(page)) {
      await agree(exchange, [{ ...of, oid: null }]);
      continue;
    }
    const laid = await layBeside(exchange, of.doc, of.path, page.body);
    const isThere = typeof found === "object" && of.row;
    const text = isThere ? edited(found, page, base, laid, of) : renderFile({ ...page, body: laid.body(page.body) });
    const oids = await keep(exchange, commit, laid.changes);
    commit.beside.put.push(
      ...laid.changes.flatMap((each, at) => (each.of ? [{ ...each.of, oid: oids[at] as string }] : [])),
    );
    commit.beside.gone.push(...laid.gone);
    const isSame = isThere && text === found.raw && of.path === of.row?.path;
    const [oid] = isSame ? [of.row?.oid] : await keep(exchange, commit, [{ path: of.path, bytes: Buffer.from(text) }]);
    if (isSame) await agree(exchange, [{ ...of, oid: oid as string }]);
    else commit.files.push({ ...of, oid: oid as string });
  }
}

/**
 * Preserves other lines of the file and labels unknown here; preserves its text to the byte if the Document's is as
 * agreed.
 */
function edited(found: Theirs, page: DocumentPage, base: string, laid: Laid, { row, path }: Written): string {
  const agreed = pageOf(base);
  const isKnown = (name: string) =>
    [...agreed.labels, ...page.labels].some((each) => each.toLowerCase() === name.toLowerCase());
  const labels = [...page.labels, ...found.labels.filter((name) => !isKnown(name))];
  const moved = row && row.path !== path ? laid.moved(found.body, row.path) : found.body;
  const body = page.body !== agreed.body ? laid.body(page.body) : moved !== found.body ? moved : null;
  return editFile(found.raw, { ...page, labels }, body);
}

/** Records the agreed versions after the push. Texts are read again, at the revisions that were written. */
export async function settle(exchange: RepositoryExchange, { files, gone, beside }: Commit): Promise<void> {
  const { workspaceId } = exchange;
  const ids = gone.map(({ document_id }) => document_id);
  await acting(exchange, async ({ tx }) => {
    await forgetFiles(tx, workspaceId, ids);
    await settleBeside(tx, workspaceId, beside.put, beside.gone);
  });
  for (let at = 0; at < files.length; at += BATCH) await agree(exchange, files.slice(at, at + BATCH));
}
const agree = (exchange: RepositoryExchange, files: readonly Agreed[]) =>
  acting(exchange, async ({ tx }) => {
    const pages = await oursOf(
      tx,
      exchange.workspaceId,
      files.map(({ doc }) => doc),
    );
    await putFiles(
      tx,
      exchange.workspaceId,
      files.map(({ doc, path, oid }) => ({
        document_id: doc.id,
        path,
        oid,
        base: renderFile(pages.get(doc.id) as DocumentPage),
        parent_id: doc.parent_id,
        marked: true,
        revision: doc.revision,
        content_revision: doc.content_revision,
      })),
    );
  });

export const messageOf = ({ files, gone }: Commit) => {
  const several = (number: number, verb: string) =>
    number === 0 ? [] : [`${verb} ${number} ${number === 1 ? "document" : "documents"}`];
  const said = [
    ...several(files.length, "update"),
    ...several(gone.filter(({ oid }) => oid !== null).length, "remove"),
  ].join(", ");
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}\n`;
};
