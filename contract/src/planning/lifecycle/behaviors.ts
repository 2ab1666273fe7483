// Behaviors of a lifecycle stage: their effects on the work in it. A behavior is data: code reads it from the stage and
// never derives it from a name or a category. A behavior that no code reads must not be added.
import Type, { type Static } from "typebox";
import { type Category, Id, object, Revision } from "../../types.ts";

export const kinds = ["task", "project", "milestone"] as const;
export type LifecycleKind = (typeof kinds)[number];
export const LifecycleKind = Type.Enum([...kinds]);

type Entry = { kinds: readonly LifecycleKind[]; consumer: string; description: string };
export const behaviors = {
  counts_as_completed: {
    kinds: ["task", "project", "milestone"],
    consumer: "completion",
    description: "Work in this stage is done: it counts towards progress, and completing work moves it here.",
  },
  counts_as_active: {
    kinds: ["task", "project", "milestone"],
    consumer: "overview",
    description: "Work in this stage is under way.",
  },
  awaits_review: {
    kinds: ["task"],
    consumer: "completion",
    description: "Work in this stage waits for a reviewer before it is done.",
  },
  accepts_new_work: {
    kinds: ["project", "milestone"],
    consumer: "tasks",
    description: "Tasks can be created in, or moved into, what is in this stage.",
  },
  hidden_by_default: {
    kinds: ["project"],
    consumer: "projects",
    description: "Lists leave out what is in this stage unless the request includes it.",
  },
} as const satisfies Record<string, Entry>;
export type Behavior = keyof typeof behaviors;
export const behaviorKeys = Object.keys(behaviors) as Behavior[];

/** All behaviors of a kind; those that do not apply to it are absent. */
export const Behaviors = Type.Partial(
  object(Object.fromEntries(behaviorKeys.map((key) => [key, Type.Boolean()])) as Record<Behavior, Type.TBoolean>),
  { additionalProperties: false, description: "All behaviors that apply to the kind." },
);

const applying = (kind: LifecycleKind) => behaviorKeys.filter((key) => (behaviors[key] as Entry).kinds.includes(kind));
/** Behaviors that a change of a stage of this kind may set. */
export const behaviorsOf = (kind: LifecycleKind) =>
  Type.Partial(
    object(Object.fromEntries(applying(kind).map((key) => [key, Type.Boolean()])) as Record<Behavior, Type.TBoolean>),
    { additionalProperties: false },
  );

/** A behavior that changes for work that changes its stage, or whose stage changes. */
export const BehaviorChange = object({
  behavior: Type.Enum([...behaviorKeys]),
  before: Type.Boolean(),
  after: Type.Boolean(),
});

/** Default behaviors of a stage of this category. */
export function defaultBehaviors(kind: LifecycleKind, category: Static<typeof Category>, review = false) {
  const open = category !== "completed" && category !== "cancelled";
  const all: Record<Behavior, boolean> = {
    counts_as_completed: category === "completed",
    counts_as_active: category === "started",
    awaits_review: review,
    accepts_new_work: open,
    hidden_by_default: false,
  };
  return Object.fromEntries(applying(kind).map((key) => [key, all[key]])) as Static<typeof Behaviors>;
}

/** Id and revision of a stage: enough to detect that the rest has changed. */
export const LifecycleIdentity = object({
  stage_id: Id,
  stage_revision: Revision,
  definition_id: Id,
  definition_revision: Revision,
});
/** A stage with all its behaviors. */
export const LifecyclePolicy = object({
  ...LifecycleIdentity.properties,
  stage_name: Type.String(),
  behaviors: Behaviors,
});
