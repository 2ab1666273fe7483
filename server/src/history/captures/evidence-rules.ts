// Rules for passages of evidence: how captures merge into a collection, and whether a source has changed since its
// capture. Pure.
import { createHash } from "node:crypto";
import {
  type captureEvidence,
  type EvidenceSource,
  type HydratedSource,
  MOST_PASSAGE,
  MOST_SOURCES,
} from "@svc/contract/history/captures/evidence.ts";
import type { Static } from "typebox";
import { newId } from "../../platform/wire/ids.ts";
import { refuseAt } from "../../platform/wire/problem.ts";

export type RequestedSource = NonNullable<(typeof captureEvidence)["_in"]>["body"]["sources"][number];
type Passage = NonNullable<RequestedSource["passage"]>;
/** A source as stored: with the digest of the whole text that contains its passage. */
export type StoredSource = Static<typeof EvidenceSource> & { text_digest: string };
type Captured = Omit<StoredSource, "id" | "excluded">;

const digestOf = (text: string | Uint8Array) => createHash("sha256").update(text).digest("hex");

/** Defaults to the whole text. A passage must lie within the text, split no character, and fit the maximum length. */
function passageIn(text: string, asked: Passage | undefined, at: string): Passage {
  const passage = asked ?? { start: 0, end: text.length };
  const fault = (detail: string, reason: string) => refuseAt(`${at}/passage`, "invalid_request", detail, reason);
  if (text === "") fault("is of nothing: the source has no text", "empty");
  if (passage.start >= passage.end || passage.end > text.length)
    fault(`must lie within the text, which has ${text.length} characters`, "out_of_range");
  if (passage.end - passage.start > MOST_PASSAGE)
    fault(`must name at most ${MOST_PASSAGE} characters of the ${text.length} that the text has`, "too_long");
  if (!text.slice(passage.start, passage.end).isWellFormed()) fault("must not split a character", "out_of_range");
  return passage;
}

export function captured(
  { kind, id, passage: asked }: RequestedSource,
  revision: string,
  text: string,
  at: string,
): Captured {
  const passage = passageIn(text, asked, at);
  const digest = digestOf(text.slice(passage.start, passage.end));
  return { kind, resource_id: id, revision, passage, digest, text_digest: digestOf(text) };
}

const placeOf = ({ kind, resource_id, passage: { start, end } }: Captured) => `${kind} ${resource_id} ${start} ${end}`;
/** Appends new captures. A passage that the collection has already is captured again at its position. */
export function withCaptures(sources: readonly StoredSource[], captures: readonly Captured[]): StoredSource[] {
  const all = new Map(sources.map((source) => [placeOf(source), source]));
  for (const capture of captures) {
    const place = placeOf(capture);
    const { id = newId(), excluded = false } = all.get(place) ?? {};
    all.set(place, { id, ...capture, excluded });
  }
  if (all.size > MOST_SOURCES)
    refuseAt(
      "/body/sources",
      "invalid_request",
      `must leave the collection at ${MOST_SOURCES} sources at most, and it would have ${all.size}: begin another one`,
      "too_many",
    );
  return [...all.values()];
}

/** Excludes exactly these sources. */
export function withExclusions(sources: readonly StoredSource[], ids: readonly string[]): StoredSource[] {
  const known = new Set(sources.map(({ id }) => id));
  const unknown = ids.findIndex((id) => !known.has(id));
  if (unknown >= 0)
    refuseAt(`/body/excluded_source_ids/${unknown}`, "not_found", "must be the id of a source in this version");
  return sources.map((source) => ({ ...source, excluded: ids.includes(source.id) }));
}

/** `text` is the current text of the source, or null if the reader may not read it. */
export function hydrated(source: StoredSource, text: string | null): Static<typeof HydratedSource> {
  const { text_digest, excluded, ...shown } = source;
  const state = excluded
    ? "excluded"
    : text === null
      ? "unavailable"
      : digestOf(text) === text_digest
        ? "current"
        : "changed";
  const { start, end } = source.passage;
  return { ...shown, state, text: state === "current" && text !== null ? text.slice(start, end) : null };
}
