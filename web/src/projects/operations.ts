// What each operation makes of a Project before the service has answered, and how Projects, Statuses, labels and Milestones are read again.
import type { Client } from "@svc/client";
import type { Change } from "../store/change.ts";
import type { Brought, Domain, Operation } from "../store/domain.ts";
import { orGone } from "../store/hints.ts";
import type { Label, Milestone, Project, Status } from "../store/rows.ts";

type Applied = Pick<Change, "input" | "guess" | "creates" | "madeAt">;

function create(_row: Project | undefined, { input, creates, madeAt }: Applied): Project {
  const now = new Date(madeAt).toISOString();
  return {
    ...{ id: creates as string, revision: "0", created_at: now, updated_at: now, description_markdown: "" },
    ...{ visibility: "workspace", state_id: null, icon: null, color: null, start_date: null, target_date: null },
    ...{ public_id: null, archived_at: null, lifecycle: null },
    ...(input as unknown as Pick<Project, "workspace_id" | "key" | "name">),
  };
}
function update(project: Project | undefined, { input, madeAt }: Applied): Project | undefined {
  const { project_id: _, archived, published: __, ...fields } = input;
  const now = new Date(madeAt).toISOString();
  return (
    project && {
      ...project,
      ...(fields as Partial<Project>),
      ...(archived !== undefined && { archived_at: archived ? now : null }),
      updated_at: now,
    }
  );
}

const project = (apply: Operation<Project>["apply"], more: Partial<Operation<Project>> = {}): Operation<never> =>
  ({ kind: "project", apply, ...more }) as unknown as Operation<never>;

const NO_PROGRESS = { total: 0, completed: 0, active: 0, awaiting_review: 0, cancelled: 0, percent: 0, capped: false };
function createMilestone(_row: Milestone | undefined, { input, guess, creates, madeAt }: Applied): Milestone {
  const now = new Date(madeAt).toISOString();
  return {
    ...{ id: creates as string, revision: "0", created_at: now, updated_at: now, workspace_id: "", code: "" as never },
    ...{ description_markdown: "", start_date: null, target_date: null, created_by_actor_id: "", stage_id: "" },
    ...{ lifecycle: {} as never, progress: NO_PROGRESS },
    ...(guess as object),
    ...(input as unknown as Pick<Milestone, "project_id" | "name">),
  };
}
function updateMilestone(row: Milestone | undefined, { input, madeAt }: Applied): Milestone | undefined {
  const { milestone_id: _, ...fields } = input;
  return row && { ...row, ...(fields as Partial<Milestone>), updated_at: new Date(madeAt).toISOString() };
}
const milestone = (apply: Operation<Milestone>["apply"], more: Partial<Operation<Milestone>> = {}): Operation<never> =>
  ({ kind: "milestone", apply, ...more }) as unknown as Operation<never>;

const now = (madeAt: number) => new Date(madeAt).toISOString();
const without = (input: Change["input"], ...names: string[]) =>
  Object.fromEntries(Object.entries(input).filter(([name]) => !names.includes(name)));
function createLabel(_row: Label | undefined, { input, creates, madeAt }: Applied): Label {
  return {
    ...{ id: creates as string, revision: "0", created_at: now(madeAt), updated_at: now(madeAt), project_id: null },
    ...{ color: "gray", description: null, purpose: "task", created_by_actor_id: "", workspace_id: "" },
    ...(input as unknown as Pick<Label, "name">),
  };
}
function createStatus(_row: Status | undefined, { input, guess, creates }: Applied): Status {
  return {
    ...{ id: creates as string, revision: "0", project_id: null, color: null, archived_at: null },
    ...{ position: 1_000_000, lifecycle: {} as never },
    ...(guess as object),
    ...(without(input, "workspace_id") as Pick<Status, "name" | "category">),
  };
}
const label = (apply: Operation<Label>["apply"], more: Partial<Operation<Label>> = {}): Operation<never> =>
  ({ kind: "label", apply, ...more }) as unknown as Operation<never>;
const status = (apply: Operation<Status>["apply"], more: Partial<Operation<Status>> = {}): Operation<never> =>
  ({ kind: "status", apply, ...more }) as unknown as Operation<never>;

export const projectsDomain: Domain = {
  operations: {
    createProject: project(create, { unmatched: true }),
    updateProject: project(update),
    createWorkspaceLabel: label(createLabel, { unmatched: true }),
    updateLabel: label((row, { input }) => row && { ...row, ...(without(input, "label_id") as Partial<Label>) }),
    deleteLabel: label(() => undefined, { took: async (_answer, { ids }) => ({ gone: { label: ids } }) }),
    createWorkspaceStatus: status(createStatus, { unmatched: true }),
    updateStatus: status(
      (row, { input }) => row && { ...row, ...(without(input, "status_id", "acknowledged") as Partial<Status>) },
    ),
    moveStatus: status((row, { guess }) => row && { ...row, ...(guess as Partial<Status>) }, { unmatched: true }),
    deleteStatus: status(() => undefined, { took: async (_answer, { ids }) => ({ gone: { status: ids } }) }),
    createMilestone: milestone(createMilestone, { unmatched: true }),
    updateMilestone: milestone(updateMilestone),
    deleteMilestone: milestone(() => undefined, { took: async (_answer, { ids }) => ({ gone: { milestone: ids } }) }),
  },
  read: {
    project: (api: Client, id: string) =>
      orGone(
        "project",
        id,
        api.getProject({ project_id: id }).then((row) => ({ project: [row] }) as unknown as Brought),
      ),
    status: (api, id) =>
      orGone(
        "status",
        id,
        api.getStatus({ status_id: id }).then((row) => ({ status: [row] }) as Brought),
      ),
    label: (api, id) =>
      orGone(
        "label",
        id,
        api.getLabel({ label_id: id }).then((row) => ({ label: [row] }) as Brought),
      ),
    milestone: (api, id) =>
      orGone(
        "milestone",
        id,
        api.getMilestone({ milestone_id: id }).then((row) => ({ milestone: [row] }) as Brought),
      ),
  },
};
