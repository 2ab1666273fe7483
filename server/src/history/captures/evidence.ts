// Evidence: captured, narrowed by exclusions, read, and shown while its sources are unchanged. Files are read outside
// any transaction, and the capture stores the content of that read.
import type { Capability } from "@svc/contract/capabilities.ts";
import * as contract from "@svc/contract/history/captures/evidence.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { objectKeys } from "../../planning/attachments/store.ts";
import {
  type Context,
  type EffectsContext,
  implement,
  implementWithEffects,
} from "../../platform/kernel/implement-operation.ts";
import { newId } from "../../platform/wire/ids.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";
import { ownVersions, withRoom } from "./access.ts";
import {
  captured,
  hydrated,
  type RequestedSource,
  type StoredSource,
  withCaptures,
  withExclusions,
} from "./evidence-rules.ts";
import {
  type Evidence,
  evidenceAt,
  keepEvidence,
  latestEvidence,
  type SourceContent,
  saidBy,
  saidIn,
} from "./evidence-store.ts";
import { expiryOf, requireBoth, requireLatest } from "./rules.ts";

function shown({ sources, ...rest }: Evidence, latest: number) {
  const capabilities: Capability[] = rest.version === latest ? ["evidence:read", "evidence:update"] : ["evidence:read"];
  return {
    ...rest,
    latest_version: latest,
    sources: sources.map(({ text_digest, ...source }) => source),
    capabilities,
  };
}

type Reading = Pick<EffectsContext, "outside" | "member">;
const inUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** Reads the current text of a source, also from a file; null if it is unreadable or not text. */
async function textOf(
  { outside, member }: Reading,
  { source, revision, text }: SourceContent<Pick<StoredSource, "kind" | "resource_id">>,
) {
  if (source?.kind !== "attachment" || revision === null) return text;
  const bytes = await outside.storage.get(objectKeys(member.workspaceId, source.resource_id).file);
  try {
    return bytes ? inUtf8.decode(bytes) : null;
  } catch {
    return null;
  }
}

/** Captures the sources one after the other, so that only one file is in memory at a time. */
async function captureAll(context: EffectsContext, asked: readonly RequestedSource[]) {
  const wanted = asked.map(({ kind, id }) => ({ kind, resource_id: id }));
  const found = await context.read((tx) => saidBy(tx, wanted));
  const captures: ReturnType<typeof captured>[] = [];
  for (const [place, said] of found.entries()) {
    const source = asked[place] as RequestedSource;
    const at = `/body/sources/${place}`;
    const text = await textOf(context, said);
    if (text === null || said.revision === null)
      return refuseAt(
        `${at}/id`,
        "not_found",
        "must be something that you can read and that is not in the trash; a file must be text in UTF-8, " +
          "of a type text/*, of at most 1 MiB, and scanned",
      );
    if (source.revision !== undefined && source.revision !== said.revision)
      refuse("revision_conflict", {
        current_revision: said.revision,
        errors: [{ pointer: `${at}/revision`, code: "revision_conflict", detail: "has changed since: read it again" }],
      });
    captures.push(captured(source, said.revision, text, at));
  }
  return captures;
}

type Here = Pick<Context, "tx" | "defer" | "principal">;
function keep({ tx, defer, principal }: Here, next: Pick<Evidence, "id" | "version" | "title" | "sources">) {
  const now = principal.now;
  const evidence = { ...next, created_at: now, expires_at: expiryOf("evidence_collections", now) };
  defer(keepEvidence(tx, evidence));
  return shown(evidence, evidence.version);
}

export const captureEvidence = implementWithEffects(
  contract.captureEvidence,
  workspace("work:read"),
  async (context, { body: { title, sources, collection_id, version = 0 }, body }) => {
    requireBoth(body, "collection_id", "version");
    const captures = await captureAll(context, sources);
    return context.finish(async (here) => {
      const latest = await withRoom(here.tx, "evidence_collections", async (tx) =>
        collection_id === undefined ? undefined : latestEvidence(tx, collection_id),
      );
      if (collection_id === undefined)
        return keep(here, { id: newId(), version: 1, title: title ?? null, sources: withCaptures([], captures) });
      const before = requireLatest(latest, version, "collection_id");
      return keep(here, {
        id: before.id,
        version: version + 1,
        title: title ?? before.title,
        sources: withCaptures(before.sources, captures),
      });
    });
  },
);

export const replaceEvidenceExclusions = implement(
  contract.replaceEvidenceExclusions,
  workspace("work:read"),
  async (context, { body: { collection_id, version, excluded_source_ids } }) => {
    const latest = await withRoom(context.tx, "evidence_collections", (tx) => latestEvidence(tx, collection_id));
    const { id, title, sources } = requireLatest(latest, version, "collection_id");
    return keep(context, { id, version: version + 1, title, sources: withExclusions(sources, excluded_source_ids) });
  },
);

const own = ownVersions("evidence_collections");
export const getEvidenceCollection = implement(contract.getEvidenceCollection, own, async ({ tx }, { target, query }) =>
  shown((await evidenceAt(tx, target.id, query.version)) ?? refuse("not_found"), target.latest),
);

export const hydrateEvidence = implementWithEffects(
  contract.hydrateEvidence,
  own,
  async (context, { target: { id }, query: { version, offset = 0, limit = contract.PAGE } }) => {
    const found = await context.read((tx) => saidIn(tx, id, version, offset, limit));
    const { count } = found[0] ?? refuse("not_found");
    const items: ReturnType<typeof hydrated>[] = [];
    for (const said of found) if (said.source) items.push(hydrated(said.source, await textOf(context, said)));
    const next = offset + items.length;
    return {
      collection_id: id,
      version,
      offset,
      count,
      next_offset: items.length > 0 && next < count ? next : null,
      items,
    };
  },
);
