// How much is kept, for how long, and that it goes with the membership. It is the same for evidence, result sets and
// selections; views stay until they are deleted.
import { expect, test } from "vitest";
import { any } from "../../../test/documents.ts";
import { type Kind, keep, type NativeAnswer, read, send } from "../../../test/native-work.ts";
import { newTask, refusalOf, sessionIn, workshopOn } from "../../../test/work.ts";
import { asTenant, type Person, service, type World } from "../../../test/world.ts";
import { evidenceAt } from "./evidence-store.ts";
import { background } from "./jobs.ts";
import { keptDays, MOST_KEPT } from "./rules.ts";
import { resultSetAt } from "./task-store.ts";

const running = service({});
const tables = { ...keptDays, task_saved_views: 0 };
const view = { name: "All", query: {}, layout: { kind: "list", group_by: "none", columns: [] } };

/** A member with one of each, where it is read, and what makes another. */
async function workshop() {
  const { home, owner, project } = await workshopOn(running);
  const member = await home.member("member");
  const task = await newTask(owner, project.id);
  const sources = { sources: [{ kind: "task_title", id: task.id }] };
  const evidence = await keep(member, home, "evidence-collections", sources);
  const set = await keep(member, home, "task-result-sets", { query: {} });
  const chosen = { result_set_id: set.id, version: 1, task_ids: [task.id] };
  const selection = await keep(member, home, "task-selections", chosen);
  const saved = await keep(member, home, "task-saved-views", view);
  const made: Record<keyof typeof keptDays, { path: Kind; body: object; at: string; shown: NativeAnswer }> = {
    evidence_collections: {
      path: "evidence-collections",
      body: sources,
      shown: evidence,
      at: `evidence-collections/${evidence.id}`,
    },
    task_result_sets: {
      path: "task-result-sets",
      body: { query: {} },
      shown: set,
      at: `task-result-sets/${set.id}`,
    },
    task_selections: { path: "task-selections", body: chosen, at: `task-selections/${selection.id}`, shown: selection },
  };
  return { home, owner, member, evidence, set, saved, made };
}
const versionOf = (path: string) => (path.startsWith("task-selections") ? "" : "?version=1");
const counts = async ({ workspaceId }: World, { actorId }: Person) => {
  const found: number[] = [];
  for (const table of Object.keys(tables)) {
    const [row] = await running.sql<{ count: string }>(
      `select count(*) from ${table} where actor_id = $1`,
      [actorId],
      workspaceId,
    );
    found.push(Number(row?.count));
  }
  return found;
};
const sweep = async () => {
  const job = background.jobs?.({} as never).sweep_native_work;
  await job?.({}, { query: running.asOwner } as never);
};

test("each says when it is forgotten, is not there from then on, and is swept; a view stays", async () => {
  const { home, member, evidence, made, set } = await workshop();
  for (const [table, { at, shown }] of Object.entries(made)) {
    const days = (Date.parse(shown.expires_at) - Date.parse(shown.created_at)) / 86_400_000;
    expect(days).toBe(keptDays[table as keyof typeof keptDays]);
    expect((await read(member, home, at + versionOf(at))).status).toBe(200);
    await running.asOwner(`update ${table} set expires_at = now() where id = $1`, [shown.id]);
    expect((await read(member, home, at + versionOf(at))).status).toBe(404);
    const hydrated = await read(member, home, `${at}/hydrate${versionOf(at)}`);
    expect(hydrated.status).toBe(404);
  }
  const next = { result_set_id: set.id, version: 1 };
  expect((await send(member, home, "task-result-sets", next)).status).toBe(404);
  const excluded = { collection_id: evidence.id, version: 1, excluded_source_ids: [] };
  expect((await send(member, home, "evidence-collections/exclusions", excluded)).status).toBe(404);
  expect(await counts(home, member)).toEqual([1, 1, 1, 1]);
  const other = await keep(member, home, "task-result-sets", { query: {} });
  await sweep();
  expect(await counts(home, member)).toEqual([0, 1, 0, 1]);
  expect((await read(member, home, `task-result-sets/${other.id}?version=1`)).status).toBe(200);
});

test("a member keeps 500 versions of each and not one more; what has expired does not count, and others keep their own", async () => {
  const { home, owner, member, made } = await workshop();
  const columns = {
    evidence_collections: "version, title, sources",
    task_result_sets: "version, query, task_ids, revisions, complete",
    task_selections: "version, result_set_id, task_ids, revisions",
  };
  for (const table of Object.keys(columns) as (keyof typeof columns)[]) {
    const { path, body, shown } = made[table];
    await running.asOwner(
      `insert into ${table} (workspace_id, actor_id, expires_at, id, ${columns[table]})
       select workspace_id, actor_id, expires_at, gen_random_uuid(), ${columns[table]}
       from ${table}, generate_series(3, ${MOST_KEPT}) where id = $1`,
      [shown.id],
    );
    // The last for which there is room, of several at once.
    const answers = await Promise.all([1, 2, 3].map(() => send(member, home, path, body)));
    expect(answers.map(({ status }) => status).sort(), table).toEqual([200, 409, 409]);
    expect(refusalOf(await send(member, home, path, body))).toEqual([409, "too_many_kept"]);
    if (path !== "task-selections") expect((await send(owner, home, path, body)).status).toBe(200);
    // One of those that are not needed for the next.
    const last = `(select max(id::text)::uuid from ${table} where actor_id = $1 and id <> $2)`;
    await running.asOwner(`update ${table} set expires_at = now() where id = ${last}`, [member.actorId, shown.id]);
    expect((await send(member, home, path, body)).status).toBe(200);
  }
});

test("a version that is refused for want of room leaves the latest as it was", async () => {
  const { home, member, evidence } = await workshop();
  await running.asOwner(
    `insert into evidence_collections (workspace_id, actor_id, id, version, sources, expires_at)
     select workspace_id, actor_id, gen_random_uuid(), 1, sources, expires_at
     from evidence_collections, generate_series(2, ${MOST_KEPT}) where id = $1`,
    [evidence.id],
  );
  const excluded = { collection_id: evidence.id, version: 1, excluded_source_ids: [] };
  expect(refusalOf(await send(member, home, "evidence-collections/exclusions", excluded))).toEqual([
    ...[409, "too_many_kept"],
  ]);
  expect((await read(member, home, `evidence-collections/${evidence.id}?version=1`)).body.latest_version).toBe(1);
});

test("what a suspended member keeps waits for them; with the membership it is gone, for one who comes back, too", async () => {
  const { home, owner, member, made } = await workshop();
  const other = await home.member("member");
  await keep(other, home, "task-saved-views", view);
  const [membership] = await running.sql<{ id: string }>(
    "select id from memberships where workspace_id = $1 and user_id = $2",
    [home.workspaceId, member.userId],
  );
  const path = `/workspaces/${home.workspaceId}/members/${membership?.id}`;
  const change = (state: string) => owner.call("PATCH", path, { body: { state }, ...any });
  expect((await change("suspended")).status).toBe(200);
  const again = async () => ({ ...member, ...(await sessionIn(running, null, member.userId)) });
  for (const { at } of Object.values(made)) {
    expect((await read(member, home, at + versionOf(at))).status).toBe(401);
    expect((await read(await again(), home, at + versionOf(at))).status).toBe(404);
  }
  expect((await change("active")).status).toBe(200);
  const back = { ...member, ...(await sessionIn(running, home.workspaceId, member.userId)) };
  for (const { at } of Object.values(made)) expect((await read(back, home, at + versionOf(at))).status).toBe(200);
  expect(await counts(home, member)).toEqual([1, 1, 1, 1]);
  expect((await owner.call("DELETE", path)).status).toBe(204);
  expect(await counts(home, member)).toEqual([0, 0, 0, 0]);
  expect(await counts(home, other)).toEqual([0, 0, 0, 1]);
  await owner.call("POST", `/workspaces/${home.workspaceId}/members`, { body: { user_id: member.userId } });
  const restored = { ...member, ...(await sessionIn(running, home.workspaceId, member.userId)) };
  expect((await read(restored, home, "task-saved-views")).body.items).toEqual([]);
  for (const { at } of Object.values(made)) expect((await read(restored, home, at + versionOf(at))).status).toBe(404);
});

test("what was saved in the moment in which somebody left is swept", async () => {
  const { home, member } = await workshop();
  await running.sql("update memberships set state = 'left' where user_id = $1", [member.userId], home.workspaceId);
  await running.sql(
    `insert into task_saved_views (workspace_id, id, actor_id, name, query, layout)
      values ($1, gen_random_uuid(), $2, 'Late', '{}', '{}')`,
    [home.workspaceId, member.actorId],
    home.workspaceId,
  );
  await sweep();
  expect(await counts(home, member)).toEqual([0, 0, 0, 0]);
});

test("the application can change no version and delete none", async () => {
  const { home } = await workshop();
  for (const table of Object.keys(keptDays))
    for (const sql of [`update ${table} set created_at = now()`, `delete from ${table}`])
      await expect(running.sql(sql, [], home.workspaceId)).rejects.toThrow("permission denied");
});

test("others find an exact version by its id, where it is the caller's own", async () => {
  const { home, member, owner, evidence, set } = await workshop();
  const as = ({ actorId }: Person) =>
    asTenant(running, home.workspaceId, async (tx) => {
      await tx.rows("select set_config('svc.actor', $1, true)", [actorId]);
      const found = [await evidenceAt(tx, evidence.id, 1), await resultSetAt(tx, set.id, 1)];
      return [...found, await evidenceAt(tx, evidence.id, 2), await resultSetAt(tx, set.id, 2)];
    });
  const [pinned, captured, ...missing] = await as(member);
  expect([pinned?.id, captured?.id, ...missing]).toEqual([evidence.id, set.id, undefined, undefined]);
  expect(await as(owner)).toEqual([undefined, undefined, undefined, undefined]);
});
