// Matches files to Documents by path, by the id in the front matter, and by content. Pure. A copied file has the id of
// its original: the file that kept its path, or comes first, is the Document.

export interface KnownFile {
  document_id: string;
  path: string;
  oid: string | null;
}
export interface RepositoryFile {
  path: string;
  oid: string;
  /** The id in its front matter; undefined if the file is unchanged and was not read. */
  id?: string | null;
}
export interface Recognised<K extends KnownFile, F extends RepositoryFile> {
  /** Matched files, which may have moved or changed. */
  same: { known: K; file: F }[];
  /** Files without a known Document. */
  fresh: F[];
  vanished: K[];
}

export function recognise<K extends KnownFile, F extends RepositoryFile>(
  rows: readonly K[],
  files: readonly F[],
): Recognised<K, F> {
  const byPath = new Map(rows.map((row) => [row.path, row]));
  const byId = new Map(rows.map((row) => [row.document_id, row]));
  const matched = new Map<string, F>();
  const taken = new Set<F>();
  const match = (row: K | undefined, file: F) => {
    if (!row || matched.has(row.document_id) || taken.has(file)) return;
    matched.set(row.document_id, file);
    taken.add(file);
  };
  // Two files that have swapped paths name each other.
  const isElsewhere = ({ id }: F, row: K | undefined) => id != null && id !== row?.document_id && byId.has(id);
  for (const file of files) if (!isElsewhere(file, byPath.get(file.path))) match(byPath.get(file.path), file);
  for (const file of files) if (file.id != null) match(byId.get(file.id), file);
  // Moved files without an id are matched by equal content.
  const left = Map.groupBy(
    rows.filter((row) => !matched.has(row.document_id) && row.oid !== null),
    ({ oid }) => oid as string,
  );
  for (const file of files)
    if (!taken.has(file) && file.id == null)
      match(
        left.get(file.oid)?.find((row) => !matched.has(row.document_id)),
        file,
      );
  return {
    same: rows.flatMap((known) => {
      const file = matched.get(known.document_id);
      return file ? [{ known, file }] : [];
    }),
    fresh: files.filter((file) => !taken.has(file)),
    vanished: rows.filter(({ document_id, oid }) => oid !== null && !matched.has(document_id)),
  };
}
