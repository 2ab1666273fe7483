// Imports files of the repository into Documents. Each file is decided separately; its decision and the new agreed
// version commit in one transaction, so that a killed run leaves only complete decisions. Versions that already agree,
// for whatever reason, are only recorded.
import type { FileProblem } from "@svc/contract/knowledge/repository/runs.ts";
import { Refusal } from "../../platform/wire/problem.ts";
import type { StoredContent } from "../documents/store.ts";
import { change, create, toTrash } from "./change.ts";
import { asPage, count, oursOf, type RepositoryExchange, readFiles, type Theirs } from "./exchange.ts";
import { type DocumentPage, pageOf, renderFile } from "./files/front-matter.ts";
import { type RepositoryFile, recognise } from "./files/match-documents.ts";
import { mergePages } from "./files/merge.ts";
import {
  folded,
  folderOf,
  isOurs,
  isSafe,
  lastOf,
  MOST_LEVELS,
  type Places,
  placesIn,
  titleOf,
} from "./files/names.ts";
import { RepositoryFault } from "./git/fault.ts";
import type { RepositoryEntry } from "./git/messages.ts";
import {
  type Conflict,
  type Doc,
  type FileRow,
  findBase,
  forgetFiles,
  type NewFile,
  putFiles,
  raiseConflict,
} from "./run-store.ts";
import { acting } from "./run-transaction.ts";
import { attachBrought, bring, changedBeside } from "./sibling-files.ts";

const BATCH = 50;
/** A run that removes more files than this, and more than half of the known ones, stops for confirmation. */
const MOST_REMOVED = 10;

export async function takeIn(exchange: RepositoryExchange, entries: readonly RepositoryEntry[]): Promise<void> {
  const { rows, takesIn, run } = exchange;
  const files = await readable(exchange, entries);
  const places = placesIn(files.map(({ path }) => path));
  const { same, fresh, vanished } = recognise(
    [...rows.values()].filter(({ document_id }) => !exchange.held.has(document_id)),
    files,
  );
  const known = [...rows.values()].filter(({ oid }) => oid !== null).length;
  if (takesIn && !run.accept_removals && vanished.length > Math.max(MOST_REMOVED, known / 2))
    throw new RepositoryFault("too_many_removals");
  // A folder belongs to the Document whose file is there now, else to the one without a file.
  const owners = new Map<string, string>();
  for (const { document_id, path, oid } of rows.values())
    if (oid === null) owners.set(places.stemOf(path), document_id);
  for (const { known, file } of same) owners.set(places.stemOf(file.path), known.document_id);
  const tree: Tree = { exchange, places, owners };

  const otherwise = changedBeside(exchange);
  const changed = [
    ...same.flatMap(({ known, file }) =>
      file.id === undefined && file.path === known.path && !otherwise.has(known.document_id) ? [] : [{ file, known }],
    ),
    ...fresh.map((file) => ({ file, known: null })),
  ].sort((a, b) => places.levelOf(a.file.path) - places.levelOf(b.file.path) || (a.file.path < b.file.path ? -1 : 1));
  for (let at = 0; at < changed.length; at += BATCH) {
    const batch = changed.slice(at, at + BATCH);
    const read = await readFiles(
      exchange.git,
      batch.map(({ file }) => file),
    );
    for (const [place, { file, known }] of batch.entries()) await decide(tree, file, known, read[place] as Theirs);
  }
  const deepestFirst = vanished.toSorted((a, b) => places.levelOf(b.path) - places.levelOf(a.path));
  for (const row of deepestFirst) await removed(tree, row);
}

interface Tree {
  exchange: RepositoryExchange;
  places: Places;
  /** The Document of each folder. */
  owners: Map<string, string>;
}

function problem({ problems, counts }: RepositoryExchange, path: string, code: FileProblem): void {
  if (!problems.has(path)) counts.problems = (counts.problems ?? 0) + 1;
  problems.set(path, code);
}

/** Markdown files that can be imported, with the ids that changed ones name. Others are left alone on both sides. */
async function readable(exchange: RepositoryExchange, entries: readonly RepositoryEntry[]): Promise<RepositoryFile[]> {
  const { rows, held } = exchange;
  const byPath = new Map([...rows.values()].map((row) => [row.path, row]));
  const leave = (path: string, code: FileProblem) => {
    problem(exchange, path, code);
    const row = byPath.get(path);
    if (row) held.add(row.document_id);
  };
  const taken = new Map<string, RepositoryEntry>();
  const inOrder = entries.filter(({ path, kind }) => isOurs(path) && kind !== "module");
  // Known files take precedence over others with the same name.
  inOrder.sort((a, b) => Number(byPath.has(b.path)) - Number(byPath.has(a.path)) || (a.path < b.path ? -1 : 1));
  const { levelOf } = placesIn(inOrder.map(({ path }) => path));
  for (const entry of inOrder) {
    const name = folded(entry.path.replace(/\.markdown$/i, ".md"));
    if (!isSafe(entry.path)) leave(entry.path, "unsafe_name");
    else if (entry.kind === "link") leave(entry.path, "symbolic_link");
    else if (levelOf(entry.path) > MOST_LEVELS) leave(entry.path, "too_deep");
    else if (taken.has(name)) leave(entry.path, "case_collision");
    else taken.set(name, entry);
  }
  const files: RepositoryFile[] = [...taken.values()].map(({ path, oid }) => ({ path, oid }));
  const news = files.filter(({ path, oid }) => byPath.get(path)?.oid !== oid);
  const unreadable = new Set<string>();
  for (let at = 0; at < news.length; at += BATCH) {
    const batch = news.slice(at, at + BATCH);
    for (const [place, found] of (await readFiles(exchange.git, batch)).entries()) {
      const file = batch[place] as RepositoryFile;
      if (typeof found !== "string") file.id = found.id;
      else {
        leave(file.path, found);
        unreadable.add(file.path);
      }
    }
  }
  return files.filter(({ path }) => !unreadable.has(path));
}

/** The Document of a folder; created if missing, because every folder is a Document. */
async function ownerOf(tree: Tree, folder: string): Promise<string | null> {
  const { exchange, owners } = tree;
  if (folder === "") return exchange.run.root_document_id;
  const found = owners.get(folder);
  if (found && exchange.docs.has(found)) return found;
  const parent_id = await ownerOf(tree, folderOf(folder));
  const title = titleOf(lastOf(folder));
  const made = await acting(exchange, async (context) => {
    const doc = await create(context, exchange.labels, { title, parent_id, labels: [] });
    const page = { id: doc.id, title, labels: [], body: "" };
    await putFiles(context.tx, exchange.workspaceId, [
      agreed(doc, page, { path: `${folder}.md`, oid: null }, parent_id, true),
    ]);
    return doc;
  });
  exchange.docs.set(made.id, made);
  owners.set(folder, made.id);
  count(exchange, "documents_created");
  return made.id;
}

const agreed = (
  doc: Doc,
  page: DocumentPage,
  file: { path: string; oid: string | null },
  parent_id: string | null,
  marked: boolean,
): NewFile => ({
  document_id: doc.id,
  path: file.path,
  oid: file.oid,
  base: renderFile(page),
  parent_id,
  marked,
  revision: doc.revision,
  content_revision: doc.content_revision,
});
/** Revisions that no Document has: the next run compares the Document again. */
const UNSETTLED = { revision: "0", content_revision: "0" };

async function decide(tree: Tree, file: RepositoryFile, known: FileRow | null, theirs: Theirs): Promise<void> {
  const { exchange } = tree;
  const { docs, rows, takesIn } = exchange;
  const id =
    known?.document_id ?? (theirs.id !== null && docs.has(theirs.id) && !rows.has(theirs.id) ? theirs.id : null);
  if (id === null && !takesIn) return;
  try {
    const doc = id === null ? null : docs.get(id);
    const { body, brought } =
      doc === undefined ? { ...theirs, brought: [] } : await bring(exchange, file.path, id, theirs.body);
    if (doc) await acting(exchange, (context) => attachBrought(context, exchange, doc, brought));
    const ids = brought.map((each) => each.id);
    const read = await asPage(exchange, id ?? "", { ...theirs, body }, ids);
    if (!read) return leaveAlone(exchange, file.path, id, "content_refused");
    if (read.unknown) problem(exchange, file.path, "label_unknown");
    if (id === null) await begin(tree, file, { ...read, named: theirs.id, brought });
    else await meet(tree, { id, file, known, ...read, marked: theirs.id === id });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    leaveAlone(exchange, file.path, id, "document_refused");
  }
}
function leaveAlone(exchange: RepositoryExchange, path: string, id: string | null, code: FileProblem): void {
  problem(exchange, path, code);
  if (id !== null) exchange.held.add(id);
}

/** A file without a known Document. An id in it belongs to another Document or to none. */
interface Beginning {
  page: DocumentPage;
  content: StoredContent;
  named: string | null;
  brought: Parameters<typeof attachBrought>[3];
}
async function begin(tree: Tree, file: RepositoryFile, { page, content, named, brought }: Beginning): Promise<void> {
  const { exchange, places, owners } = tree;
  const parent_id = await ownerOf(tree, places.parentOf(file.path));
  const made = await acting(exchange, async (context) => {
    const doc = await create(context, exchange.labels, { ...page, parent_id }, content);
    await attachBrought(context, exchange, doc, brought);
    const row = agreed(doc, { ...page, id: doc.id }, file, parent_id, named === doc.id);
    await putFiles(context.tx, exchange.workspaceId, [row]);
    return doc;
  });
  exchange.docs.set(made.id, made);
  owners.set(places.stemOf(file.path), made.id);
  count(exchange, "documents_created");
}

interface Meeting {
  id: string;
  file: RepositoryFile;
  known: FileRow | null;
  page: DocumentPage;
  content: StoredContent;
  marked: boolean;
}
/** Decides a file with a known Document by comparing the changes on both sides. */
async function meet(tree: Tree, { id, file, known, page, content, marked }: Meeting): Promise<void> {
  const { exchange, places } = tree;
  const { workspaceId, docs, takesIn } = exchange;
  const doc = docs.get(id);
  const theirs = renderFile(page);
  const { base, ours } = await acting(exchange, async ({ tx }) => {
    const [base, pages] = await Promise.all([
      known && findBase(tx, workspaceId, id),
      doc && oursOf(tx, workspaceId, [doc]),
    ]);
    return { base, ours: pages?.get(id) ?? null };
  });
  const conflict = { document_id: id, path: file.path, base, theirs, theirs_oid: file.oid, theirs_parent_id: null };
  if (!doc || !ours) {
    if (theirs === base) return note(exchange, { ...(known as FileRow), path: file.path, oid: file.oid, base });
    return raise(exchange, { ...conflict, kind: "removal", ours: null });
  }
  const parent = takesIn ? await ownerOf(tree, places.parentOf(file.path)) : doc.parent_id;
  const [was, is] = [known ? known.parent_id : doc.parent_id, doc.parent_id];
  if (parent !== was && is !== was && parent !== is)
    return raise(exchange, {
      ...conflict,
      kind: "location",
      theirs_parent_id: parent,
      theirs: places.parentOf(file.path),
      base: folderName(tree, was),
      ours: folderName(tree, is),
    });
  const moved = parent !== was && parent !== is;
  const text = renderFile(ours);
  const merged = decided(base, text, theirs);
  if (merged === null) return raise(exchange, { ...conflict, kind: "content", ours: text });
  if (!takesIn && merged !== text) {
    // The file has changed and may not be imported: if the Document has not, the file stays as it is.
    if (text !== base) return raise(exchange, { ...conflict, kind: "content", ours: text });
    return void exchange.held.add(id);
  }
  const settled = merged === theirs;
  const row = { document_id: id, path: file.path, oid: file.oid, base: theirs, parent_id: parent, marked };
  if (merged === text && !moved) return note(exchange, { ...row, ...(settled ? versions(doc) : UNSETTLED) });
  const result = settled ? content : (await asPage(exchange, id, pageOf(merged)))?.content;
  if (!result) return leaveAlone(exchange, file.path, id, "content_refused");
  await acting(exchange, async (context) => {
    const wanted = { ...pageOf(merged), ...(moved && { parent_id: parent }) };
    const after = await change(context, exchange.labels, { doc, before: text, wanted, content: result });
    if (after) await putFiles(context.tx, workspaceId, [{ ...row, ...(settled ? versions(after) : UNSETTLED) }]);
    else exchange.held.add(id);
  });
  count(exchange, moved ? "documents_moved" : "documents_updated");
}
const versions = ({ revision, content_revision }: Doc) => ({ revision, content_revision });

/** The version that both sides agree on; null for a conflict. */
function decided(base: string | null, ours: string, theirs: string): string | null {
  if (ours === theirs || theirs === base) return ours;
  if (base === null) return null;
  if (ours === base) return theirs;
  const merged = mergePages(pageOf(base), pageOf(ours), pageOf(theirs));
  return merged && renderFile(merged);
}

const folderName = ({ owners }: Tree, id: string | null) => [...owners].find(([, owner]) => owner === id)?.[0] ?? "";

const note = (exchange: RepositoryExchange, row: NewFile): Promise<void> =>
  acting(exchange, async ({ tx }) => void (await putFiles(tx, exchange.workspaceId, [row])));

async function raise(exchange: RepositoryExchange, conflict: Conflict): Promise<void> {
  exchange.open.add(conflict.document_id);
  count(exchange, "conflicts");
  await acting(exchange, ({ tx }) => raiseConflict(tx, exchange.workspaceId, conflict));
}

/** Handles a removed file: trashes its Document, unless the Document has changed or has children that remain. */
async function removed({ exchange, places }: Tree, row: FileRow): Promise<void> {
  const { workspaceId, docs, takesIn } = exchange;
  const { document_id: id, path } = row;
  const doc = docs.get(id);
  if (!doc) return void (await acting(exchange, ({ tx }) => forgetFiles(tx, workspaceId, [id])));
  const { base, ours } = await acting(exchange, async ({ tx }) => {
    const [base, pages] = await Promise.all([findBase(tx, workspaceId, id), oursOf(tx, workspaceId, [doc])]);
    return { base: base as string, ours: renderFile(pages.get(id) as DocumentPage) };
  });
  const without = { ...row, oid: null, base };
  // The file is written again if Documents take precedence.
  if (!takesIn) return note(exchange, { ...without, ...UNSETTLED, base: "" });
  if (ours !== base || doc.parent_id !== row.parent_id) {
    const conflict = { document_id: id, path, base, ours, theirs: null, theirs_oid: null, theirs_parent_id: null };
    return raise(exchange, { ...conflict, kind: "removal" });
  }
  if ([...docs.values()].some(({ parent_id }) => parent_id === id))
    return note(exchange, { ...without, path: `${places.stemOf(path)}.md` });
  try {
    await acting(exchange, async (context) => {
      await toTrash(context, id);
      await forgetFiles(context.tx, workspaceId, [id]);
    });
    docs.delete(id);
    count(exchange, "documents_trashed");
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    leaveAlone(exchange, path, id, "document_refused");
  }
}
