// What a title is called in a path, and when two contents are the same. Pure.
import { createHash } from "node:crypto";
import type { DocumentRow } from "@svc/contract/knowledge/documents/documents.ts";
import type { Static } from "typebox";
import { chance, segmentOf } from "../../platform/wire/slug.ts";

export type DocumentFields = Static<typeof DocumentRow>;

/** Labels that Documents lose, or have lost, in another Project. */
export type Lost = { id: string; from: string[]; to: string[] }[];

/** Twenty of them are more than a path has, and the last one always fits in. */
const MOST_SLUG = 80;
export const slugOf = (title: string) => segmentOf(title, MOST_SLUG) || "untitled";
/** What a slug gets where its path is taken: it says nothing of what has taken it. */
export const newSuffix = () => chance(8);

/** A path as somebody has typed it. */
export const soughtPath = (path: string) => path.normalize("NFC").toLowerCase();

/** Two contents whose Markdown has the same are the same. */
export const markdownDigest = (markdown: string) => createHash("md5").update(markdown).digest("hex");
