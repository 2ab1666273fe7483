// Reads the journal of each Workspace that has endpoints, on from where it stopped, and queues what they are to hear. What is read is queued in the same commit: whatever
// happens to the process, each event is queued once for each endpoint, and none is left out. Who hears of what is realtime's judgement.
import { inPages, inWorkspace } from "../background/jobs.ts";
import type { Database } from "../database/db.ts";
import { readPage, readProjects, readStanding } from "../realtime/feed-store.ts";
import { heardIn, projectsOf, type RealtimeChange, type Sight, sightsIn, type Told } from "../realtime/rules.ts";
import { NIL } from "../wire/ids.ts";
import * as store from "./queue-store.ts";
import { projectOf } from "./rules.ts";
import { makeDue } from "./store.ts";

type Writer = Pick<Database, "writer">;

/** As somebody with this sight hears of it; undefined: not at all. */
export const heardOf = (event: Told, sight: Sight): RealtimeChange | undefined =>
  heardIn("workspace", event, sight, null).find(({ kind }) => kind === event.kind);

/** Everything that has come, in every Workspace. */
export async function followEvents({ writer }: Writer): Promise<void> {
  for (const workspaceId of await store.workspacesToRead(writer)) await inPages(() => readOn(writer, workspaceId));
}

/** Whether there is more. */
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
    // Another journal, after a restore: it is read from here on.
    if (here.epoch !== position.epoch) {
      await store.movePosition(tx, end);
      return false;
    }
    const wanted = new Set(endpoints.flatMap(({ actions }) => actions));
    const heard = events.filter(({ type }) => wanted.has(type));
    if (heard.length > 0) {
      const creators = [...new Set(endpoints.map(({ created_by_actor_id }) => created_by_actor_id))];
      const [projects, standing] = await Promise.all([
        readProjects(tx, projectsOf(heard), creators),
        readStanding(tx, creators),
      ]);
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
    await store.movePosition(tx, more && last ? { epoch: here.epoch, tx: last.tx, event_id: last.id } : end);
    return more;
  });

function isWithin({ project_ids }: store.Listening, change: RealtimeChange): boolean {
  const projectId = projectOf(change);
  return project_ids.length === 0 || (projectId !== null && project_ids.includes(projectId));
}
