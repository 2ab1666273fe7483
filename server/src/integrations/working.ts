// Deliveries in the background: lane by lane, in each lane one after the other and by one process at a time. What fails is tried again, and all that is behind it in its lane waits
// meanwhile; what fails every time is given up, so that the lane goes on, and an operator can have it worked again.
import { setTimeout as sleep } from "node:timers/promises";
import { type Background, inWorkspace } from "../background/jobs.ts";
import type { Pool } from "../database/db.ts";
import type { Host } from "../kernel/http.ts";
import type { Log } from "../wire/log.ts";
import { Refusal } from "../wire/problem.ts";
import { dueLanes, finish, type Lane, putOff, takeNext, type Waiting, type Worked } from "./delivery-store.ts";
import { follow } from "./happening.ts";
import { installedById } from "./happening-store.ts";
import { providers } from "./providers/providers.ts";
import { parsedBody } from "./providers/reading.ts";
import { noteRemoved } from "./reaching.ts";
import { refreshLater } from "./resource-store.ts";

export interface Kit {
  writer: Pool;
  host: Host;
  log: Log;
  wake(workspaceId: string): void;
}

/** Lanes at a time: what comes in meanwhile needs connections, too. */
const AT_ONCE = 2;
/** Then others have their turn, and what the lane stands on is read again. */
const IN_A_ROW = 50;
/** For so long a look is followed by another one: longer than those who store deliveries wait before they ask for work again. */
const LINGER_MS = 300;
const MOST_MS = 30_000;
/** Seconds before each further attempt. */
const PAUSES = [1, 5, 30, 120, 600];

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
    },
    async close() {
      closing.abort();
      await looking?.catch(() => {});
    },
  };
}

async function lookUntilEmpty(kit: Kit, closing: AbortSignal) {
  for (let empty = false; !closing.aborted; ) {
    const lanes = await dueLanes(kit.writer, AT_ONCE);
    if (lanes.length === 0 && empty) return;
    empty = lanes.length === 0;
    if (empty) await sleep(LINGER_MS, null, { signal: closing }).catch(() => {});
    const worked = await Promise.all(lanes.map((lane) => workLane(kit, lane, closing)));
    // Somebody else is at all of them, or what came is held back by a transaction that is still open.
    if (!empty && worked.every((count) => count === 0)) await sleep(50, null, { signal: closing }).catch(() => {});
  }
}

async function workLane(kit: Kit, lane: Lane, closing: AbortSignal): Promise<number> {
  const place = await placeOf(kit, lane);
  let worked: Worked | null = null;
  let count = 0;
  for (; count < IN_A_ROW && !closing.aborted; count++) {
    const next: Waiting | undefined = await takeNext(kit.writer, lane, worked);
    worked = null;
    if (!next) break;
    worked = await attempt(kit, lane, next, place);
    if (!worked) break;
  }
  if (worked) await finish(kit.writer, lane.workspace_id, worked);
  if (count > 0) kit.wake(lane.workspace_id);
  return count;
}

/** What all deliveries of a lane have in common; null where there is nothing to work them for any more. */
async function placeOf({ writer, host }: Kit, { workspace_id: workspaceId, installation_id }: Lane) {
  const installation = await inWorkspace(writer, workspaceId, (tx) => installedById(tx, installation_id));
  const provider = providers.find(({ key }) => key === installation?.provider_key);
  if (!installation || !provider || installation.state === "revoked") return null;
  return { writer, host, workspaceId, installation, provider, bound: new Map() };
}
type LanePlace = Awaited<ReturnType<typeof placeOf>>;

/** Null where it is tried again later. */
async function attempt(kit: Kit, { workspace_id }: Lane, delivery: Waiting, place: LanePlace): Promise<Worked | null> {
  const { id, attempts, replays } = delivery;
  try {
    const wanted = place !== null && (await work(place, delivery));
    return { id, replays, state: wanted ? "done" : "ignored", error: null };
  } catch (error) {
    const code = error instanceof Refusal ? error.code : "internal";
    if (error instanceof Refusal && error.code === "rate_limited") {
      await putOff(kit.writer, workspace_id, id, error.extra.retry_after ?? 1, code, false);
      return null;
    }
    kit.log.warn({ delivery_id: id, attempt: attempts, err: error }, "a delivery could not be worked");
    const pause = PAUSES[attempts - 1];
    if (pause === undefined) return { id, replays, state: "failed", error: code };
    await putOff(kit.writer, workspace_id, id, pause, code);
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
