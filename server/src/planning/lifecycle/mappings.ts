// Previews and applies lifecycle mappings. If everything fits into one transaction, it is moved before the response;
// the rest is left to the worker.
import * as contract from "@svc/contract/planning/lifecycle/mappings.ts";
import { type Context, implement } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { definition, type LifecycleTarget, settledDefinition } from "./access.ts";
import { lifecycleMigrationCompleted, lifecycleMigrationStarted } from "./events.ts";
import { insertMigration, migrationApplies } from "./migration-store.ts";
import {
  type EntitiesById,
  idsOf,
  type MappingPair,
  MOST_AT_ONCE,
  MOST_COUNTED,
  mappingChanges,
  mappingOf,
  migrationCapabilities,
  mustAcknowledge,
  pairsOf,
  revisionsOf,
  sameRevisions,
  unusable,
} from "./rules.ts";
import { boundTo, countEntities, impactOf, isBusy, moveEntities } from "./store.ts";

const MOST_FAULTS = 50;

function requireUsable(pairs: readonly MappingPair[], found: EntitiesById): void {
  const faults = unusable(pairs, found);
  if (faults.length === 0) return;
  refuse("invalid_reference", {
    errors: faults
      .slice(0, MOST_FAULTS)
      .map(({ sent, detail }) => ({ pointer: `/body/mapping/${sent}`, code: "invalid_reference", detail })),
  });
}

/** The bindings that the mapping names, and the number of entities in its sources; one round-trip. */
const resolve = ({ tx, member }: Context, target: LifecycleTarget, pairs: readonly MappingPair[], most: number) =>
  Promise.all([
    boundTo(tx, target, idsOf(pairs)),
    impactOf(tx, {
      kind: target.kind,
      workspaceId: member.workspaceId,
      sources: pairs.map(({ source }) => source),
      most,
    }),
  ]);

export const previewLifecycleMapping = implement(
  contract.previewLifecycleMapping,
  definition("workspace:manage"),
  async (context, { target, body }) => {
    const pairs = pairsOf(body.mapping);
    const [found, { counts, total, exhausted }] = await resolve(context, target, pairs, MOST_COUNTED);
    requireUsable(pairs, found);
    const shown = (count: number) => ({
      count: Math.min(count, MOST_COUNTED),
      capped: exhausted || count > MOST_COUNTED,
    });
    const changes = mappingChanges(pairs, found);
    const { count, capped } = shown(total);
    return {
      definition_id: target.id,
      source_revision: target.revision,
      destination_revisions: revisionsOf(pairs, found),
      impact: {
        total: count,
        capped,
        sources: pairs.map(({ source, destination }) => ({
          source_id: source,
          destination_id: destination,
          ...shown(counts.get(source) ?? 0),
        })),
      },
      behavior_changes: changes,
      acknowledgement_required: mustAcknowledge(changes, counts),
    };
  },
);

export const applyLifecycleMapping = implement(
  contract.applyLifecycleMapping,
  settledDefinition("workspace:manage"),
  async (context, { target, body }) => {
    const { tx, member, principal, commandId, record, enqueue } = context;
    const pairs = pairsOf(body.mapping);
    const [[found, { counts, total, exhausted }], applies] = await Promise.all([
      resolve(context, target, pairs, Number.MAX_SAFE_INTEGER),
      migrationApplies(tx),
    ]);
    if (body.source_revision !== target.revision) refuse("lifecycle_preview_stale");
    requireUsable(pairs, found);
    if (!sameRevisions(body.destination_revisions, revisionsOf(pairs, found))) refuse("lifecycle_preview_stale");
    if (body.acknowledged !== true && mustAcknowledge(mappingChanges(pairs, found), counts))
      refuse("lifecycle_acknowledgement_required");
    if (applies) refuse("lifecycle_migration_pending");
    const mapping = mappingOf(pairs);
    const done = exhausted || total > MOST_AT_ONCE ? LATER : await moveNow(context, target, mapping);
    const row = await insertMigration(tx, {
      workspaceId: member.workspaceId,
      id: commandId,
      definitionId: target.id,
      mapping,
      total: done.state === "completed" ? done.moved : Math.max(total, done.moved),
      ...done,
      actorId: member.actorId,
      userId: principal.userId,
      source: principal.kind,
    });
    const subject = { kind: "lifecycle_migration", id: commandId };
    const accepted = done.state !== "completed";
    if (accepted) enqueue("migrate_lifecycle", { workspace_id: member.workspaceId, id: commandId });
    record((accepted ? lifecycleMigrationStarted : lifecycleMigrationCompleted)(subject, { definition_id: target.id }));
    return { ...render(row, migrationCapabilities(member.role, done.state)), accepted };
  },
);

type Done = { state: "pending" | "retry" | "completed"; moved: number; errorCode: "busy" | null };
const LATER: Done = { state: "pending", moved: 0, errorCode: null };

/**
 * Moves the entities in this transaction. Rows locked for longer than a request waits are left to the worker, and so
 * are entities that entered a source concurrently.
 */
async function moveNow(
  { tx, member, principal, commandId }: Context,
  { kind }: LifecycleTarget,
  mapping: Record<string, string>,
): Promise<Done> {
  const { workspaceId, actorId } = member;
  const author = { actorId, userId: principal.userId, source: principal.kind, commandId };
  try {
    const [, moved, left] = await Promise.all([
      tx.rows("savepoint moving"),
      moveEntities(tx, { kind, workspaceId, mapping, limit: MOST_AT_ONCE, author }),
      countEntities(tx, { kind, workspaceId, sources: Object.keys(mapping), most: 0 }),
    ]);
    return { state: left === 0 ? "completed" : "pending", moved, errorCode: null };
  } catch (error) {
    if (!isBusy(error)) throw error;
    await tx.rows("rollback to savepoint moving");
    return { state: "retry", moved: 0, errorCode: "busy" };
  }
}
