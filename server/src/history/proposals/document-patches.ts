// Document patches: drafted against an exact revision, rebased onto a later one if nothing overlaps, and read at an
// exact version. A worker thread parses contents before the transaction. No operation here writes a Document.
import * as contract from "@svc/contract/history/proposals/document-patches.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { compare, patch } from "../../knowledge/documents/content/parsing.ts";
import { requireReferences } from "../../knowledge/documents/content/references.ts";
import { settle } from "../../platform/kernel/context.ts";
import { type Access, implement, implementWithEffects } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { newId } from "../../platform/wire/ids.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";
import { requireRoom } from "./access.ts";
import * as store from "./patch-store.ts";

const own: Access<store.PatchTarget> = {
  reach: "membership",
  load: (tx, { id }) => store.newestPatch(tx, id as string),
  permits: () => true,
};

const shown = (row: { json: string }) => render(row, ["document_patch:draft"]);
const overlapping = (conflicts: readonly number[]): never =>
  refuse("document_patch_conflict", {
    errors: conflicts.map((edit) => ({
      pointer: `/body/edits/${edit}`,
      code: "overlaps",
      detail: "what it touches has changed since the revision that it was made against",
    })),
  });
const newerVersion = (newest: number) => refuse("revision_conflict", { current_revision: String(newest) });
const unseen = () => refuseAt("/body/document_id", "not_found", "must be a Document that you see");

export const draftDocumentPatch = implementWithEffects(
  contract.draftDocumentPatch,
  workspace("workspace:read"),
  async (context, { body }) => {
    const { document_id, base_revision, patch_id, version } = body;
    const { workspaceId } = context.member;
    if ((patch_id === undefined) !== (version === undefined))
      refuseAt(
        `/body/${patch_id ? "version" : "patch_id"}`,
        "invalid_request",
        "must be sent with the other one",
        "required",
      );
    if (!patch_id && !body.edits) refuseAt("/body/edits", "invalid_request", "must say what to change", "required");
    const last = patch_id ? await context.read((tx) => store.newestPatch(tx, patch_id)) : null;
    if (last === undefined) return refuseAt("/body/patch_id", "not_found", "must be a patch of yours");
    if (last && last.document_id !== document_id) return unseen();
    if (last && last.newest !== version) return newerVersion(last.newest);
    const moves = last && !body.edits ? last.base_revision : null;
    const said = await context.read((tx) => store.readSaid(tx, document_id, base_revision, moves));
    if (!said) return unseen();
    const { content, markdown } = said;
    if (content === null || markdown === null)
      return refuseAt("/body/base_revision", "invalid_reference", "must be a revision of what the Document says");
    const edits = body.edits ?? last?.edits ?? [];
    const made = await patch(said.before ?? content, said.before === null ? null : content, edits, workspaceId);
    if ("conflicts" in made) return overlapping(made.conflicts);
    const over = { id: document_id, revision: base_revision };
    const forms = await requireReferences(context.read, made.forms, { over, pointer: "/body/edits" }, workspaceId);
    const compared = await compare(
      { name: `revision ${base_revision}`, content, markdown },
      { name: "patch", content: forms.content, markdown: forms.markdown },
      workspaceId,
    );
    const draft = { id: patch_id ?? newId(), documentId: document_id, version: (version ?? 0) + 1, base_revision };
    return context.finish(async ({ tx }) => {
      const [, kept] = await settle([
        requireRoom(tx, "document_patches"),
        store.keepDraft(tx, { ...draft, edits: made.edits, ...forms, ...compared }),
      ]);
      if (kept) return shown(kept);
      const newest = await store.newestPatch(tx, draft.id);
      return newest ? newerVersion(newest.newest) : unseen();
    });
  },
);

export const getDocumentPatch = implement(contract.getDocumentPatch, own, async ({ tx }, { target, query }) =>
  shown((await store.readPatch(tx, target.id, query.version)) ?? refuse("not_found")),
);
