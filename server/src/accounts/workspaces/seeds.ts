// Seed data of every Workspace: the lifecycle of each kind, and the Statuses and Project states bound to its stages.
import { defaultBehaviors, type LifecycleKind } from "@svc/contract/planning/lifecycle/behaviors.ts";
import { newId } from "../../platform/wire/ids.ts";

type Category = "backlog" | "unstarted" | "started" | "completed" | "cancelled";
interface Stage {
  name: string;
  category: Category;
  /** Name of the Status or Project state bound to the stage. */
  bound?: string;
  review?: true;
}

const lifecycles: Record<LifecycleKind, { name: string; stages: readonly Stage[] }> = {
  task: {
    name: "Task lifecycle",
    stages: [
      { name: "Backlog", category: "backlog", bound: "Backlog" },
      { name: "Unstarted", category: "unstarted", bound: "Todo" },
      { name: "Started", category: "started", bound: "In Progress" },
      { name: "Review", category: "started", bound: "In Review", review: true },
      { name: "Completed", category: "completed", bound: "Done" },
      { name: "Cancelled", category: "cancelled", bound: "Cancelled" },
    ],
  },
  project: {
    name: "Project lifecycle",
    stages: [
      { name: "Backlog", category: "backlog", bound: "Backlog" },
      { name: "Planned", category: "unstarted", bound: "Planned" },
      { name: "Active", category: "started", bound: "In Progress" },
      { name: "Completed", category: "completed", bound: "Completed" },
      { name: "Cancelled", category: "cancelled", bound: "Cancelled" },
    ],
  },
  milestone: {
    name: "Milestone lifecycle",
    stages: [
      { name: "Planned", category: "unstarted" },
      { name: "Active", category: "started" },
      { name: "Completed", category: "completed" },
      { name: "Cancelled", category: "cancelled" },
    ],
  },
};

/** Rows per table, with new ids. */
export function seeds() {
  const bound = (kind: LifecycleKind) =>
    made
      .filter((stage) => stage.kind === kind && stage.bound !== undefined)
      .map(({ id, bound, category, position }) => ({ id: newId(), stage_id: id, name: bound, category, position }));
  const definitions = Object.entries(lifecycles).map(([kind, { name, stages }]) => ({
    id: newId(),
    kind: kind as LifecycleKind,
    name,
    stages,
  }));
  const made = definitions.flatMap(({ id, kind, stages }) =>
    stages.map(({ review, ...stage }, index) => ({
      ...stage,
      ...defaultBehaviors(kind, stage.category, review),
      id: newId(),
      kind,
      definition_id: id,
      position: (index + 1) * 1024,
    })),
  );
  const states = bound("project");
  const planned = states.find(({ category }) => category === "unstarted")?.id ?? null;
  return {
    definitions: definitions.map(({ id, kind, name }) => ({
      id,
      kind,
      name,
      default_state_id: kind === "project" ? planned : null,
    })),
    stages: made,
    statuses: bound("task"),
    states,
  };
}
