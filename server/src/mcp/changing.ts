// Tools for what a person decides: many changes at once, or such as destroy something. An assistant proposes exactly what would be done, its person
// reviews that in a browser, and only then it can be applied, once and whole. No tool approves. A service has no person, and none of these.
import Type from "typebox";
import { Refusal } from "../wire/problem.ts";
import { faultsIn } from "../wire/validate.ts";
import { Code, closed, Key, reads, text } from "./arguments.ts";
import type { Call } from "./exchange.ts";
import { looksUp, projectId, taskNamed } from "./names.ts";
import { compact, keyOf, More, UNTRUSTED, Untrusted, Written, written } from "./shown.ts";
import { type Tool, type ToolContext, tool } from "./tool.ts";
import { bodyOf, fields } from "./writing.ts";

const Version = Type.Integer({ minimum: 1 });
const Id = Type.String({ format: "uuid" });
const decides = { readOnlyHint: false, destructiveHint: true, idempotentHint: true };
const drafts = { ...decides, destructiveHint: false };
const proposes = ["svc:write", "svc:change_sets:write"];

const NewTask = Type.Object({ title: text(500), ...fields }, closed);
const ChangedTask = Type.Object({ title: Type.Optional(text(500)), ...fields }, closed);

const actions = ["create", "update", "move", "trash", "restore", "comment", "patch"] as const;
interface Change {
  action: (typeof actions)[number];
  code?: string;
  project?: string;
  revision?: string;
  set?: Record<string, unknown>;
  markdown?: string;
  patch?: string;
  patch_version?: number;
  reason?: string;
}

/** What is looked up for one change is known for the others. */
function remembering(call: Call): Call {
  const known = new Map<string, ReturnType<Call>>();
  return (operation, asked) => {
    const key = JSON.stringify([operation, asked]);
    const found = known.get(key) ?? call(operation, asked);
    known.set(key, found);
    return found;
  };
}

const missing = (at: number, name: string): never => {
  throw new Refusal("invalid_request", {
    errors: [{ pointer: `/body/changes/${at}/${name}`, code: "required", detail: "is needed for this action" }],
  });
};

/** As the operation takes it: ids in place of codes and names. */
async function changeOf(context: ToolContext, change: Change, at: number) {
  const { call } = context;
  const { action, reason, revision } = change;
  const given = (schema: Type.TObject) => {
    const set = change.set ?? missing(at, "set");
    const faults = faultsIn("body", schema, set, JSON.stringify(set).length);
    const placed = faults.map((fault) => ({
      ...fault,
      pointer: fault.pointer.replace("/body", `/body/changes/${at}/set`),
    }));
    if (faults.length > 0) throw new Refusal("invalid_request", { errors: placed });
    return set;
  };
  if (action === "patch") {
    const patch = {
      patch_id: change.patch ?? missing(at, "patch"),
      version: change.patch_version ?? missing(at, "patch_version"),
    };
    return { action: "document.patch", ...patch, reason };
  }
  if (action === "create") {
    const project_id = await projectId(call, change.project ?? missing(at, "project"));
    return { action: "task.create", project_id, set: await bodyOf(context, project_id, given(NewTask)), reason };
  }
  const task = await taskNamed(call, change.code ?? missing(at, "code"));
  const about = { task_id: task.id, reason };
  if (action === "comment")
    return { action: "comment.create", ...about, set: { markdown: change.markdown ?? missing(at, "markdown") } };
  const exact = { ...about, revision: revision ?? missing(at, "revision") };
  if (action === "update")
    return { action: "task.update", ...exact, set: await bodyOf(context, task.project_id, given(ChangedTask)) };
  if (action === "move")
    return {
      action: "task.move",
      ...exact,
      set: { project_id: await projectId(call, change.project ?? missing(at, "project")) },
    };
  return { action: `task.${action}`, ...exact };
}

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
/** With names in place of the ids that it knows a name of. */
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
    ...{ id: set.id, version: set.version, digest: set.digest, state: set.state },
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
  description:
    "Propose 1 to 100 changes for the person to review; nothing happens before that. For anything bulk or destructive.",
  operations: ["proposeChangeSet", ...looksUp],
  scopes: proposes,
  human: true,
  annotations: drafts,
  input: Type.Object(
    {
      title: text(200),
      reason: Type.Optional(text(4000)),
      changes: Type.Array(
        Type.Object(
          {
            action: Type.Enum([...actions]),
            code: Type.Optional({ ...Code, description: "Task; not with create, patch" }),
            revision: Type.Optional(text(19, "For update, move, trash, restore")),
            project: Type.Optional(Key("For create, move")),
            set: Type.Optional(
              Type.Unsafe<Row>({
                type: "object",
                description: "For create, update: arguments of create_task or update_task",
              }),
            ),
            markdown: Type.Optional(text(262_144, "For comment")),
            patch: Type.Optional({ ...Id, description: "For patch: of patch_document" }),
            patch_version: Type.Optional(Version),
            reason: Type.Optional(text(500)),
          },
          closed,
        ),
        { minItems: 1, maxItems: 100 },
      ),
      id: Type.Optional({ ...Id, description: "With version: replaces that proposal" }),
      version: Type.Optional(Version),
    },
    closed,
  ),
  output: Shown,
  async run(context, args) {
    const { title, reason, id, version } = args;
    const known = { ...context, call: remembering(context.call) };
    const changes: object[] = [];
    for (const [at, change] of (args.changes as Change[]).entries()) {
      if (at > 0 && at % 10 === 0) await context.step(`Looked up ${at} changes`);
      changes.push(await changeOf(known, change, at));
    }
    const { body, repeated } = await context.call("proposeChangeSet", {
      body: { title, reason, changes, change_set_id: id, version },
      key: keyOf("propose_changes", args),
    });
    return { ...changeSetShown(body, context.origin), ...compact({ repeated: repeated || null }) };
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
  async run({ call, origin }, args) {
    const { id, version, digest } = args;
    const body = { change_set_id: id, version, digest };
    const done = await call("applyChangeSet", { body, key: keyOf("apply_change_set", args) });
    return { ...changeSetShown(done.body, origin), ...written(done.commandId, done.repeated) };
  },
});

const patchDocument = tool({
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
      edits: Type.Array(
        Type.Object(
          {
            find: text(262_144, "Markdown that stands there exactly once"),
            replace: Type.String({ maxLength: 262_144 }),
          },
          closed,
        ),
        { minItems: 1, maxItems: 100 },
      ),
    },
    closed,
  ),
  output: Type.Object({ ...Untrusted, patch: Type.String(), version: Type.Integer(), diff: Type.String(), more: More }),
  async run({ call }, args) {
    const { path, revision, edits } = args;
    const document = (await call("getDocumentByPath", { params: { document_path: path } })).body;
    const sent = edits.map((edit) => ({ action: "find_replace", ...edit }));
    const { body } = await call("draftDocumentPatch", {
      body: { document_id: document.id, base_revision: revision, edits: sent },
      key: keyOf("patch_document", args),
    });
    return compact({
      ...UNTRUSTED,
      ...{ patch: body.id, version: body.version, diff: body.markdown_diff },
      more: body.moved_on ? `The Document is at ${body.current_revision} now: read it again and draft anew.` : null,
    });
  },
});

export const changingTools: readonly Tool[] = [patchDocument, proposeChanges, getChangeSet, applyChangeSet];
