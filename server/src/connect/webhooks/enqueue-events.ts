// Reads the journal of each Workspace that has endpoints from the stored position, and queues deliveries. Position and
// deliveries are written in the same commit: each event is queued exactly once for each endpoint, whatever happens to
// the process. The feed's rules decide who may see which event.

import {
  type FeedEvent,
  heardIn,
  projectsOf,
  type RealtimeChange,
  type Sight,
  sightsIn,
} from "../../history/feed/rules.ts";
import { readPage, readProjects, readStanding } from "../../history/feed/store.ts";
import { inPages, inWorkspace } from "../../platform/background/jobs.ts";
import type { Database } from "../../platform/database/db.ts";
import { NIL } from "../../platform/wire/ids.ts";
import * as store from "./queue-store.ts";
import { projectOf } from "./rules.ts";
import { makeDue } from "./store.ts";

type Writer = Pick<Database, "writer">;

/** The change as somebody with this sight sees it; undefined: not at all. */
export const heardOf = (event: FeedEvent, sight: Sight): RealtimeChange | undefined =>
  heardIn("workspace", event, sight, null).find(({ kind }) => kind === event.kind);

/**
 * The backlog is read again after its first events were queued: an open transaction may hold back only those behind
 * them.
 */
const ROUNDS = 3;

/**
 * Reads and queues new events, in the named Workspaces or in all of them, a page of each in turn. Resolves to whether
 * an open transaction holds some back.
 */
export async function followEvents({ writer }: Writer, named: readonly string[] | null = null): Promise<boolean> {
  for (let round = 1; ; round++) {
    const backlog = await store.backlogOf(writer, named);
    const waiting = backlog.filter(({ held }) => !held).map(({ workspace_id }) => workspace_id);
    if (waiting.length === 0 || round === ROUNDS) return backlog.some(({ held }) => held);
    await inPages(async () => {
      const workspaceId = waiting.shift() as string;
      if (await readOn(writer, workspaceId)) waiting.push(workspaceId);
      return waiting.length > 0;
    });
  }
}

/** Reads one page; returns whether there is more. */
const readOn = (writer: Database["writer"], workspaceId: string) =>
  inWorkspace(writer, workspaceId, async (tx) => {
    const position = await store.lockPosition(tx);
    if (!position) return false;
    const [page, endpoints] = await Promise.all([
      readPage(tx, { tx: position.tx, id: position.event_id }),
      store.listening(tx),
    ]);
    const { here, events, more } = page;
    const end = { epoch: here.epoch, tx: here.position, event_id: NIL };
    if (here.epoch !== position.epoch) {
      await store.resumeRestored(tx);
      return true;
    }
    const wanted = new Set(endpoints.flatMap(({ actions }) => actions));
    const heard = events.filter(({ type }) => wanted.has(type));
    const creators = [...new Set(endpoints.map(({ created_by_actor_id }) => created_by_actor_id))];
    const [projects, standing] = await Promise.all([
      heard.length > 0 ? readProjects(tx, projectsOf(heard), creators) : [],
      readStanding(tx, creators),
    ]);
    const left = new Set(standing.filter(({ role }) => role === null).map(({ id }) => id));
    for (const { id, created_by_actor_id } of endpoints)
      if (left.has(created_by_actor_id)) await store.disable(tx, id, "creator_left");
    if (heard.length > 0) {
      const sightOf = sightsIn({ projects, standing });
      const queued = heard.flatMap((event) =>
        endpoints.flatMap((endpoint) => {
          const sight = sightOf(endpoint.created_by_actor_id, "");
          const change = sight && endpoint.actions.includes(event.type) && heardOf(event, sight);
          return change && isWithin(endpoint, change)
            ? [{ endpoint_id: endpoint.id, event_id: event.id, action: event.type }]
            : [];
        }),
      );
      if (queued.length > 0) {
        await store.queue(tx, queued);
        await makeDue(tx, [...new Set(queued.map(({ endpoint_id }) => endpoint_id))].sort());
      }
    }
    const last = events.at(-1);
    // An open transaction may hold the journal back behind a position that a restore set. A position never moves
    // backwards.
    if (!last && BigInt(end.tx) <= BigInt(position.tx)) return false;
    await store.movePosition(tx, more && last ? { epoch: here.epoch, tx: last.tx, event_id: last.id } : end);
    return more;
  });

function isWithin({ project_ids }: store.SubscribedEndpoint, change: RealtimeChange): boolean {
  const projectId = projectOf(change);
  return project_ids.length === 0 || (projectId !== null && project_ids.includes(projectId));
}
