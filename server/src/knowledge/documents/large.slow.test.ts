// Large branches: 10,000 Documents go along with one, and one more is refused; what is done to them stays within what a
// statement may take.
import { MOST_AT_ONCE } from "@svc/contract/knowledge/documents/documents.ts";
import { expect, test } from "vitest";
import { byPath, changeDocument, newDocument, readDocument } from "../../../test/documents.ts";
import { inTime } from "../../../test/eventually.ts";
import { newProject, refusalOf } from "../../../test/work.ts";
import { service, type World, world } from "../../../test/world.ts";

// Of its own: what is measured against a time limit stands beside nobody else.
const running = service({});
/** So many Documents below this one, in lines of three. */
async function fill({ workspaceId }: World, id: string, count: number) {
  const insert = (from: number, to: number) =>
    running.sql(
      `insert into documents (workspace_id, id, project_id, parent_id, depth, title, slug, path, position,
       created_by_actor_id)
       select d.workspace_id, ('10000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, d.project_id,
         case n % 3 when 1 then d.id else ('10000000-0000-7000-8000-' || lpad((n - 1)::text, 12, '0'))::uuid end,
         2 + (n - 1) % 3, 'Page ' || n, 'page-' || n, d.path || '/page-' || n, n, d.created_by_actor_id
       from documents d, generate_series($2::int, $3::int) n where d.id = $1`,
      [id, from, to],
      workspaceId,
    );
  for (let from = 1; from <= count; from += 2_500) await insert(from, Math.min(from + 2_499, count));
}

test("a branch of 10,000 is renamed, moved into a Project, thrown away, restored and deleted, each at once, and one more is refused", async () => {
  const home = await world(running);
  const { owner } = home;
  const top = await newDocument(home, { title: "Top" });
  await fill(home, top.id, MOST_AT_ONCE);
  const change = (wanted: object) => inTime(() => changeDocument(owner, top.id, wanted));
  const trash = () => inTime(() => owner.call("DELETE", `/documents/${top.id}`));
  const restore = () => owner.call("POST", `/documents/${top.id}/restore`, { headers: { "if-match": "*" } });
  const leaf = "10000000-0000-7000-8000-000000009999";
  const renamed = await change({ title: "Renamed" });
  expect([renamed.status, renamed.body.path], renamed.text).toEqual([200, "renamed"]);
  expect((await readDocument(owner, leaf)).path).toBe("renamed/page-9997/page-9998/page-9999");
  const project = await newProject(home);
  expect((await change({ project_id: project.id })).status).toBe(200);
  expect((await readDocument(owner, leaf)).project_id).toBe(project.id);
  expect((await trash()).status).toBe(204);
  expect((await readDocument(owner, leaf)).trashed_at).not.toBeNull();
  expect((await inTime(restore)).status).toBe(200);
  expect((await byPath(owner, home, "renamed/page-9997/page-9998/page-9999")).body.id).toBe(leaf);
  const other = await newDocument(home, { title: "Other", parent_id: top.id });
  for (const answer of [await change({ title: "Again" }), await change({ project_id: null }), await trash()])
    expect(refusalOf(answer)).toEqual([422, "document_tree_too_large"]);
  // What moves nothing is not bounded.
  expect((await change({ icon: "x", archived: true })).status).toBe(200);
  await owner.call("DELETE", `/documents/${other.id}`);
  await owner.call("DELETE", `/documents/${other.id}/permanent`);
  expect((await trash()).status).toBe(204);
  expect((await inTime(() => owner.call("DELETE", `/documents/${top.id}/permanent`))).status).toBe(204);
  expect(await running.sql("select from documents", [], home.workspaceId)).toEqual([]);
}, 300_000);
