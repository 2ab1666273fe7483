// Deliveries in the background: lane by lane, in each lane one after the other and by one process at a time. What fails is tried again, and all that is behind it in its lane waits
// meanwhile; what fails every time is given up, so that the lane goes on, and an operator can have it worked again.
import { setTimeout as sleep } from "node:timers/promises";
import { type Background, inWorkspace } from "../../platform/background/jobs.ts";
import { untilReachable } from "../../platform/background/retry-database.ts";
import type { Pool } from "../../platform/database/db.ts";
import { isTransient } from "../../platform/database/translate.ts";
import type { Host } from "../../platform/kernel/http.ts";
import type { Log } from "../../platform/wire/log.ts";
import { Refusal } from "../../platform/wire/problem.ts";
import { ProviderFault } from "./asking.ts";
import { dueLanes, finish, type Lane, putOff, takeNext, type Waiting, type Worked } from "./delivery-store.ts";
import { follow } from "./happening.ts";
import { installedById } from "./happening-store.ts";
import type { Outside } from "./place.ts";
import { providers } from "./providers/providers.ts";
import { parsedBody } from "./providers/reading.ts";
import { noteRemoved, type Reaching } from "./reaching.ts";
import { refreshLater } from "./resource-store.ts";
import { areComing } from "./webhooks.ts";

export interface Kit {
  writer: Pool;
  host: Host;
  log: Log;
  /** With which providers are asked. */
  reaching: Reaching;
  wake(workspaceId: string): void;
}

/** Lanes at a time: what comes in meanwhile needs connections, too. One that waits for its provider needs none, and is not counted. */
const AT_ONCE = 2;
/** With those that wait for their turn, and for their provider. */
const MOST_LANES = 20;
/** A look reads a row of each lane that waits. So many of them are worked in its order before the next look, for so long at most. */
const MOST_KNOWN = 500;
const KNOWN_MS = 1000;
/** Then others have their turn, and what the lane stands on is read again. */
const IN_A_ROW = 50;
/** For so long a look is followed by another one: longer than those who store deliveries wait before they ask for work again. */
const LINGER_MS = 300;
/** While others come in, each is followed by a rest of so many times as long as it took: they are answered soon, and what waits is worked when they are through. */
const REST = 4;
/** Of what took long its provider was waited for, which took nothing from anybody. */
const MOST_REST_MS = 40;
const MOST_MS = 30_000;
const STOP_MS = 3000;
/** Seconds before each further attempt. */
const PAUSES = [1, 5, 30, 120, 600];
/** A provider that does not answer is asked again with the last of these pauses, for a day. */
const MOST_ASKED = PAUSES.length + 144;
const PASSING = new Set(["unreachable", "credential_refused", "unknown"]);

/** What was worked can be worked again for a week; that it came is known for a quarter of a year, so that it is not taken again. */
const PRUNE = `
with old as (delete from integration_deliveries where received_at < now() - interval '90 days' and state <> 'waiting')
update integration_deliveries set body = null
where received_at < now() - interval '7 days' and received_at >= now() - interval '90 days' and body is not null and state <> 'waiting'`;

export function openDeliveries(kit: Kit): { background: Background; close(): Promise<void> } {
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

async function lookUntilEmpty(kit: Kit, closing: AbortSignal) {
  const turns = turnsOf(AT_ONCE);
  const running = new Set<Promise<unknown>>();
  /** Ends with the lane, or when it waits for its provider: a service that hangs holds up nobody but its own lanes. */
  const begin = (lane: Lane): Promise<number> => {
    const away = Promise.withResolvers<number>();
    const outside: Outside = async (ask) => {
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
    // Somebody else is at all of them, or what came is held back by a transaction that is still open.
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

async function workLane(kit: Kit, lane: Lane, closing: AbortSignal, outside: Outside): Promise<number> {
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

/** What all deliveries of a lane have in common; null where there is nothing to work them for any more. */
async function placeOf(
  { writer, host, reaching }: Kit,
  { workspace_id: workspaceId, installation_id }: Lane,
  outside: Outside,
) {
  const installation = await inWorkspace(writer, workspaceId, (tx) => installedById(tx, installation_id));
  const provider = providers.find(({ key }) => key === installation?.provider_key);
  if (!installation || !provider || installation.state === "revoked") return null;
  return { writer, host, reaching, outside, workspaceId, installation, provider, bound: new Map() };
}
type LanePlace = Awaited<ReturnType<typeof placeOf>>;

/** Null where it is tried again later. */
async function attempt(
  kit: Kit,
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

/** False where it means nothing here, or nobody wants to know. */
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
