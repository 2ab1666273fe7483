// Recorded time for tests: through the API one at a time, and by SQL where there must be many.
import { newKey, type Person, type TestService, type World } from "./world.ts";

export const DAY = "2026-05-04";
export const MAY = "from=2026-05-01&to=2026-05-31";

export const record = (person: Person, taskId: string, body: object = {}) =>
  person.call("POST", `/tasks/${taskId}/time-entries`, {
    body: { duration: "1h", work_date: DAY, ...body },
    key: newKey(),
  });
export async function newEntry(person: Person, taskId: string, body: object = {}) {
  const answer = await record(person, taskId, body);
  if (answer.status !== 201) throw new Error(`recording time answered ${answer.status} ${answer.text}`);
  return answer.body;
}
export const correct = (person: Person, id: string, body: object, ifMatch = "1", key = newKey()) =>
  person.call("PATCH", `/time-entries/${id}`, { body, ifMatch, key });

interface Place {
  id: string;
  project_id: string;
}
/** So many entries of an hour on one day. */
export const fillEntries = (
  running: TestService,
  { workspaceId }: World,
  { id, project_id }: Place,
  { actorId }: Person,
  count: number,
) =>
  running.sql(
    `insert into time_entries (workspace_id, id, task_id, project_id, actor_id, work_date, recorded_seconds,
     rounding_mode, seconds)
     select $1, gen_random_uuid(), $2, $3, $4, $5, 3600, 'exact', 3600 from generate_series(1, $6::int)`,
    [workspaceId, id, project_id, actorId, DAY, count],
    workspaceId,
  );
