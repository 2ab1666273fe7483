// The lists of activity in groups, beside many rows, and three groups of a busy hour: what one person did to a Task and
// wrote in a Document, and what one command did to many Tasks.
import { newId } from "../src/platform/wire/ids.ts";
import { firstDocument } from "./explained-documents.ts";
import type { Person, TestService } from "./world.ts";

const EVENTS = 300;
const AN_HOUR = "date_trunc('hour', now()) - interval '1 hour'";
const oneByOne = { command: "gen_random_uuid()", at: `${AN_HOUR} + n * interval '1 second'` };
const atOnce = { command: "$2", at: AN_HOUR };

interface Busy {
  workspaceId: string;
  owner: Person;
  taskId: string;
}
export async function groupLists(running: TestService, { workspaceId, owner, taskId }: Busy) {
  /** The id of its first event; `rows` are what the events are about. */
  const group = async (kind: string, type: string, rows: string, { command, at } = oneByOne) => {
    const first = newId();
    await running.sql(
      `insert into domain_events (workspace_id, id, type, activity, actor_id, source, command_id, task_id,
       resource_kind, resource_id, occurred_at)
       select $1, case n when 0 then $2 else gen_random_uuid() end, $3, 'progress', $4, 'session', ${command},
         case when $5 = 'task' then id end, $5, id, ${at}
       from (select id, row_number() over () - 1 as n from (${rows}) x limit ${EVENTS}) x`,
      [workspaceId, first, type, owner.actorId, kind],
      workspaceId,
    );
    return first;
  };
  const often = (id: string) => `select '${id}'::uuid as id from generate_series(1, ${EVENTS})`;
  const began = [
    await group("task", "task.priority_changed", often(taskId)),
    await group("document", "document.content_updated", often(await firstDocument(running, workspaceId))),
    await group("task", "task.assigned", "select id from tasks", atOnce),
  ];
  const groups = `/workspaces/${workspaceId}/activity/groups`;
  const today = new Date().toISOString().slice(0, 10);
  return {
    listActivityGroups: [groups, `${groups}?day=${today}&time_zone=UTC`],
    listActivityGroupChildren: began.map((id) => `${groups}/${id}/children`),
  };
}
