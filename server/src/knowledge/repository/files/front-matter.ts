// A Document as a file: front matter between --- lines (id, title, labels), then its Markdown. Only these three keys
// are read and written; other lines of the front matter belong to other tools and stay unchanged. Pure.

export interface PageFields {
  title: string;
  labels: string[];
}
/** A Document in the form in which both sides are compared. */
export interface DocumentPage extends PageFields {
  id: string;
  body: string;
}
export interface Parsed {
  id: string | null;
  title: string | null;
  labels: string[] | null;
  /** The lines of the front matter; null if there is none. */
  front: string[] | null;
  body: string;
}
/** The front matter cannot be parsed. */
export class InvalidFrontMatter extends Error {}

const FENCE = /^---[ \t]*$/;
const MOST_LINES = 200;
const KEY = /^([A-Za-z_][\w-]*)[ \t]*:(?:[ \t]([\s\S]*))?$/;
const ITEM = /^[ \t]*-[ \t]([\s\S]*)$/;

export function parseFile(file: string): Parsed {
  const text = file.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  const lines = text.split("\n", MOST_LINES + 2);
  const end = FENCE.test(lines[0] ?? "") ? lines.findIndex((line, at) => at > 0 && FENCE.test(line)) : -1;
  if (end < 0) return { id: null, title: null, labels: null, front: null, body: text };
  const front = lines.slice(1, end);
  const [id] = scalars(front, "id");
  const [title] = scalars(front, "title");
  const labels = listOf(front, "labels");
  const body = text.slice(
    front.reduce((sum, line) => sum + line.length + 1, 0) + (lines[0] ?? "").length + 2 + (lines[end] ?? "").length,
  );
  return {
    id: id ?? null,
    title: title?.replace(/\s+/g, " ").trim() || null,
    labels,
    front,
    body: body.replace(/^\n/, ""),
  };
}

/** The lines of a key, with indented lines and items below it. */
function place(front: readonly string[], key: string): { at: number; count: number; value: string } | null {
  const at = front.findIndex((line) => KEY.exec(line)?.[1] === key);
  if (at < 0) return null;
  let count = 1;
  while (at + count < front.length && /^(?:[ \t]+\S|-[ \t])/.test(front[at + count] as string)) count++;
  return { at, count, value: (KEY.exec(front[at] as string)?.[2] ?? "").trim() };
}

function scalars(front: readonly string[], key: string): string[] {
  const found = place(front, key);
  if (!found || found.value === "") return [];
  if (found.count > 1 || /^[|>[{&*!]/.test(found.value)) throw new InvalidFrontMatter(key);
  return [scalar(found.value)];
}

function listOf(front: readonly string[], key: string): string[] | null {
  const found = place(front, key);
  if (!found) return null;
  const items = front.slice(found.at + 1, found.at + found.count).map((line) => ITEM.exec(line)?.[1]?.trim());
  if (found.value === "") {
    if (items.some((item) => item === undefined)) throw new InvalidFrontMatter(key);
    return items.map((item) => scalar(item as string));
  }
  if (items.length > 0) throw new InvalidFrontMatter(key);
  if (!found.value.startsWith("[")) return [scalar(found.value)];
  const end = found.value.lastIndexOf("]");
  const rest = found.value.slice(end + 1);
  if (end < 0 || (rest !== "" && !/^[ \t]+#/.test(rest))) throw new InvalidFrontMatter(key);
  const inner = found.value.slice(1, end);
  const parts = inner.match(/"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,\s][^,]*/g) ?? [];
  return parts.map((part) => scalar(part.trim()));
}

function scalar(value: string): string {
  if (value.startsWith('"')) {
    const [quoted] = /^"(?:[^"\\]|\\.)*"/.exec(value) ?? [];
    try {
      return JSON.parse(quoted as string) as string;
    } catch {
      throw new InvalidFrontMatter(value);
    }
  }
  if (value.startsWith("'")) {
    const [, quoted] = /^'((?:[^']|'')*)'/.exec(value) ?? [];
    if (quoted === undefined) throw new InvalidFrontMatter(value);
    return quoted.replaceAll("''", "'");
  }
  const comment = value.search(/[ \t]#/);
  return comment < 0 ? value : value.slice(0, comment).trimEnd();
}

/** Values that every YAML parser reads as the same string without quotes. */
const PLAIN = /^(?!(?:true|false|yes|no|on|off|null|y|n)$)\p{L}[\p{L}\p{N}]*(?:[ -][\p{L}\p{N}]+)*$/iu;
const written = (value: string) => (PLAIN.test(value) ? value : JSON.stringify(value));
const lineOf = {
  id: (id: string) => `id: ${id}`,
  title: (title: string) => `title: ${written(title)}`,
  labels: (labels: readonly string[]) => `labels: [${labels.map(written).join(", ")}]`,
};

/** The canonical form for comparing both sides, and for new files. */
export function renderFile({ id, title, labels, body }: DocumentPage): string {
  const lines = [lineOf.id(id), lineOf.title(title), ...(labels.length > 0 ? [lineOf.labels(labels)] : [])];
  return `---\n${lines.join("\n")}\n---\n\n${body}`;
}

/** Markdown as the last part of a file, which ends with a newline. */
export const lastPart = (markdown: string) => (markdown === "" ? "" : `${markdown}\n`);

/** Parses the output of renderFile. */
export function pageOf(file: string): DocumentPage {
  const { id, title, labels, body } = parseFile(file);
  return { id: id ?? "", title: title ?? "", labels: labels ?? [], body };
}

/** Sets the three keys in an existing file; a null body preserves the text below to the byte. */
export function editFile(file: string, { id, title, labels }: Omit<DocumentPage, "body">, body: string | null): string {
  const { front, body: before } = parseFile(file);
  const kept = front ?? [];
  const lines = [...kept];
  const put = (key: keyof typeof lineOf, line: string | null) => {
    const found = place(lines, key);
    if (found) lines.splice(found.at, found.count, ...(line === null ? [] : [line]));
    else if (line !== null)
      lines.splice(key === "id" ? 0 : (place(lines, key === "title" ? "id" : "title")?.at ?? -1) + 1, 0, line);
  };
  put("id", lineOf.id(id));
  put("title", lineOf.title(title));
  put("labels", labels.length > 0 ? lineOf.labels(labels) : null);
  const ending = /\r\n/.test(file) && body === null ? "\r\n" : "\n";
  const below = body ?? (ending === "\n" ? before : before.replaceAll("\n", "\r\n"));
  return ["---", ...lines, "---", "", below].join(ending);
}
