// Worker of deliveries: the lanes in parallel, the deliveries of a lane in order and by one process at a time. A failed
// delivery is retried while the rest of its lane waits; after the last attempt it is given up, the lane goes on, and an
// operator can replay it.
import { setTimeout as sleep } from "node:timers/promises";
import { type Background, inWorkspace } from "../../../platform/background/jobs.ts";
import { untilReachable } from "../../../platform/background/retry-database.ts";
import type { Pool } from "../../../platform/database/db.ts";
import { isTransient } from "../../../platform/database/translate-error.ts";
import type { Host } from "../../../platform/kernel/http.ts";
import type { Log } from "../../../platform/wire/log.ts";
import { Refusal } from "../../../platform/wire/problem.ts";
import { follow } from "../apply/apply-event.ts";
import { installedById } from "../apply/apply-event-store.ts";
import { noteRemoved, type Reaching } from "../client/provider-connection.ts";
import { ProviderFault } from "../client/provider-http.ts";
import { refreshLater } from "../install/resource-store.ts";
import { providers } from "../providers/providers.ts";
import { parsedBody } from "../providers/untrusted-fields.ts";
import { areComing } from "../webhooks.ts";
import type { ProviderCaller } from "./delivery-context.ts";
import { dueLanes, finish, type Lane, putOff, takeNext, type Waiting, type Worked } from "./delivery-store.ts";

export interface DeliveryDependencies {
  writer: Pool;
  host: Host;
  log: Log;
  /** Access to the providers. */
  reaching: Reaching;
  wake(workspaceId: string): void;
}

/**
 * Lanes worked at a time: incoming requests need connections, too. A lane that waits for its provider needs none, and
 * is not counted.
 */
const AT_ONCE = 2;
/** Includes lanes that wait for their turn or for their provider. */
const MOST_LANES = 20;
/**
 * A poll reads a row of each waiting lane. At most this many lanes are worked in its order before the next poll, for at
 * most KNOWN_MS.
 */
const MOST_KNOWN = 500;
const KNOWN_MS = 1000;
/** Deliveries in a row: then other lanes have their turn, and the lane's installation is read again. */
const IN_A_ROW = 50;
/** Milliseconds for which polling continues: longer than the throttle of wake-ups. */
const LINGER_MS = 300;
/**
 * While deliveries come in, each worked one is followed by a rest of this multiple of its duration, so that requests
 * are answered soon; the backlog is worked when they are through.
 */
const REST = 4;
/** Upper bound of a rest: a longer delivery waited for its provider, which cost others nothing. */
const MOST_REST_MS = 40;
const MOST_MS = 30_000;
const STOP_MS = 3000;
/** Seconds before each retry. */
const PAUSES = [1, 5, 30, 120, 600];
/** A provider that does not answer is retried with the last of these pauses, for a day. */
const MOST_ASKED = PAUSES.length + 144;
const PASSING = new Set(["unreachable", "credential_refused", "unknown"]);

/** A delivery can be replayed for a week; its key is remembered for 90 days, so that it is not accepted again. */
const PRUNE = `
with old as (delete from integration_deliveries where received_at < now() - interval '90 days' and state <> 'waiting')
update integration_deliveries set body = null
where received_at < now() - interval '7 days' and received_at >= now() - interval '90 days' and body is not null
  and state <> 'waiting'`;

export function openDeliveries(kit: DeliveryDependencies): { background: Background; close(): Promise<void> } {
  const closing = new AbortController();
  let looking: Promise<void> | null = null;
  const look = (): Promise<void> => {
    looking ??= lookUntilEmpty(kit, closing.signal).finally(() => {
      looking = null;
    });
    return looking;
  };
  return {
    background: {
      schedule: "17 * * * * prune_deliveries",
      jobs: () => ({ prune_deliveries: (_payload, { query }) => query(PRUNE).then(() => {}) }),
      frequent: () => ({ work_deliveries: look }),
      resume: look,
    },
    async close() {
      closing.abort();
      await looking?.catch(() => {});
    },
  };
}

async function lookUntilEmpty(kit: DeliveryDependencies, closing: AbortSignal) {
  const turns = turnsOf(AT_ONCE);
  const running = new Set<Promise<unknown>>();
  /** Resolves when the lane ends or waits for its provider: a service that hangs delays only its own lanes. */
  const begin = (lane: Lane): Promise<number> => {
    const away = Promise.withResolvers<number>();
    const outside: ProviderCaller = async (ask) => {
      turns.give();
      away.resolve(1);
      return ask().finally(turns.take);
    };
    const done = turns.take().then(() => workLane(kit, lane, closing, outside).finally(turns.give));
    const ended: Promise<unknown> = done
      .catch((error) => kit.log.warn({ err: error }, "a lane of deliveries was left"))
      .finally(() => running.delete(ended));
    running.add(ended);
    return Promise.race([done, away.promise]);
  };
  let known: Lane[] = [];
  let knownAt = 0;
  const next = async (most: number): Promise<Lane[]> => {
    if (most <= 0) return [];
    if (known.length === 0 || performance.now() - knownAt > KNOWN_MS) {
      known = await dueLanes(kit.writer, MOST_KNOWN);
      knownAt = performance.now();
    }
    return known.splice(0, most);
  };
  const rest = (ms: number) => sleep(ms, null, { signal: closing }).catch(() => {});
  for (let empty = false; !closing.aborted; ) {
    const lanes = await next(MOST_LANES - running.size);
    if (lanes.length === 0 && empty && running.size === 0) return;
    empty = lanes.length === 0;
    if (empty) await Promise.race([rest(LINGER_MS), ...running]);
    const worked = await Promise.all(lanes.map(begin));
    // Other workers hold all lanes, or an open transaction holds back what came.
    if (!empty && worked.every((count) => count === 0)) {
      known = [];
      await rest(50);
    }
  }
  await Promise.race([Promise.all(running), sleep(STOP_MS, null, { ref: false })]);
}

function turnsOf(count: number) {
  let free = count;
  const waiting: (() => void)[] = [];
  return {
    take: async () => {
      if (free > 0) free--;
      else await new Promise<void>((resolve) => waiting.push(resolve));
    },
    give: () => {
      const next = waiting.shift();
      if (next) next();
      else free++;
    },
  };
}

async function workLane(
  kit: DeliveryDependencies,
  lane: Lane,
  closing: AbortSignal,
  outside: ProviderCaller,
): Promise<number> {
  const place = await placeOf(kit, lane, outside);
  let worked: Worked | null = null;
  let count = 0;
  for (; count < IN_A_ROW && !closing.aborted; count++) {
    const done = worked;
    const next: Waiting | undefined = await untilReachable(() => takeNext(kit.writer, lane, done), closing);
    worked = null;
    if (!next) break;
    const began = performance.now();
    worked = await attempt(kit, lane, next, place, closing);
    if (!worked) break;
    const rest = Math.min(REST * (performance.now() - began), MOST_REST_MS);
    if (areComing()) await sleep(rest, null, { signal: closing }).catch(() => {});
  }
  const last = worked;
  if (last) await untilReachable(() => finish(kit.writer, lane, last), closing);
  if (count > 0) kit.wake(lane.workspace_id);
  return count;
}

/** Context shared by the deliveries of a lane; null if the installation or its provider is gone. */
async function placeOf(
  { writer, host, reaching }: DeliveryDependencies,
  { workspace_id: workspaceId, installation_id }: Lane,
  outside: ProviderCaller,
) {
  const installation = await inWorkspace(writer, workspaceId, (tx) => installedById(tx, installation_id));
  const provider = providers.find(({ key }) => key === installation?.provider_key);
  if (!installation || !provider || installation.state === "revoked") return null;
  return { writer, host, reaching, outside, workspaceId, installation, provider, bound: new Map() };
}
type LanePlace = Awaited<ReturnType<typeof placeOf>>;

/** Null if it is retried later. */
async function attempt(
  kit: DeliveryDependencies,
  { workspace_id }: Lane,
  delivery: Waiting,
  place: LanePlace,
  closing: AbortSignal,
): Promise<Worked | null> {
  const { id, attempts, replays } = delivery;
  try {
    const wanted = place !== null && (await work(place, delivery));
    return { id, replays, attempts, state: wanted ? "done" : "ignored", error: null };
  } catch (error) {
    if (isTransient(error)) {
      await untilReachable(() => putOff(kit.writer, workspace_id, delivery, 1, "overloaded", false), closing);
      return null;
    }
    const code = error instanceof Refusal || error instanceof ProviderFault ? error.code : "internal";
    if (code === "rate_limited") {
      const seconds = error instanceof ProviderFault ? error.seconds : (error as Refusal).extra.retry_after;
      await putOff(kit.writer, workspace_id, delivery, seconds || 1, code, false);
      return null;
    }
    kit.log.warn({ delivery_id: id, attempt: attempts, err: error }, "a delivery could not be worked");
    const pause = PAUSES[attempts - 1] ?? (PASSING.has(code) && attempts < MOST_ASKED ? PAUSES.at(-1) : undefined);
    if (pause === undefined) return { id, replays, attempts, state: "failed", error: code };
    await putOff(kit.writer, workspace_id, delivery, pause, code);
    return null;
  }
}

/** False if it means nothing here, or no binding subscribes to it. */
async function work(lane: NonNullable<LanePlace>, { id, replays, kind, body }: Waiting): Promise<boolean> {
  const { writer, workspaceId, installation, provider } = lane;
  const cause = replays === 0 ? id : `${id} ${replays}`;
  const place = { ...lane, cause, signal: AbortSignal.timeout(MOST_MS) };
  let wanted = false;
  for (const happened of provider.webhook?.happened(kind, parsedBody(body)) ?? []) {
    if (happened.what === "removed") await noteRemoved({ database: { writer } }, workspaceId, installation.id);
    else if (happened.what === "resources_changed")
      await inWorkspace(writer, workspaceId, (tx) => refreshLater(tx, installation.id));
    else if (!(await follow(place, happened))) continue;
    wanted = true;
  }
  return wanted;
}
