// Lists and creates workflow steps: Statuses and Project states alike.
import type { NewStep } from "@svc/contract/planning/projects/steps.ts";
import type { Static } from "typebox";
import type { Queries } from "../../../platform/database/db.ts";
import type { Context, ListRow } from "../../../platform/kernel/implement-operation.ts";
import { render } from "../../../platform/kernel/view.ts";
import { NIL, newId } from "../../../platform/wire/ids.ts";
import { refuse, refuseAt } from "../../../platform/wire/problem.ts";
import type { InProject } from "../access.ts";
import { advanceDefinition, type StoredStep, sqlOf } from "./step-store.ts";
import { stepCapabilities, type Workflow } from "./workflow.ts";

type Page = { after: readonly unknown[] | null; limit: number };
/** Steps in workflow order (category, then position): those of the Workspace, or all that apply to a Project. */
export function listSteps(tx: Queries, workflow: Workflow, { after, limit }: Page, projectId?: string) {
  const { listWorkspace, listProject } = sqlOf(workflow);
  const from = [after?.[0] ?? 0, after?.[1] ?? 0, after?.[2] ?? NIL, limit + 1];
  return projectId === undefined
    ? tx.rows<ListRow>(listWorkspace, from)
    : tx.rows<ListRow>(listProject, [...from, projectId]);
}

export function refuseReference(pointer: string, detail: string): never {
  return refuseAt(pointer, "invalid_reference", detail);
}

/** The fields to change; an acknowledgement alone changes none. */
export function fieldsOf(sent: Record<string, unknown>, where: "body" | "query" = "body"): string[] {
  const fields = Object.keys(sent).filter((field) => field !== "acknowledged");
  const fault = { pointer: `/${where}`, code: "nothing_to_change", detail: "must change something" };
  return fields.length > 0 ? fields : refuse("invalid_request", { errors: [fault] });
}

type Created = { [Field in keyof StoredStep]: StoredStep[Field] | null } & { staged: boolean };
/**
 * Creates a step of the Workspace or of this Project. Creations serialize on the definition row, because two concurrent
 * ones could otherwise both pass the limit.
 */
export async function createStep(
  workflow: Workflow,
  context: Context,
  body: Static<typeof NewStep>,
  project: ({ id: string } & InProject) | null = null,
) {
  const { tx, member, record } = context;
  const id = newId();
  const values = [member.workspaceId, id, body.name, body.category, body.color ?? null, body.stage_id ?? null];
  const [, { json, revision, staged }] = await Promise.all([
    advanceDefinition(tx, member.workspaceId, workflow.kind),
    project
      ? tx.one<Created>(sqlOf(workflow).create[1], [...values, project.id])
      : tx.one<Created>(sqlOf(workflow).create[0], values),
  ]);
  if (!staged)
    return refuseReference(
      `/body/${body.stage_id ? "stage_id" : "category"}`,
      "must be a stage of this kind and category",
    );
  if (json === null || revision === null) return refuse("limit_reached");
  record(workflow.events.created({ kind: workflow.noun, id, projectId: project?.id }, { name: body.name }));
  const { id: project_id = null, project_role = null } = project ?? {};
  const made = { project_id, project_role, project_archived: false, archived: false };
  return render({ json, revision }, stepCapabilities(workflow, context, made));
}
