// How many versions of ChangeSets and Document patches a member has, and when they are forgotten.
import { expect, test } from "vitest";
import { applied, approve, propose } from "../../../test/changes.ts";
import { newDocument } from "../../../test/documents.ts";
import { newTask, refusalOf, workshopOn } from "../../../test/work.ts";
import { newKey, type Person, service, type World } from "../../../test/world.ts";
import { background } from "./jobs.ts";
import { APPLIED_DAYS, MOST_VERSIONS, PATCH_DAYS, UNUSED_DAYS } from "./rules.ts";

const running = service();
const sweep = async () => background.jobs?.({} as never).sweep_change_sets?.({}, { query: running.asOwner } as never);

async function workshop() {
  const made = await workshopOn(running);
  const task = await newTask(made.owner, made.project.id);
  const change = { action: "task.update", task_id: task.id, revision: "1", set: { title: "Other" } };
  return { ...made, change };
}
const draft = (person: Person, { workspaceId }: World, document_id: string) =>
  person.call("POST", `/workspaces/${workspaceId}/document-patches`, {
    body: { document_id, base_revision: "1", edits: [{ action: "find_replace", find: "gears", replace: "wheels" }] },
    key: newKey(),
  });

test("there is room for so many versions that have not expired", async () => {
  const { home, owner, change } = await workshop();
  const { body } = await propose(owner, home, [change]);
  await running.asOwner(
    `insert into change_set_versions
       select v.workspace_id, v.change_set_id, v.version + n, v.digest, v.title, v.reason, v.changes, v.outcomes,
         v.evidence, v.refused,
       v.created_at, v.expires_at from change_set_versions v, generate_series(1, ${MOST_VERSIONS - 2}) n
         where v.change_set_id = $1`,
    [body.id],
  );
  expect((await propose(owner, home, [change])).status).toBe(200);
  expect(refusalOf(await propose(owner, home, [change]))).toEqual([409, "too_many_kept"]);
  const other = await home.member("member");
  expect((await propose(other, home, [change])).status).toBe(200);
  await running.asOwner("update change_set_versions set expires_at = now() where change_set_id = $1 and version = 2", [
    body.id,
  ]);
  expect((await propose(owner, home, [change])).status).toBe(200);
});

test("of Document patches as many", async () => {
  const { home, owner } = await workshop();
  const document = await newDocument(home, { markdown: "Cut the gears" });
  const { status, body, text } = await draft(owner, home, document.id);
  expect(status, text).toBe(200);
  await running.asOwner(
    `insert into document_patch_versions
     select v.workspace_id, v.patch_id, v.version + n, v.base_revision, v.edits, v.content, v.markdown, v.text,
       v.blocks, v.markdown_diff, v.created_at
     from document_patch_versions v, generate_series(1, ${MOST_VERSIONS - 2}) n where v.patch_id = $1`,
    [body.id],
  );
  expect((await draft(owner, home, document.id)).status).toBe(200);
  expect(refusalOf(await draft(owner, home, document.id))).toEqual([409, "too_many_kept"]);
});

test("what is of no use is forgotten, and nothing before its time", async () => {
  const { home, owner, project, change } = await workshop();
  const unused = (await propose(owner, home, [change])).body;
  const fresh = (await propose(owner, home, [change])).body;
  const done: string[] = [];
  for (const title of ["Old", "Young"]) {
    const create = { action: "task.create", project_id: project.id, set: { title } };
    const approved = await approve(owner, home, [create]);
    expect((await applied(owner, home, approved)).status).toBe(200);
    done.push(approved.id);
  }
  const document = await newDocument(home, { markdown: "Cut the gears" });
  const [old, young] = [(await draft(owner, home, document.id)).body, (await draft(owner, home, document.id)).body];
  const days = (count: number) => `now() - interval '${count} days'`;
  await running.asOwner(
    `update change_set_versions set expires_at = ${days(UNUSED_DAYS + 1)} where change_set_id = $1`,
    [unused.id],
  );
  await running.asOwner(
    `update change_set_versions set expires_at = ${days(UNUSED_DAYS - 1)} where change_set_id = $1`,
    [fresh.id],
  );
  await running.asOwner(`update change_set_versions set expires_at = ${days(80)} where change_set_id = any($1)`, [
    done,
  ]);
  await running.asOwner(
    `update change_set_applications set created_at = ${days(APPLIED_DAYS + 1)} where change_set_id = $1`,
    [done[0]],
  );
  await running.asOwner(`update document_patch_versions set created_at = ${days(PATCH_DAYS + 1)} where patch_id = $1`, [
    old.id,
  ]);
  await sweep();
  await sweep();
  const left = await running.asOwner<{ id: string }>("select id from change_sets where workspace_id = $1 order by id", [
    home.workspaceId,
  ]);
  expect(left.map(({ id }) => id)).toEqual([fresh.id, done[1]].sort());
  const patches = await running.asOwner<{ id: string }>("select id from document_patches where workspace_id = $1", [
    home.workspaceId,
  ]);
  expect(patches).toEqual([{ id: young.id }]);
});
