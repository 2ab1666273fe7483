// Maps a change as sent to its operation. Faults against the operation's declaration are reported here, with a pointer
// into the change; everything else is left to the operation itself.
import { type ActionName, actionOf, places } from "@svc/contract/history/proposals/actions.ts";
import { takesIfMatch } from "@svc/contract/kit.ts";
import { replaceDocumentMarkdown } from "@svc/contract/knowledge/documents/content/content.ts";
import { content } from "../../knowledge/documents/content/access.ts";
import { type Context, type Implementation, implement } from "../../platform/kernel/implement-operation.ts";
import type { NestedRequest } from "../../platform/kernel/nested-operation.ts";
import { type Shape, spelled } from "../../platform/wire/input/spelling.ts";
import { faultsIn } from "../../platform/wire/input/validation.ts";
import { type Fault, refuse } from "../../platform/wire/problem.ts";
import { writePatch } from "./patch-change.ts";
import type { WrittenPatch } from "./patch-store.ts";
import type { ChangeFields, ChangeInput } from "./rules.ts";

const patching = implement(
  replaceDocumentMarkdown,
  content("documents:write", "markdown"),
  async (context, { target, body }) => {
    const patch = body as WrittenPatch;
    return { markdown: patch.markdown, ...(await writePatch(context, target, patch)) };
  },
);

const OWN_FIELDS = [...places, "patch_id", "version", "revision", "set"] as const;
type Field = (typeof OWN_FIELDS)[number];

/** The fields that an action accepts. */
function fieldsOf(action: ActionName): Set<Field> {
  const { at, operation } = actionOf(action);
  if (at === "patch_id") return new Set(["patch_id", "version"]);
  const taken: (Field | false)[] = [at, takesIfMatch(operation) && "revision", !!operation.schemas.body && "set"];
  return new Set(taken.filter((field) => field !== false));
}

/** Limit large enough to validate a value that far exceeds its own limit. */
const LARGE = 1_000_000;
function faultsOfSet({ action, set }: ChangeInput): Fault[] {
  const { operation, only } = actionOf(action);
  const schema = operation.schemas.body;
  if (!schema || set === undefined) return [];
  const others = only ? Object.keys(set).filter((field) => field !== only) : [];
  const beside = others.map((field) => ({
    pointer: `/body/${field}`,
    code: "unknown_field",
    detail: `${action} changes ${only} alone; use task.update`,
  }));
  return [...beside, ...faultsIn("body", schema, set, LARGE)].map((fault) => ({
    ...fault,
    pointer: fault.pointer.replace(/^\/body/, "/set"),
  }));
}

function faultsOf(change: ChangeInput): Fault[] {
  const taken = fieldsOf(change.action);
  const wrong = OWN_FIELDS.flatMap((field): Fault[] => {
    const sent = change[field] !== undefined;
    if (sent === taken.has(field)) return [];
    return sent
      ? [{ pointer: `/${field}`, code: "unknown_field", detail: `is not a field of ${change.action}` }]
      : [{ pointer: `/${field}`, code: "required", detail: `is what ${change.action} needs` }];
  });
  return [...wrong, ...faultsOfSet(change)];
}

/**
 * The id of the existing resource that a change modifies. A ChangeSet may modify it only once, because the change names
 * the revision before it.
 */
const changed = ({ action, ...change }: ChangeInput): string | undefined => {
  const { at, operation } = actionOf(action);
  return takesIfMatch(operation) ? (change[at] as string) : undefined;
};

const MOST_FAULTS = 50;
/**
 * Returns the changes in canonical spelling. Refuses all of them if the declaration of an operation does not allow one.
 */
export function requireChanges(changes: readonly ChangeInput[]): ChangeInput[] {
  const seen = new Set<string>();
  const faults = changes.flatMap((change, at) => {
    const found = faultsOf(change);
    const id = changed(change);
    if (id !== undefined && seen.has(id))
      found.push({
        pointer: `/${actionOf(change.action).at}`,
        code: "repeated",
        detail: "is changed by an earlier change: make one of both, or propose this one afterwards",
      });
    if (id !== undefined) seen.add(id);
    return found.map((fault) => ({ ...fault, pointer: `/body/changes/${at}${fault.pointer}` }));
  });
  if (faults.length > 0) refuse("invalid_request", { errors: faults.slice(0, MOST_FAULTS) });
  return changes.map((change) => {
    const schema = actionOf(change.action).operation.schemas.body;
    return change.set && schema ? { ...change, set: spelled(schema as Shape, change.set) as ChangeFields } : change;
  });
}

/** Adds the Document and the base revision of each patch. A ChangeSet may modify each Document only once. */
export function withDocuments(changes: readonly ChangeInput[], patches: readonly WrittenPatch[]): ChangeInput[] {
  const seen = new Set<string>();
  const faults: Fault[] = [];
  const known = changes.map((change, at) => {
    if (change.patch_id === undefined) return change;
    const patch = patches.find(({ id, version }) => id === change.patch_id && version === change.version);
    const pointer = `/body/changes/${at}/patch_id`;
    if (!patch) faults.push({ pointer, code: "not_found", detail: "must be a patch of yours, at this version" });
    else if (seen.has(patch.document_id))
      faults.push({ pointer, code: "repeated", detail: "is of a Document that an earlier change changes" });
    if (patch) seen.add(patch.document_id);
    return { ...change, document_id: patch?.document_id, revision: patch?.base_revision };
  });
  const missing = faults.some(({ code }) => code === "not_found");
  if (faults.length > 0) refuse(missing ? "not_found" : "invalid_request", { errors: faults });
  return known;
}
export const pinsOf = (changes: readonly ChangeInput[]) =>
  changes.flatMap(({ patch_id, version }) => (patch_id && version ? [{ id: patch_id, version }] : []));

export interface Planned {
  change: ChangeInput;
  implementation: Implementation;
  step: NestedRequest;
}
/** Resolves the operation of each change. Without the patches, the plan can only load targets. */
export function plan(
  { implementationOf }: Pick<Context, "implementationOf">,
  changes: readonly ChangeInput[],
  patches: readonly WrittenPatch[] = [],
): Planned[] {
  return changes.map((change) => {
    const { operation, at } = actionOf(change.action);
    const { revision } = change;
    if (at !== "patch_id") {
      const step = { params: { [at]: change[at] as string }, body: change.set, revision };
      return { change, implementation: implementationOf(operation), step };
    }
    const body = patches.find(({ id, version }) => id === change.patch_id && version === change.version);
    return {
      change,
      implementation: patching,
      step: { params: { document_id: change.document_id as string }, body, revision },
    };
  });
}
