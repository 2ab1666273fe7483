// Translates the changes that an assistant proposes into the operation's input: ids instead of codes and names, and a
// change for each Task of a result set, at the captured revision.
import { RelationType } from "@svc/contract/planning/tasks/relations/relations.ts";
import Type from "typebox";
import { faultsIn } from "../../platform/wire/input/validation.ts";
import { Refusal } from "../../platform/wire/problem.ts";
import { Code, closed, Id, Key, ResultSet, text, Version } from "./arguments.ts";
import { looksUp, type NamedTask, projectId, taskNamed } from "./names.ts";
import type { OperationCaller } from "./operation-calls.ts";
import type { ToolContext } from "./tool.ts";
import { bodyOf, fields } from "./write-tools.ts";

/** Operations that look up the parts of a change. */
export const looksUpChanges = ["hydrateTaskResultSet", ...looksUp];
const MOST_CHANGES = 100;

type Row = Record<string, unknown>;
const Day = Type.Optional(Type.String({ format: "date" }));
const Sets = {
  create: Type.Object({ title: text(500), ...fields }, closed),
  update: Type.Object({ title: Type.Optional(text(500)), ...fields }, closed),
  relate: Type.Object({ type: RelationType, to: Code }, closed),
  milestone: Type.Object(
    { name: text(200), description: Type.Optional(Type.String()), start_date: Day, target_date: Day },
    closed,
  ),
  correct_time: Type.Object(
    { duration: Type.Optional(text(128)), date: Day, note: Type.Optional(Type.String()) },
    closed,
  ),
};

const actions = [
  ...["create", "update", "move", "trash", "restore", "comment", "relate", "milestone"],
  ...["correct_time", "void_time", "patch"],
] as const;
export const ProposedChange = Type.Object(
  {
    action: Type.Enum([...actions]),
    code: Type.Optional({ ...Code, description: "Task; not with create, milestone, patch, time" }),
    result_set: Type.Optional({ ...ResultSet, description: "In place of code and revision: each Task of it" }),
    revision: Type.Optional(text(19, "For update, move, trash, restore, time")),
    project: Type.Optional(Key("For create, move, milestone")),
    set: Type.Optional(
      Type.Unsafe<Row>({
        type: "object",
        description:
          "For create, update: the Task's fields; relate: type, to; milestone: name, target_date; correct_time: " +
          "duration, date, note",
      }),
    ),
    markdown: Type.Optional(text(262_144, "For comment")),
    entry: Type.Optional({ ...Id, description: "For time" }),
    patch: Type.Optional({ ...Id, description: "For patch: a drafted patch" }),
    patch_version: Type.Optional(Version),
    reason: Type.Optional(text(500)),
  },
  closed,
);
type Change = Type.Static<typeof ProposedChange>;

const refused = (at: number, name: string, code: string, detail: string): never => {
  throw new Refusal("invalid_request", { errors: [{ pointer: `/body/changes/${at}/${name}`, code, detail }] });
};

/** Reader of one proposed change: its required parts, with a pointer if one is missing. */
function reading(change: Change, at: number) {
  return {
    needed: <Name extends keyof Change>(name: Name): NonNullable<Change[Name]> =>
      change[name] ?? refused(at, name, "required", "is needed for this action"),
    // biome-ignore lint/suspicious/noExplicitAny: it was checked against the schema of its action.
    set(action: keyof typeof Sets): any {
      const set = change.set ?? refused(at, "set", "required", "is needed for this action");
      const faults = faultsIn("body", Sets[action], set, JSON.stringify(set).length);
      const placed = faults.map((fault) => ({
        ...fault,
        pointer: fault.pointer.replace("/body", `/body/changes/${at}/set`),
      }));
      if (faults.length > 0) throw new Refusal("invalid_request", { errors: placed });
      return set;
    },
  };
}

interface Subject extends Pick<NamedTask, "id" | "project_id"> {
  /** Revision as captured, for a Task of a result set. */
  revision?: string;
}
async function subjectsOf(call: OperationCaller, change: Change, at: number): Promise<Subject[]> {
  const { result_set: saved } = change;
  if (!saved) {
    const { id, project_id } = await taskNamed(call, reading(change, at).needed("code"));
    return [{ id, project_id }];
  }
  for (const name of ["code", "revision"] as const)
    if (change[name] !== undefined)
      refused(at, name, "not_allowed", "is that of each Task of result_set: leave it out");
  const query = { version: saved.version, offset: 0 };
  const { body } = await call("hydrateTaskResultSet", { params: { id: saved.id }, query });
  if (body.count > MOST_CHANGES)
    refused(
      at,
      "result_set",
      "too_many",
      `has ${body.count} Tasks, and a proposal at most 100 changes: save a narrower one`,
    );
  const hidden = body.items.filter(({ task }: Row) => task === null).length;
  if (hidden > 0)
    refused(
      at,
      "result_set",
      "unavailable",
      `has ${hidden} Tasks that are gone, or that you cannot read: save it anew`,
    );
  return body.items.map(({ id, revision, task }: Row) => ({ id, revision, project_id: (task as Row).project_id }));
}

async function ofTask(context: ToolContext, change: Change, at: number, subject: Subject): Promise<Row> {
  const { call } = context;
  const { action } = change;
  const { needed, set } = reading(change, at);
  const about = { task_id: subject.id };
  if (action === "comment") return { action: "comment.create", ...about, set: { markdown: needed("markdown") } };
  if (action === "relate") {
    const { type, to } = set("relate");
    const related_task_id = (await taskNamed(call, to)).id;
    return { action: "relation.create", ...about, set: { type, related_task_id } };
  }
  const exact = { ...about, revision: subject.revision ?? needed("revision") };
  if (action === "update")
    return { action: "task.update", ...exact, set: await bodyOf(context, subject.project_id, set("update")) };
  if (action === "move")
    return { action: "task.move", ...exact, set: { project_id: await projectId(call, needed("project")) } };
  return { action: `task.${action}`, ...exact };
}

/** Change without a Task; null: the change is about Tasks. */
async function ofItself(context: ToolContext, change: Change, at: number): Promise<Row | null> {
  const { needed, set } = reading(change, at);
  const project = () => projectId(context.call, needed("project"));
  switch (change.action) {
    case "create": {
      const project_id = await project();
      return { action: "task.create", project_id, set: await bodyOf(context, project_id, set("create")) };
    }
    case "milestone": {
      const { description, ...rest } = set("milestone");
      const said = description === undefined ? rest : { ...rest, description_markdown: description };
      return { action: "milestone.create", project_id: await project(), set: said };
    }
    case "correct_time": {
      const { date, ...rest } = set("correct_time");
      const said = date === undefined ? rest : { ...rest, work_date: date };
      return { action: "time_entry.update", entry_id: needed("entry"), revision: needed("revision"), set: said };
    }
    case "void_time":
      return { action: "time_entry.delete", entry_id: needed("entry"), revision: needed("revision") };
    case "patch":
      return { action: "document.patch", patch_id: needed("patch"), version: needed("patch_version") };
    default:
      return null;
  }
}

/** Caches lookups across the changes of a proposal. */
function remembering(call: OperationCaller): OperationCaller {
  const known = new Map<string, ReturnType<OperationCaller>>();
  return (operation, asked) => {
    const key = JSON.stringify([operation, asked]);
    const found = known.get(key) ?? call(operation, asked);
    known.set(key, found);
    return found;
  };
}

/** Changes in the operation's form. */
export async function changesOf(context: ToolContext, said: readonly Change[]): Promise<Row[]> {
  const known = { ...context, call: remembering(context.call) };
  const changes: Row[] = [];
  for (const [at, change] of said.entries()) {
    if (at > 0 && at % 10 === 0) await context.step(`Looked up ${at} changes`);
    const { reason } = change;
    const own = await ofItself(known, change, at);
    if (own && change.result_set) refused(at, "result_set", "not_allowed", "goes with what is done to Tasks");
    if (own) changes.push({ ...own, reason });
    else
      for (const subject of await subjectsOf(known.call, change, at))
        changes.push({ ...(await ofTask(known, change, at, subject)), reason });
  }
  if (changes.length > MOST_CHANGES)
    refused(
      said.length - 1,
      "result_set",
      "too_many",
      `makes ${changes.length} changes, and a proposal has at most 100`,
    );
  return changes;
}
