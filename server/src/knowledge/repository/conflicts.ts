// Conflicts with the knowledge repository: listed and resolved. The choice is written to the Document, and the
// repository's version counts as seen: the next run exports the choice. Refused if the Document no longer is as the
// conflict shows it.
import * as contract from "@svc/contract/knowledge/repository/conflicts.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { managing } from "../../accounts/workspaces/rules.ts";
import { settle } from "../../platform/kernel/context.ts";
import {
  type Context,
  type EffectsContext,
  implementList,
  implementWithEffects,
} from "../../platform/kernel/implement-operation.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";
import { changeDocument } from "../documents/change.ts";
import type { StoredContent } from "../documents/store.ts";
import { type ConflictTarget, conflict, MANAGE } from "./access.ts";
import { change, fromTrash, take, toTrash } from "./change.ts";
import { repositoryConflictResolved } from "./events.ts";
import { pageNow } from "./exchange.ts";
import { contentOf } from "./file-content.ts";
import { type DocumentPage, InvalidFrontMatter, lastPart, parseFile, renderFile } from "./files/front-matter.ts";
import {
  askToLook,
  findDoc,
  findFile,
  findLabelsOf,
  forgetFiles,
  putFiles,
  resolveConflict,
  seeFile,
} from "./run-store.ts";
import * as store from "./store.ts";

export const listKnowledgeRepositoryConflicts = implementList(
  contract.listKnowledgeRepositoryConflicts,
  workspace(MANAGE),
  (tx, { page }) => store.listConflicts(tx, page),
);

/** The chosen content; null if the choice is removal. */
type Chosen = { page: DocumentPage; content: StoredContent } | null;

export const resolveKnowledgeRepositoryConflict = implementWithEffects(
  contract.resolveKnowledgeRepositoryConflict,
  conflict(),
  async (effects, { target, body }) => {
    const { choice, text } = body;
    if ((choice === "merged") !== (text !== undefined))
      refuseAt("/body/text", "invalid_resolution", "must be sent with merged, and only then");
    if (target.kind === "location" && choice === "merged")
      refuseAt("/body/choice", "invalid_resolution", "must be base, ours or theirs where it is about the place");
    const chosen =
      target.kind === "location"
        ? null
        : await readChosen(effects, target, choice === "merged" ? (text as string) : target[choice]);
    if (target.kind !== "removal" && target.kind !== "location" && chosen === null)
      refuseAt("/body/choice", "invalid_resolution", "must be a side that says something");
    return effects.finish(async (context) => {
      const { tx, member, record, defer } = context;
      const [row, found] = await settle([
        resolveConflict(tx, member.workspaceId, target.id, target.revision),
        lookAround(context, target),
      ]);
      if (!row) return refuse("repository_conflict_stale");
      defer(askToLook(tx, member.workspaceId));
      if (target.kind === "location") await moveTo(context, target, found, choice as "base" | "ours" | "theirs");
      else if (chosen === null) await letGo(context, target, found);
      else await keep(context, target, found, { ...chosen, isTheirs: choice === "theirs" });
      record(repositoryConflictResolved({ kind: "document", id: target.document_id }, { choice }));
      return { ...row, capabilities: managing(member.role, MANAGE) };
    });
  },
);

async function readChosen({ read, member }: EffectsContext, { document_id: id }: ConflictTarget, file: string | null) {
  if (file === null) return null;
  const { title, labels, body } = parsed(file);
  if (title === null) return refuseAt("/body/text", "invalid_resolution", "must have a title between its first lines");
  const { workspaceId } = member;
  const content = await contentOf(read, body, { workspaceId, over: { id, revision: "0" }, own: [] });
  if (!content) return refuseAt("/body/text", "invalid_resolution", "must be Markdown that a Document can hold");
  return { page: { id, title, labels: labels ?? [], body: lastPart(content.markdown) }, content };
}
function parsed(file: string) {
  try {
    return parseFile(file);
  } catch (error) {
    if (!(error instanceof InvalidFrontMatter)) throw error;
    return refuseAt("/body/text", "invalid_resolution", "must begin with lines that are understood");
  }
}

/** Reads both sides: the locked Document, and the last agreed version. */
async function lookAround(context: Context, { document_id: id }: ConflictTarget) {
  const { tx, member } = context;
  const { workspaceId } = member;
  const [target, doc, page, labels, file] = await settle([
    take(context, id),
    findDoc(tx, workspaceId, id),
    pageNow(tx, workspaceId, id),
    findLabelsOf(tx, workspaceId, id),
    findFile(tx, workspaceId, id),
  ]);
  return { target, doc, page, labels, file };
}
type Found = Awaited<ReturnType<typeof lookAround>>;

/** Returns the Document if it still is as the conflict shows it. */
function unchanged({ ours }: ConflictTarget, { doc, page }: Pick<Found, "doc" | "page">) {
  const before = page && renderFile(page);
  return doc && before && (ours === null || before === ours) ? { doc, before } : refuse("repository_conflict_stale");
}

type Kept = NonNullable<Chosen> & { isTheirs: boolean };
async function keep(context: Context, target: ConflictTarget, found: Found, kept: Kept): Promise<void> {
  const { tx, member, defer } = context;
  const { document_id: id, ours, theirs, theirs_oid, path } = target;
  const { workspaceId } = member;
  const { page: wanted, content, isTheirs } = kept;
  const lost = found.target;
  // The Document itself cannot be restored: the next run creates a new one from the file.
  if (ours === null && !lost?.trashed) {
    if (!isTheirs)
      refuseAt("/body/choice", "invalid_resolution", "must be theirs or ours: the Document itself cannot come back");
    return defer(forgetFiles(tx, workspaceId, [id]));
  }
  if (ours === null && lost) {
    await fromTrash(context, lost);
    return keep(context, { ...target, ours: "" }, { ...(await lookAround(context, target)) }, kept);
  }
  const { doc, before } = unchanged({ ...target, ours: ours || null }, found);
  if (!(await change(context, found.labels, { doc, target: lost, before, wanted, content })))
    refuse("repository_conflict_stale");
  if (theirs === null) return defer(forgetFiles(tx, workspaceId, [id]));
  const { file } = found;
  const { path: at, parent_id } = file ?? { path, parent_id: doc.parent_id };
  const seen = { document_id: id, oid: theirs_oid, base: theirs, path: at, parent_id };
  if (file) defer(seeFile(tx, workspaceId, seen));
  else defer(putFiles(tx, workspaceId, [{ ...seen, marked: true, revision: "0", content_revision: "0" }]));
}

/** Applies a removal to the side that still has the Document or file. */
async function letGo(context: Context, target: ConflictTarget, found: Found): Promise<void> {
  const { tx, member, defer } = context;
  const { document_id: id, ours, theirs, theirs_oid, path } = target;
  if (ours === null) {
    const seen = { document_id: id, path, parent_id: null, oid: theirs_oid, base: theirs ?? "" };
    return defer(seeFile(tx, member.workspaceId, seen));
  }
  unchanged(target, found);
  await toTrash(context, id);
  defer(forgetFiles(tx, member.workspaceId, [id]));
}

type Side = "base" | "ours" | "theirs";
async function moveTo(context: Context, target: ConflictTarget, found: Found, choice: Side): Promise<void> {
  const { tx, member, defer } = context;
  const { path, theirs_parent_id } = target;
  const { file, target: held } = found;
  if (!file || !held || held.trashed) return refuse("repository_conflict_stale");
  if (choice !== "ours")
    await changeDocument(context, held, { parent_id: choice === "theirs" ? theirs_parent_id : file.parent_id });
  defer(seeFile(tx, member.workspaceId, { ...file, path, parent_id: theirs_parent_id }));
}
