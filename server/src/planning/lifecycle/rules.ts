// Pure rules: effects of a lifecycle change on the entities in it, and validation of mappings.
import type { Capability } from "@svc/contract/capabilities.ts";
import { type Behavior, behaviorKeys } from "@svc/contract/planning/lifecycle/behaviors.ts";
import type { migrationStates } from "@svc/contract/planning/lifecycle/migrations.ts";
import { may } from "../../accounts/workspaces/rules.ts";
import type { Role } from "../../platform/kernel/authentication.ts";

/** Maximum of entities moved in one step; more is left to a job, or refused. */
export const MOST_AT_ONCE = 1_000;
/** Upper bound of the counts in a preview. */
export const MOST_COUNTED = 10_000;

/** Behaviors of a stage; those that do not apply to the kind are absent. */
export type BehaviorValues = Partial<Record<Behavior, boolean>>;

export type MigrationState = (typeof migrationStates)[number];
/** Capabilities on a migration job: only a failed one can be retried. */
export const migrationCapabilities = (role: Role, state: MigrationState): Capability[] =>
  state === "failed" && may(role, "workspace:manage") ? ["migration:retry"] : [];

/** A Status, Project state or stage of the definition, with the behaviors of its stage. */
export interface LifecycleEntity {
  id: string;
  revision: string;
  /** The Project of a Project-specific Status, else null. */
  project_id: string | null;
  archived: boolean;
  behaviors: BehaviorValues;
}
export type EntitiesById = ReadonlyMap<string, LifecycleEntity>;

/** Source and destination in PostgreSQL's spelling; `sent` is the caller's spelling of the source. */
export interface MappingPair {
  sent: string;
  source: string;
  destination: string;
}
export const pairsOf = (mapping: Record<string, string>): MappingPair[] =>
  Object.entries(mapping).map(([sent, to]) => ({ sent, source: sent.toLowerCase(), destination: to.toLowerCase() }));
export const idsOf = (pairs: readonly MappingPair[]) =>
  pairs.flatMap(({ source, destination }) => [source, destination]);
export const mappingOf = (pairs: readonly MappingPair[]) =>
  Object.fromEntries(pairs.map(({ source, destination }) => [source, destination]));

/** Pairs that cannot be used, and why. An id of another Workspace counts as unknown. */
export function unusable(pairs: readonly MappingPair[], found: EntitiesById): { sent: string; detail: string }[] {
  const sources = new Set<string>();
  const repeated = new Set(pairs.filter(({ source }) => sources.size === sources.add(source).size));
  return pairs.flatMap((pair) => {
    const [from, to] = [found.get(pair.source), found.get(pair.destination)];
    const detail = repeated.has(pair)
      ? "the source is given twice"
      : !from
        ? "the source must belong to this definition"
        : !to || to.archived
          ? "the destination must belong to this definition and not be archived"
          : sources.has(pair.destination)
            ? "the destination must not be a source itself"
            : to.project_id !== null && to.project_id !== from.project_id
              ? "the destination must apply wherever the source does"
              : null;
    return detail === null ? [] : [{ sent: pair.sent, detail }];
  });
}

export interface BehaviorChange {
  behavior: Behavior;
  before: boolean;
  after: boolean;
}
/** Every behavior is used somewhere, so each difference between two stages of a kind is material. */
export const behaviorChanges = (before: BehaviorValues, after: BehaviorValues): BehaviorChange[] =>
  behaviorKeys
    .map((behavior) => ({ behavior, before: before[behavior] ?? false, after: after[behavior] ?? false }))
    .filter((change) => change.before !== change.after);

export interface MappingChange extends BehaviorChange {
  source_id: string;
  destination_id: string;
}
export const mappingChanges = (pairs: readonly MappingPair[], found: EntitiesById): MappingChange[] =>
  pairs.flatMap(({ source, destination }) =>
    behaviorChanges(found.get(source)?.behaviors ?? {}, found.get(destination)?.behaviors ?? {}).map((change) => ({
      source_id: source,
      destination_id: destination,
      ...change,
    })),
  );
/** Only a source with entities needs an acknowledgement. */
export const mustAcknowledge = (changes: readonly MappingChange[], counts: ReadonlyMap<string, number>) =>
  changes.some(({ source_id }) => (counts.get(source_id) ?? 0) > 0);

export const revisionsOf = (pairs: readonly MappingPair[], found: EntitiesById): Record<string, string> =>
  Object.fromEntries(pairs.map(({ destination }) => [destination, found.get(destination)?.revision ?? "0"]));

/** Whether the caller has seen the current revision of exactly these destinations. */
export function sameRevisions(sent: Record<string, string>, current: Record<string, string>): boolean {
  const entries = Object.entries(sent);
  return (
    entries.length === Object.keys(current).length &&
    entries.every(
      ([id, revision]) => Object.hasOwn(current, id.toLowerCase()) && current[id.toLowerCase()] === revision,
    )
  );
}

/**
 * A migration can continue while every destination exists and is not archived; a source that was deleted has no
 * entities left.
 */
export const stillUsable = (mapping: Record<string, string>, found: EntitiesById) =>
  Object.values(mapping).every((id) => found.get(id)?.archived === false);
