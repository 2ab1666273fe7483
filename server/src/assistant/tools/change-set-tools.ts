// Tools for changes that a person decides: bulk or destructive ones. An assistant proposes the exact changes, its
// person reviews them in a browser, and only then they can be applied, once and as a whole. No tool approves. A service
// has no person, and none of these tools.
import Type from "typebox";
import { closed, Id, reads, text, Version } from "./arguments.ts";
import { unnamed } from "./names.ts";
import { changesOf, looksUpChanges, ProposedChange } from "./proposals.ts";
import { type Tool, tool } from "./tool.ts";
import { compact, More, repetition, UNTRUSTED, Untrusted, Written, written } from "./tool-output.ts";

const decides = { readOnlyHint: false, destructiveHint: true, idempotentHint: true };
const drafts = { ...decides, destructiveHint: false };
const proposes = ["svc:write", "svc:change_sets:write"];

const Shown = Type.Object({
  ...Untrusted,
  id: Type.String(),
  version: Type.Integer(),
  digest: Type.String(),
  state: Type.String(),
  review_url: Type.String(),
  changes: Type.Array(Type.Object({ action: Type.String() })),
  ...Written.properties,
  more: More,
});
const NEXT: Record<string, string> = {
  draft: "Some changes would be refused: mend them and propose again with id and version.",
  proposed: "Nothing has happened yet. Ask the person to review it at review_url, then call apply_change_set.",
  approved: "Call apply_change_set.",
  stale: "Read again what moved, and propose again with id and version.",
};
type Row = Record<string, unknown>;
/** Replaces ids by names, if known. */
function changeSetShown(set: Row, origin: string) {
  const names = set.names as Record<string, string>;
  const named = (value: unknown): unknown =>
    typeof value === "string" ? (names[value] ?? value) : Array.isArray(value) ? value.map(named) : value;
  const fieldsOf = (row: unknown) =>
    row &&
    compact(
      Object.fromEntries(Object.entries(row as Row).map(([name, value]) => [name.replace(/_ids?$/, ""), named(value)])),
    );
  return {
    ...UNTRUSTED,
    id: set.id,
    version: set.version,
    digest: set.digest,
    state: set.state,
    review_url: origin + set.review_url,
    changes: (set.changes as Row[]).map((change) =>
      compact({
        action: change.action,
        about: named(change.task_id ?? change.project_id ?? change.document_id),
        before: fieldsOf(change.before),
        after: fieldsOf(change.after),
        effects: (change.effects as Row[]).map(({ action, id }) => compact({ action, on: named(id) })),
        refusal: (change.refusal as Row | null)?.detail,
      }),
    ),
    ...compact({ command: set.receipt_id, more: NEXT[set.state as string] }),
  };
}

const proposeChanges = tool({
  name: "propose_changes",
  description: "Propose changes for the person to review first. For anything bulk or destructive.",
  operations: ["proposeChangeSet", ...looksUpChanges],
  scopes: proposes,
  human: true,
  annotations: drafts,
  input: Type.Object(
    {
      title: text(200),
      reason: Type.Optional(text(4000)),
      changes: Type.Array(ProposedChange, { minItems: 1, maxItems: 100 }),
      id: Type.Optional({ ...Id, description: "With version: replaces that proposal" }),
      version: Type.Optional(Version),
    },
    closed,
  ),
  output: Shown,
  async run(context, args) {
    const { title, reason, id, version } = args;
    const changes = await changesOf(context, args.changes);
    const done = await context.call("proposeChangeSet", {
      body: { title, reason, changes, change_set_id: id, version },
      key: await context.key(),
    });
    const shown = changeSetShown(done.body, context.origin);
    return { ...shown, ...repetition(done, shown.more) };
  },
});

const getChangeSet = tool({
  name: "get_change_set",
  description: "Read a proposal: its state, and what would change.",
  operations: ["getChangeSet"],
  scopes: ["svc:read", "svc:change_sets:read", ...proposes],
  human: true,
  annotations: reads,
  input: Type.Object({ id: Id, version: Version }, closed),
  output: Shown,
  run: async ({ call, origin }, { id, version }) =>
    changeSetShown((await call("getChangeSet", { params: { id }, query: { version } })).body, origin),
});

const applyChangeSet = tool({
  name: "apply_change_set",
  description: "Apply a proposal that the person has approved: all of it, once, or nothing.",
  operations: ["applyChangeSet"],
  scopes: proposes,
  human: true,
  annotations: decides,
  input: Type.Object({ id: Id, version: Version, digest: Type.String({ pattern: "^[0-9a-f]{64}$" }) }, closed),
  output: Shown,
  async run({ call, origin, key }, args) {
    const { id, version, digest } = args;
    const body = { change_set_id: id, version, digest };
    const done = await call("applyChangeSet", { body, key: await key() });
    const shown = changeSetShown(done.body, origin);
    return { ...shown, ...written(done, shown.more) };
  },
});

export const patchDocument = tool({
  name: "patch_document",
  description: "Draft edits of a Document at the content_revision that you read. Name the patch in propose_changes.",
  operations: ["getDocumentByPath", "draftDocumentPatch"],
  scopes: ["svc:write", "svc:documents:write"],
  human: true,
  annotations: drafts,
  input: Type.Object(
    {
      path: text(2000),
      revision: text(18, "content_revision"),
      edits: Type.Optional(
        Type.Array(
          Type.Object(
            {
              find: text(262_144, "Markdown that stands there exactly once"),
              replace: Type.String({ maxLength: 262_144 }),
            },
            closed,
          ),
          { minItems: 1, maxItems: 100 },
        ),
      ),
      markdown: Type.Optional(Type.String({ maxLength: 262_144, description: "All of it, in place of edits" })),
      patch: Type.Optional({ ...Id, description: "With version alone: puts it on this revision" }),
      version: Type.Optional(Version),
    },
    closed,
  ),
  output: Type.Object({ ...Untrusted, patch: Type.String(), version: Type.Integer(), diff: Type.String(), more: More }),
  async run({ call, key }, args) {
    const { path, revision, edits, markdown, patch, version } = args;
    if (edits && markdown !== undefined) unnamed("markdown", "stands in place of edits: leave one of them out");
    const document = (await call("getDocumentByPath", { params: { document_path: path } })).body;
    const rewritten = markdown === undefined ? undefined : [{ action: "rewrite", markdown }];
    const sent = edits?.map((edit) => ({ action: "find_replace", ...edit })) ?? rewritten;
    const done = await call("draftDocumentPatch", {
      body: { document_id: document.id, base_revision: revision, edits: sent, patch_id: patch, version },
      key: await key(),
    });
    const { id, version: drafted, markdown_diff, moved_on, current_revision } = done.body;
    const moved = `The Document is at ${current_revision} now: call again with that revision, patch and version.`;
    return {
      ...UNTRUSTED,
      ...compact({ patch: id, version: drafted, diff: markdown_diff }),
      ...repetition(done, moved_on ? moved : null),
    };
  },
});

export const changingTools: readonly Tool[] = [patchDocument, proposeChanges, getChangeSet, applyChangeSet];
