// Pure rules for replacing the Milestone stages: which stages stay, are created or are removed, and where their
// Milestones go.

import type { ErrorCode } from "@svc/contract/errors.ts";
import { defaultBehaviors } from "@svc/contract/planning/lifecycle/behaviors.ts";
import type { replaceMilestoneLifecycle } from "@svc/contract/planning/lifecycle/milestone-lifecycle.ts";
import type { Fault } from "../../platform/wire/problem.ts";

type Sent = NonNullable<(typeof replaceMilestoneLifecycle)["_in"]>["body"]["stages"][number];

export interface Existing {
  id: string;
  name: string;
  /** Number of Milestones in the stage; 0 (not counted) if the stage stays. */
  live: number;
}
export interface Catalog {
  /** Rows, in their new order. */
  stages: { id: string; position: number; name: string; category: string; color: string | null }[];
  removed: Existing[];
  /** Removed stage id -> id of the stage that gets its Milestones. */
  mapping: Record<string, string>;
}

/** PostgreSQL returns ids in lower case. */
const idOf = ({ id }: Sent) => id?.toLowerCase();
const behaviorsOf = ({ category, behaviors }: Sent) => ({ ...defaultBehaviors("milestone", category), ...behaviors });

/** Validation errors that do not depend on Milestones: the first kind of error, with all its places. */
export function faultsOf(sent: readonly Sent[], existing: readonly Existing[]) {
  const known = new Set(existing.map(({ id }) => id));
  const kept = new Set(sent.map(idOf));
  const seen = new Set<string>();
  const once = (id: string) => seen.size < seen.add(id).size;
  const unusable = sent.flatMap((stage, index) => {
    const id = idOf(stage);
    const own = id === undefined || (known.has(id) && once(id)) ? [] : [`${index}/id`];
    const replaced = (stage.replaces ?? []).map((each) => each.toLowerCase());
    return [
      ...own,
      ...replaced.flatMap((each, place) =>
        known.has(each) && !kept.has(each) && once(each) ? [] : [`${index}/replaces/${place}`],
      ),
    ];
  });
  const names = new Set<string>();
  const repeated = sent.flatMap(({ name }, index) =>
    names.size === names.add(name.toLowerCase()).size ? [`${index}/name`] : [],
  );
  if (unusable.length > 0)
    return refusal("invalid_reference", unusable, "must be a stage of this catalog, kept or replaced once");
  if (repeated.length > 0) return refusal("name_taken", repeated, "is the name of a stage before it");
  if (!sent.some((stage) => behaviorsOf(stage).accepts_new_work))
    return refusal("last_status", [""], "must have one that accepts new work");
  return null;
}

function refusal(code: ErrorCode, places: string[], detail: string): { code: ErrorCode; errors: Fault[] } {
  const pointer = (place: string) => (place ? `/body/stages/${place}` : "/body/stages");
  return { code, errors: places.map((place) => ({ pointer: pointer(place), code, detail })) };
}

export function catalogOf(sent: readonly Sent[], existing: readonly Existing[], newId: () => string): Catalog {
  const stages = sent.map((stage, index) => ({
    id: idOf(stage) ?? newId(),
    position: (index + 1) * 1024,
    name: stage.name,
    category: stage.category,
    color: stage.color ?? null,
    ...behaviorsOf(stage),
  }));
  const kept = new Set(stages.map(({ id }) => id));
  const moves = sent.flatMap(({ replaces = [] }, index) =>
    replaces.map((each) => [each.toLowerCase(), stages[index]?.id as string]),
  );
  return { stages, removed: existing.filter(({ id }) => !kept.has(id)), mapping: Object.fromEntries(moves) };
}
