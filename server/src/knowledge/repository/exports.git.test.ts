// A commit reaches the Git repository by itself, with the schedules out of the way.
import { expect, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { repositories } from "../../../test/repository.ts";

const { running, connect } = await repositories({ roles: ["api", "worker"] }, { exports: true });

/** Nothing scheduled runs: the queue of the follower is taken, and the crontab believes that it has just run. */
const STOP_SCHEDULES = [
  `insert into graphile_worker._private_job_queues (queue_name, locked_at, locked_by)
   values ('request_repository_exports', now() + interval '1 hour', 'test')
   on conflict (queue_name) do update set locked_at = excluded.locked_at, locked_by = excluded.locked_by`,
  `insert into graphile_worker._private_known_crontabs (identifier, known_since, last_execution)
   values ('sync_repositories', now(), now() + interval '1 hour')
   on conflict (identifier) do update set last_execution = excluded.last_execution`,
];

test("a change of a text, a new Document and a resolved conflict reach the repository without being asked", async () => {
  const place = await connect();
  const { clone } = place;
  const { id } = await place.document("Plan", {}, "First\n");
  await place.run();
  for (const statement of STOP_SCHEDULES) await running.asOwner(statement);
  await place.write(id, "Second\n");
  await eventually(() => expect(clone.read("plan.md")).toContain("Second"));
  await place.document("Notes", {}, "Notes\n");
  await eventually(() => expect(clone.files()).toContain("notes.md"));
  // The run that exports our change also fetches the remote one.
  clone.pull();
  clone.write("plan.md", clone.read("plan.md").replace("Second", "Theirs"));
  clone.push();
  await place.write(id, "Ours\n");
  const conflict = await eventually(async () => {
    const [found] = await place.conflicts();
    expect(found).toBeDefined();
    return found;
  });
  expect((await place.resolve(conflict.id, { choice: "ours" })).status).toBe(200);
  await eventually(() => expect(clone.read("plan.md")).toContain("Ours"));
  const { items } = (await place.owner.call("GET", `${place.at}/runs`)).body;
  expect(items.filter((run: { requested_by_actor_id: string | null }) => run.requested_by_actor_id)).toHaveLength(1);
}, 300_000);
