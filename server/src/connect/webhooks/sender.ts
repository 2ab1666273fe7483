// Sends queued deliveries in the background, each endpoint by one process at a time. The sender leases an endpoint,
// sends a small batch at once and releases it, so that a slow endpoint delays no other. Each attempt checks the
// creator's access again. It uses no slots of other background work.

import { projectsOf, type Sight, sightsIn } from "../../history/feed/rules.ts";
import { inSnapshot, readEvents, readProjects, readStanding } from "../../history/feed/store.ts";
import { inWorkspace } from "../../platform/background/jobs.ts";
import { untilReachable } from "../../platform/background/retry-database.ts";
import type { Database } from "../../platform/database/db.ts";
import type { ExternalSystems } from "../../platform/outside/external-systems.ts";
import { newId } from "../../platform/wire/ids.ts";
import type { Log } from "../../platform/wire/log.ts";
import { type AttemptResult, send } from "./delivery-attempt.ts";
import { heardOf } from "./enqueue-events.ts";
import * as store from "./queue-store.ts";
import { pauseAfter, payloadOf, sealedFor } from "./rules.ts";

/** Endpoints in this process, endpoints of a Workspace in all processes, and messages to one endpoint at once. */
const [ENDPOINTS, OF_WORKSPACE, AT_ONCE] = [20, 5, 4];
/** Longer than an attempt and the writes around it. */
const LEASE_SECONDS = 30;
/** The schedule finds retries that are due later. */
const LONGEST_TIMER_SECONDS = 60;
/** A timer must not fire before the database's clock says that the attempt is due. */
const TIMER_SLACK_MS = 20;

export interface SenderDependencies {
  database: Pick<Database, "reader" | "writer">;
  outside: Pick<ExternalSystems, "webhooks" | "secrets">;
  log: Log;
  attemptMs?: number;
  /** Whether a timer starts each retry; without it, the caller polls. */
  timers?: boolean;
}
interface Serving extends SenderDependencies {
  stop: AbortSignal;
}
export interface Sender {
  /** Claims what is due until nothing is left; a call meanwhile makes it poll once more. */
  look(): Promise<void>;
  /** Abandons deliveries in flight; another process sends them again. */
  close(): Promise<void>;
}

export function openSender(kit: SenderDependencies): Sender {
  const { log, database } = kit;
  const active = new Map<string, Promise<void>>();
  const stop = new AbortController();
  let looking: Promise<void> | null = null;
  let again = false;
  const look = (): Promise<void> => {
    again = true;
    looking ??= (async () => {
      while (again && !stop.signal.aborted) {
        again = false;
        await lookOnce();
      }
    })().finally(() => {
      looking = null;
    });
    return looking;
  };
  const failed = (error: unknown) => log.warn({ err: error }, "webhooks are looked for again later");
  /** Timer of the next attempt by endpoint: a timer is exact, and the schedule finds retries whose timer was lost. */
  const retries = new Map<string, NodeJS.Timeout>();
  const retryAfter = (id: string, seconds: number | null) => {
    clearTimeout(retries.get(id));
    retries.delete(id);
    if (!kit.timers || seconds === null || seconds > LONGEST_TIMER_SECONDS || stop.signal.aborted) return;
    const retry = () => {
      retries.delete(id);
      void look().catch(failed);
    };
    retries.set(id, setTimeout(retry, seconds * 1000 + TIMER_SLACK_MS).unref());
  };
  async function lookOnce() {
    const room = ENDPOINTS - active.size;
    if (room <= 0) return;
    const holder = newId();
    for (const { workspace_id, id } of await store.claimEndpoints(
      ...([database.writer, room, OF_WORKSPACE, holder, LEASE_SECONDS] as const),
    )) {
      const done = serve({ ...kit, stop: stop.signal }, workspace_id, id, holder)
        .then((seconds) => retryAfter(id, seconds))
        .catch((error) => log.error({ endpoint_id: id, err: error }, "a webhook endpoint was left"))
        .finally(() => {
          active.delete(`${holder} ${id}`);
          if (!stop.signal.aborted) void look().catch(failed);
        });
      active.set(`${holder} ${id}`, done);
    }
  }
  return {
    look,
    async close() {
      stop.abort();
      for (const timer of retries.values()) clearTimeout(timer);
      await looking?.catch(() => {});
      await Promise.all(active.values());
    },
  };
}

/** Due deliveries and the creator's access to them, in one snapshot. */
const readWork = ({ database }: SenderDependencies, workspaceId: string, id: string, holder: string) =>
  inSnapshot(database.reader, workspaceId, async (tx) => {
    const [endpoint, due] = await Promise.all([store.readServed(tx, id, holder), store.readDue(tx, id, AT_ONCE)]);
    if (!endpoint) return null;
    const creator = endpoint.created_by_actor_id;
    const [events, standing] = await Promise.all([
      readEvents(
        tx,
        due.flatMap(({ event_id }) => event_id ?? []),
      ),
      readStanding(tx, [creator]),
    ]);
    const projects = await readProjects(tx, projectsOf(events), [creator]);
    const sight = sightsIn({ projects, standing })(creator, "");
    return { endpoint, due, events: new Map(events.map((event) => [event.id, event])), sight };
  });
type Work = NonNullable<Awaited<ReturnType<typeof readWork>>>;

/** Seconds until the next attempt is due; null if nothing waits. */
async function serve(kit: Serving, workspaceId: string, id: string, holder: string): Promise<number | null> {
  const { database } = kit;
  const work = await untilReachable(() => readWork(kit, workspaceId, id, holder), kit.stop);
  const sight = work?.sight ?? null;
  const attempted = work && sight ? work.due.map((due) => attempt(kit, workspaceId, work, sight, due)) : [];
  const outcomes = (await Promise.all(attempted)).filter((outcome) => outcome !== null);
  const note = () =>
    inWorkspace(database.writer, workspaceId, async (tx) => {
      const { held, exhausted, dueIn } = await store.settle(tx, id, holder, outcomes);
      if (!held) return null;
      if (work && sight === null) await store.disable(tx, id, "creator_left");
      else if (outcomes.some(({ error_code }) => error_code === "gone")) await store.disable(tx, id, "gone");
      else if (exhausted) await store.disable(tx, id, "failing");
      return dueIn;
    });
  return untilReachable(note, kit.stop);
}

/** Null if it was stopped: then it counts as no attempt. */
async function attempt(
  kit: Serving,
  workspaceId: string,
  work: Work,
  sight: Sight,
  due: store.DueDelivery,
): Promise<store.DeliveryOutcome | null> {
  const { endpoint } = work;
  const body = bodyOf(workspaceId, work, sight, due);
  const noted = { id: due.id, attempts: due.attempts };
  if (body === null)
    return {
      ...noted,
      state: "dropped",
      error_code: "not_visible",
      status_code: null,
      duration_ms: null,
      pause: null,
    };
  const secrets = [endpoint.sealed_secret, endpoint.previous_sealed_secret].flatMap(
    (sealed) => (sealed && kit.outside.secrets.open(sealed, sealedFor(endpoint.id))) || [],
  );
  const message = { id: due.id, body, secrets };
  try {
    const sent = await send(kit.outside.webhooks, endpoint.url, message, { ms: kit.attemptMs, stop: kit.stop });
    return { ...noted, ...outcomeOf(sent, due.attempts + 1) };
  } catch (error) {
    if (kit.stop.aborted) return null;
    throw error;
  }
}

/** Null if the creator may no longer see it. */
function bodyOf(workspaceId: string, { endpoint, events }: Work, sight: Sight, due: store.DueDelivery): Buffer | null {
  const { action, created_at } = due;
  if (due.event_id === null) {
    const change = { kind: "webhook_endpoint", id: endpoint.id, revision: null, action: "changed" as const };
    return payloadOf({ action, workspaceId, occurredAt: created_at, actorId: endpoint.created_by_actor_id, change });
  }
  const event = events.get(due.event_id);
  const change = event && heardOf(event, sight);
  if (!event || !change) return null;
  return payloadOf({ action, workspaceId, occurredAt: event.occurred_at, actorId: event.actor_id, change });
}

function outcomeOf({ error, status, ms, retryAfter }: AttemptResult, attempts: number) {
  const told = { error_code: error, status_code: status, duration_ms: ms };
  if (error === null) return { ...told, state: "delivered" as const, pause: null };
  const pause = error === "gone" ? null : pauseAfter(attempts, retryAfter);
  return { ...told, state: pause === null ? ("failed" as const) : ("queued" as const), pause };
}
