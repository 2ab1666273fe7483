// Slugs and paths of Documents, and equality of contents. Pure.
import { createHash } from "node:crypto";
import type { DocumentRow } from "@svc/contract/knowledge/documents/documents.ts";
import type { Static } from "typebox";
import { chance, segmentOf } from "../../platform/wire/slug.ts";

export type DocumentFields = Static<typeof DocumentRow>;

/** Labels that Documents lose in another Project. */
export type Lost = { id: string; from: string[]; to: string[] }[];

/** Length limit of a slug. A path may be shorter than twenty such slugs, but the last slug always fits. */
const MOST_SLUG = 80;
export const slugOf = (title: string) => segmentOf(title, MOST_SLUG) || "untitled";
/** Random suffix for a slug whose path is taken: it reveals nothing about the other Document. */
export const newSuffix = () => chance(8);

/** Normalizes a path that somebody typed. */
export const soughtPath = (path: string) => path.normalize("NFC").toLowerCase();

/** Contents with the same digest are equal. */
export const markdownDigest = (markdown: string) => createHash("md5").update(markdown).digest("hex");
