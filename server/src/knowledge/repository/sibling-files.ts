// Files beside the files of Documents: pictures and other files that a text shows or links. They are imported as
// attachments of the Document, and attachments are exported to a folder beside its file. Files that no Document links
// are ignored.
import { createHash } from "node:crypto";
import { attachFiles } from "../../planning/attachments/change.ts";
import { complete, objectKeys, reserve } from "../../planning/attachments/store.ts";
import type { Context } from "../../platform/kernel/implement-operation.ts";
import { newId } from "../../platform/wire/ids.ts";
import type { RepositoryExchange } from "./exchange.ts";
import { attachmentsLinked, inward, outward, placesLinked } from "./files/links.ts";
import { folded, folderOf, isOurs, isSafe, lastOf, nameOf, takenBy } from "./files/names.ts";
import type { FileChange } from "./git/messages.ts";
import { type AttachmentFile, settleBeside } from "./run-store.ts";
import { acting } from "./run-transaction.ts";

/** Maximum size of an exchanged file; larger ones are ignored. */
const MOST_BYTES = 10 * 1024 * 1024;
/** Number of files imported at once per Document. */
const MOST_BROUGHT = 40;
const TYPES: Record<string, string> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  svg: "image/svg+xml",
  pdf: "application/pdf",
  txt: "text/plain",
  csv: "text/csv",
  zip: "application/zip",
};

// ---- import ------------------------------------------------------------------------------------------------

/** A file that was uploaded to storage and is not attached to its Document yet. */
interface Brought {
  id: string;
  path: string;
  oid: string;
}

/** Converts the text of a file for its Document, and imports the files that it links. */
export async function bring(
  exchange: RepositoryExchange,
  file: string,
  id: string | null,
  body: string,
): Promise<{ body: string; brought: Brought[] }> {
  const { entries, takesIn } = exchange;
  const known = new Map(
    exchange.beside
      .filter(({ document_id, path, oid }) => document_id === id && entries.get(path) === oid)
      .map((each) => [each.path, each.attachment_id]),
  );
  const wanted = placesLinked(file, body).filter(
    (path) => entries.has(path) && !known.has(path) && !isOurs(path) && isSafe(path),
  );
  const brought: Brought[] = [];
  for (const path of takesIn ? wanted.slice(0, MOST_BROUGHT) : []) {
    const made = await store(exchange, path, entries.get(path) as string);
    if (made) brought.push(made);
  }
  const ids = new Map([...known, ...brought.map(({ path, id }) => [path, id] as const)]);
  return { body: inward(file, body, (path) => ids.get(path)), brought };
}

/** Reserves the upload first, like every upload: files of a killed run are deleted with their reservations. */
async function store(exchange: RepositoryExchange, path: string, oid: string): Promise<Brought | null> {
  const { git, workspaceId, parts, run } = exchange;
  const [found] = await git.read({ oids: [oid], most: Math.min(MOST_BYTES, parts.outside.storage.uploadLimit) });
  if (!found || found.length === 0) return null;
  const bytes = Buffer.from(found);
  const id = newId();
  const filename = lastOf(path).slice(0, 200);
  const content_type = TYPES[/\.(\w+)$/.exec(filename)?.[1]?.toLowerCase() ?? ""] ?? "application/octet-stream";
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const asked = { id, filename, content_type, size: bytes.length, sha256 };
  if (!(await acting(exchange, ({ tx }) => reserve(tx, workspaceId, run.actor_id, asked)))) return null;
  await parts.outside.storage.put(objectKeys(workspaceId, id).file, bytes, content_type);
  return { id, path, oid };
}

/** Attaches imported files to the Document. */
export async function attachBrought(
  context: Context,
  exchange: RepositoryExchange,
  doc: { id: string; project_id: string | null },
  brought: readonly Brought[],
): Promise<void> {
  if (brought.length === 0) return;
  const { workspaceId, parts } = exchange;
  const { scan } = parts.outside;
  for (const { id } of brought) {
    await complete(context.tx, workspaceId, id, scan ? "pending" : "not_scanned");
    context.enqueue(scan ? "scan_attachment" : "make_thumbnail", { workspace_id: workspaceId, id });
  }
  await attachFiles(
    context,
    { kind: "document", id: doc.id, projectId: doc.project_id },
    brought.map(({ id, path }) => ({ id, pointer: path })),
  );
  const rows = brought.map(({ id, path, oid }) => ({ document_id: doc.id, attachment_id: id, path, oid }));
  await settleBeside(context.tx, workspaceId, rows, []);
  exchange.beside = [
    ...exchange.beside.filter(
      (each) => !rows.some(({ document_id, path }) => each.document_id === document_id && each.path === path),
    ),
    ...rows,
  ];
}

/** Documents whose own file is unchanged, but not a file beside it. */
export const changedBeside = ({ beside, entries }: RepositoryExchange) =>
  new Set(
    beside
      .filter(({ path, oid }) => entries.has(path) && entries.get(path) !== oid)
      .map(({ document_id }) => document_id),
  );

// ---- export ------------------------------------------------------------------------------------------------

interface Attached {
  id: string;
  filename: string;
}
const ATTACHED = `
select id, filename from attachments
where workspace_id = $1 and document_id = $2 and id = any($3::uuid[]) and state = 'stored'
  and scan_state in ('clean', 'not_scanned')
  and size <= ${MOST_BYTES}`;

export interface Laid {
  /** Converts Markdown of a Document to the text of its file. */
  body(markdown: string): string;
  /** Converts links of a file that was moved, so that they still resolve. */
  moved(raw: string, from: string): string;
  changes: (FileChange & { of: Omit<AttachmentFile, "oid"> | null })[];
  /** Files that the Document no longer links. */
  gone: AttachmentFile[];
}
/** Determines the files to write beside the file of this Document. */
export async function layBeside(
  exchange: RepositoryExchange,
  doc: { id: string },
  path: string,
  markdown: string,
): Promise<Laid> {
  const { workspaceId, entries, taken, parts } = exchange;
  const own = exchange.beside.filter(({ document_id }) => document_id === doc.id);
  const linked = attachmentsLinked(markdown);
  const found =
    linked.length === 0
      ? []
      : await acting(exchange, ({ tx }) => tx.rows<Attached>(ATTACHED, [workspaceId, doc.id, linked]));
  const paths = new Map<string, string>();
  const changes: Laid["changes"] = [];
  for (const { id, filename } of found) {
    const known = own.find(({ attachment_id }) => attachment_id === id);
    const at = known?.path ?? freeName(`${folderOf(path) ? `${folderOf(path)}/` : ""}attachments`, filename, taken);
    if (!known || entries.get(known.path) !== known.oid) {
      const bytes = entries.has(at) ? undefined : await parts.outside.storage.get(objectKeys(workspaceId, id).file);
      if (!bytes) continue;
      changes.push({ path: at, bytes, of: { document_id: doc.id, attachment_id: id, path: at } });
    }
    for (const each of takenBy([at])) taken.add(each);
    paths.set(id, at);
  }
  const gone = own.filter(({ attachment_id }) => !linked.includes(attachment_id));
  changes.push(...removals(exchange, gone));
  const idAt = new Map([...own.map(({ path, attachment_id }) => [path, attachment_id] as const)]);
  const body = (text: string) => outward(path, text, (id) => paths.get(id));
  return { body, moved: (raw, from) => body(inward(from, raw, (each) => idAt.get(each))), changes, gone };
}

/** Removals of files that no other Document links, and that are unchanged. */
export const removals = ({ beside, entries }: RepositoryExchange, gone: readonly AttachmentFile[]): Laid["changes"] =>
  gone
    .filter(
      ({ path, oid }) => entries.get(path) === oid && beside.every((each) => each.path !== path || gone.includes(each)),
    )
    .map(({ path }) => ({ path, bytes: null, of: null }));

function freeName(folder: string, filename: string, taken: ReadonlySet<string>): string {
  const [, stem = filename, ending = ""] = /^(.*?)(\.[A-Za-z0-9]{1,10})?$/.exec(filename) ?? [];
  for (let count = 1; ; count++) {
    const path = `${folder}/${nameOf(stem)}${count === 1 ? "" : `-${count}`}${ending.toLowerCase()}`;
    if (!taken.has(folded(path)) && !isOurs(path)) return path;
    if (isOurs(path)) return freeName(folder, `${filename}.txt`, taken);
  }
}
