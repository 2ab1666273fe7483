// Validates and normalises the attributes of nodes and marks. Each value has one canonical form, so that it survives a
// round trip through Markdown unchanged.
import { CALLOUTS, MENTIONED } from "./schema.ts";

/** Returns the normalised value, or undefined for an invalid one. */
type Attribute = (value: unknown) => unknown;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for.
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;
/** False for characters that cannot be stored or that a terminal would interpret. */
export const isText = (value: unknown): value is string =>
  typeof value === "string" && value.isWellFormed() && !CONTROL.test(value);
/** Replaces the invalid characters of any text, such as that of a file. */
export const asText = (value: string) => value.toWellFormed().replace(CONTROLS, "\ufffd");
/** Replaces tabs and line breaks with spaces. */
export const onOneLine = (value: string) => value.replace(/\r\n?|[\n\t]/g, " ");

const oneOf =
  (...values: readonly unknown[]): Attribute =>
  (value) =>
    values.includes(value) ? value : undefined;
const within =
  (from: number, to: number): Attribute =>
  (value) =>
    typeof value === "number" && Number.isInteger(value) && value >= from && value <= to ? value : undefined;
const line: Attribute = (value) => (isText(value) ? onOneLine(value) : undefined);
/** Normalises an empty string to null, so that there is one form of no value. */
const orNull =
  (attribute: Attribute): Attribute =>
  (value) =>
    value === null || value === "" ? null : attribute(value);

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
export const isId = (value: string) => UUID.test(value);
const id: Attribute = (value) =>
  typeof value === "string" && isId(value.toLowerCase()) ? value.toLowerCase() : undefined;

/** Schemes that would run code in the page or reach local files. A data: address is allowed for pictures only. */
const UNSAFE = /^(?:vbscript|javascript|file|data):/;
const PICTURE = /^data:image\/(?:gif|png|jpeg|webp);/;
/** Characters that browsers ignore before and within a scheme. */
const IGNORED = /[\p{Cc}\p{Cf}\p{Z}]/gu;
export function isSafe(address: string): boolean {
  if (address.length > 8192) return false;
  const start = address.replace(IGNORED, "").slice(0, 100).toLowerCase();
  return !UNSAFE.test(start) || PICTURE.test(start);
}
/** Encodes white space, which a browser would drop from a scheme. */
export const asAddress = (value: string) => value.trim().replace(/\s/gu, encodeURIComponent);
const address: Attribute = (value) => {
  const kept = isText(value) ? asAddress(value) : undefined;
  return kept !== undefined && isSafe(kept) ? kept : undefined;
};
const title = orNull(line);

const label: Attribute = (value) => (typeof value === "string" && isLabel(value) ? value : undefined);
export const LABEL = "[\\p{L}\\p{N}_-]{1,64}";
const isLabel = (value: string) => new RegExp(`^${LABEL}$`, "u").test(value);

/** An id, or a name that people use: a Task's code, a username, a path. The server resolves it. */
const NAMED = /^[^\s<>()[\]\\&|`*]{1,200}$/u;
const named: Attribute = (value) =>
  isText(value) && NAMED.test(value) ? (isId(value.toLowerCase()) ? value.toLowerCase() : value) : undefined;

const link: Attribute = (value) => {
  if (value === null) return null;
  const { href, title: titled = null, ...rest } = value as Record<string, unknown>;
  const kept = { href: address(href), title: title(titled) };
  return typeof value === "object" &&
    Object.keys(rest).length === 0 &&
    Object.values(kept).every((x) => x !== undefined)
    ? kept
    : undefined;
};

export const attributes: Readonly<Record<string, Readonly<Record<string, Attribute>>>> = {
  heading: { level: within(1, 6) },
  ordered_list: { start: within(0, 999_999_999) },
  task_item: { checked: oneOf(true, false) },
  callout: { kind: oneOf(...CALLOUTS) },
  code_block: { language: (value) => orNull(line)(typeof value === "string" ? value.trim() : value) },
  table_header: { align: oneOf(null, "left", "center", "right") },
  footnote: { label },
  image: { src: address, alt: line, title, link },
  file: { attachment_id: id, name: line },
  mention: { kind: oneOf(...MENTIONED), id: named, label: line },
  footnote_reference: { label },
  link: { href: address, title },
};

const REFERENCE = new RegExp(`^svc:(${MENTIONED.join("|")})/(.+)$`, "u");
const ATTACHMENT = /^attachment:(.+)$/;
/** The reference that a Markdown address encodes; null for an ordinary address. */
export function referenceOf(href: string): { kind: string; id: string } | null {
  const [, kind = "", name] = REFERENCE.exec(href) ?? [];
  const kept = named(name);
  return typeof kept === "string" ? { kind, id: kept } : null;
}
export function attachmentOf(href: string): string | null {
  return (id(ATTACHMENT.exec(href)?.[1]) as string | undefined) ?? null;
}
