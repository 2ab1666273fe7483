// Optimistic updates of Projects, and how to refresh Projects, Statuses, labels and Milestones.
import type { Client } from "@svc/client";
import type { Brought, Domain, Operation } from "../store/domain.ts";
import { orGone } from "../store/hints.ts";
import type { QueuedChange } from "../store/queue/change.ts";
import type { Label, Milestone, Project, ProjectOrder, ProjectState, Shortcuts, Status } from "../store/rows.ts";

type Applied = Pick<QueuedChange, "input" | "guess" | "creates" | "madeAt">;

function create(_row: Project | undefined, { input, creates, madeAt }: Applied): Project {
  const now = new Date(madeAt).toISOString();
  return {
    id: creates as string,
    revision: "0",
    created_at: now,
    updated_at: now,
    description_markdown: "",
    visibility: "workspace",
    state_id: null,
    icon: null,
    color: null,
    start_date: null,
    target_date: null,
    public_id: null,
    archived_at: null,
    lifecycle: null,
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
    id: creates as string,
    revision: "0",
    created_at: now,
    updated_at: now,
    workspace_id: "",
    code: "" as never,
    description_markdown: "",
    start_date: null,
    target_date: null,
    created_by_actor_id: "",
    stage_id: "",
    lifecycle: {} as never,
    progress: NO_PROGRESS,
    number: 0,
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
const without = (input: QueuedChange["input"], ...names: string[]) =>
  Object.fromEntries(Object.entries(input).filter(([name]) => !names.includes(name)));
function createLabel(_row: Label | undefined, { input, creates, madeAt }: Applied): Label {
  return {
    id: creates as string,
    revision: "0",
    created_at: now(madeAt),
    updated_at: now(madeAt),
    project_id: null,
    color: "gray",
    description: null,
    purpose: "task",
    created_by_actor_id: "",
    workspace_id: "",
    ...(input as unknown as Pick<Label, "name">),
  };
}
function createStep<Row extends Status | ProjectState>(_row: Row | undefined, { input, guess, creates }: Applied): Row {
  return {
    id: creates as string,
    revision: "0",
    project_id: null,
    color: null,
    archived_at: null,
    position: 1_000_000,
    lifecycle: {} as never,
    ...(guess as object),
    ...(without(input, "workspace_id") as Pick<Status, "name" | "category">),
  } as unknown as Row;
}
/** Moves a step behind another one of its category. */
const moveStep = <Row extends Status | ProjectState>(row: Row | undefined, { guess }: Applied) =>
  row && { ...row, ...(guess as Partial<Row>) };
const updateStep = <Row extends Status | ProjectState>(row: Row | undefined, { input }: Applied) =>
  row && { ...row, ...(without(input, "status_id", "state_id", "acknowledged") as Partial<Row>) };
const label = (apply: Operation<Label>["apply"], more: Partial<Operation<Label>> = {}): Operation<never> =>
  ({ kind: "label", apply, ...more }) as unknown as Operation<never>;
const status = (apply: Operation<Status>["apply"], more: Partial<Operation<Status>> = {}): Operation<never> =>
  ({ kind: "status", apply, ...more }) as unknown as Operation<never>;
const state = (apply: Operation<ProjectState>["apply"], more: Partial<Operation<ProjectState>> = {}) =>
  ({ kind: "project_state", apply, ...more }) as unknown as Operation<never>;

/** Moves a Project behind another one, or first. */
function moved(row: ProjectOrder | undefined, { input }: Applied): ProjectOrder | undefined {
  const { project_id, after_id } = input as { project_id: string; after_id: string | null };
  const ids = (row?.ids ?? []).filter((id) => id !== project_id);
  return row && { ...row, ids: ids.toSpliced(after_id === null ? 0 : ids.indexOf(after_id) + 1, 0, project_id) };
}
/** Collects all pages of a list. */
export async function allOf<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of pages) found.push(item);
  return found;
}
/** Projects in the service's order, including those hidden by default, and the order itself. */
export async function orderedProjects(api: Client, workspace_id: string) {
  const project = await allOf(api.listProjects({ workspace_id, hidden: true, limit: 100 }));
  return { project, project_order: [{ id: workspace_id, ids: project.map(({ id }) => id) }] };
}

export const projectsDomain: Domain = {
  operations: {
    createProject: project(create, { unmatched: true }),
    updateProject: project(update),
    deleteProject: project(() => undefined, { took: async (_answer, { ids }) => ({ gone: { project: ids } }) }),
    moveProject: {
      kind: "project_order",
      apply: moved,
      unmatched: true,
      took: async (answer: Project, _change: QueuedChange, api: Client) => orderedProjects(api, answer.workspace_id),
    } as unknown as Operation<never>,
    replaceProjectShortcuts: {
      kind: "shortcuts",
      apply: (row: Shortcuts | undefined, { input }: Applied) =>
        row && { ...row, project_ids: input.project_ids as string[] },
      took: async (answer: Omit<Shortcuts, "id">, { ids: [id] }: QueuedChange) => ({ shortcuts: [{ ...answer, id }] }),
      inverse: ({ input, ids: [id], saw }: QueuedChange) => ({ ...input, ...saw[id as string] }),
    } as unknown as Operation<never>,
    createProjectState: state(createStep, { unmatched: true }),
    updateProjectState: state(updateStep),
    moveProjectState: state(moveStep, { unmatched: true }),
    deleteProjectState: state(() => undefined, {
      took: async (_answer, { ids }) => ({ gone: { project_state: ids } }),
    }),
    createWorkspaceLabel: label(createLabel, { unmatched: true }),
    createProjectLabel: label(createLabel, { unmatched: true }),
    updateLabel: label((row, { input }) => row && { ...row, ...(without(input, "label_id") as Partial<Label>) }),
    deleteLabel: label(() => undefined, { took: async (_answer, { ids }) => ({ gone: { label: ids } }) }),
    createWorkspaceStatus: status(createStep, { unmatched: true }),
    createProjectStatus: status(createStep, { unmatched: true }),
    updateStatus: status(updateStep),
    moveStatus: status(moveStep, { unmatched: true }),
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
    project_order: orderedProjects,
    shortcuts: async (api, workspace_id) => ({
      shortcuts: [{ ...(await api.getProjectShortcuts({ workspace_id })), id: workspace_id }],
    }),
    project_state: async (api, id) => {
      const { workspace_id } = await api.getMe();
      const states = await allOf(api.listProjectStates({ workspace_id: workspace_id as string, limit: 100 }));
      const isThere = states.some((each) => each.id === id);
      return { project_state: states, ...(!isThere && { gone: { project_state: [id] } }) };
    },
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
