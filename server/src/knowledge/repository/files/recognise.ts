// Which file is which Document, as far as files tell: by the place, by the id that it names, and by what is in it. Pure. A file that was copied has
// the id of another one: the one that stayed at its place, or comes first, is the Document.

export interface Known {
  document_id: string;
  path: string;
  oid: string | null;
}
export interface Found {
  path: string;
  oid: string;
  /** That it names; undefined where nothing of it has changed, so that it was not read. */
  id?: string | null;
}
export interface Recognised<K extends Known, F extends Found> {
  /** The file may be elsewhere, or say something else. */
  same: { known: K; file: F }[];
  /** Nobody knew these. */
  fresh: F[];
  vanished: K[];
}

export function recognise<K extends Known, F extends Found>(rows: readonly K[], files: readonly F[]): Recognised<K, F> {
  const byPath = new Map(rows.map((row) => [row.path, row]));
  const byId = new Map(rows.map((row) => [row.document_id, row]));
  const matched = new Map<string, F>();
  const taken = new Set<F>();
  const match = (row: K | undefined, file: F) => {
    if (!row || matched.has(row.document_id) || taken.has(file)) return;
    matched.set(row.document_id, file);
    taken.add(file);
  };
  // Two that have changed places name each other.
  const isElsewhere = ({ id }: F, row: K | undefined) => id != null && id !== row?.document_id && byId.has(id);
  for (const file of files) if (!isElsewhere(file, byPath.get(file.path))) match(byPath.get(file.path), file);
  for (const file of files) if (file.id != null) match(byId.get(file.id), file);
  // Moved by somebody whose file names nothing: it says what it said.
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
