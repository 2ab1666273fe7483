// Lists of Documents: filters, orders, pages, and what comes along.
import { describe, expect, test } from "vitest";
import { changeDocument, type MadeDocument, newDocument } from "../../../test/documents.ts";
import { nativeTokens } from "../../../test/native.ts";
import { newProject, pages, refusalOf } from "../../../test/work.ts";
import { newKey, type Person, service, type World, world } from "../../../test/world.ts";

const running = service();
const titles = async (person: Person, { workspaceId }: World, query = "") => {
  const { status, body, text } = await person.call("GET", `/workspaces/${workspaceId}/documents${query}`);
  expect(status, text).toBe(200);
  return body.items.map(({ title }: MadeDocument) => title);
};
const labelIn = async ({ owner }: World, scope: string, purpose = "document") =>
  (await owner.call("POST", `${scope}/label-definitions`, { body: { name: newKey(), purpose }, key: newKey() })).body
    .id as string;

/** Two Projects, some Documents in each and in none, at the top and below. */
async function library() {
  const home = await world(running);
  const [one, two] = [await newProject(home), await newProject(home, { visibility: "private" })];
  const label = await labelIn(home, `/workspaces/${home.workspaceId}`);
  const alpha = await newDocument(home, { title: "alpha" });
  const beta = await newDocument(home, { title: "Beta", label_ids: [label] });
  const gamma = await newDocument(home, { title: "gamma", parent_id: alpha.id });
  const delta = await newDocument(home, { title: "delta", project_id: one.id });
  const epsilon = await newDocument(home, { title: "epsilon", project_id: two.id, label_ids: [label] });
  return { home, owner: home.owner, one, two, label, alpha, beta, gamma, delta, epsilon };
}

describe("a list of Documents", () => {
  test("is narrowed by Project, parent, label and words of the title", async () => {
    const { home, owner, one, two, label, alpha } = await library();
    for (const [query, expected] of [
      ["", ["epsilon", "delta", "gamma", "Beta", "alpha"]],
      [`?project_id=${one.id}`, ["delta"]],
      [`?project_id=${one.id},${two.id}`, ["epsilon", "delta"]],
      [`?project_id=!${one.id}`, ["epsilon", "gamma", "Beta", "alpha"]],
      ["?project_id=none", ["gamma", "Beta", "alpha"]],
      ["?project_id=!none", ["epsilon", "delta"]],
      ["?parent_id=none", ["epsilon", "delta", "Beta", "alpha"]],
      ["?parent_id=none&project_id=none", ["Beta", "alpha"]],
      [`?parent_id=${alpha.id}`, ["gamma"]],
      [`?label_id=${label}`, ["epsilon", "Beta"]],
      ["?label_id=none", ["delta", "gamma", "alpha"]],
      [`?label_id=${label}&project_id=none`, ["Beta"]],
      ["?text=ET", ["Beta"]],
      ["?text=a&sort=title", ["Beta", "alpha", "delta", "gamma"]],
      ["?text=%25", []],
    ] as const)
      expect(await titles(owner, home, query), query).toEqual(expected);
    const member = await home.member("member");
    expect(await titles(member, home)).toEqual(["delta", "gamma", "Beta", "alpha"]);
    expect(await titles(member, home, `?project_id=${two.id}`)).toEqual([]);
    expect(await titles(member, home, `?label_id=${label}`)).toEqual(["Beta"]);
  });

  test("has four orders, each both ways, and the trash has its own", async () => {
    const { home, owner, alpha, beta } = await library();
    const both = async (query: string, expected: string[]) => {
      const [sort, way] = query.split(" ");
      expect(await titles(owner, home, `?${sort}`), query).toEqual(expected);
      expect(await titles(owner, home, `?${sort}&order=${way}`), query).toEqual(expected.toReversed());
    };
    await both("sort=created asc", ["epsilon", "delta", "gamma", "Beta", "alpha"]);
    await both("sort=title desc", ["Beta", "alpha", "delta", "epsilon", "gamma"]);
    await changeDocument(owner, alpha.id, { icon: "x" });
    await both("sort=updated asc", ["alpha", "epsilon", "delta", "gamma", "Beta"]);
    await owner.call("PATCH", `/documents/${beta.id}`, { body: { after_document_id: null } });
    await both("parent_id=none&project_id=none&sort=position desc", ["Beta", "alpha"]);
    for (const query of ["?sort=position", "?sort=position&parent_id=none", "?sort=title&trashed=true"])
      expect(refusalOf(await owner.call("GET", `/workspaces/${home.workspaceId}/documents${query}`)), query).toEqual([
        400,
        "invalid_request",
        "/query/sort",
      ]);
    for (const query of ["?parent_id=all", "?sort=path", "?project_id=x", "?archived=maybe", "?unknown=1", "?text="])
      expect((await owner.call("GET", `/workspaces/${home.workspaceId}/documents${query}`)).status, query).toBe(400);
  });

  test("goes on where a page ends, in every order, and shows each once", async () => {
    const { home, owner } = await library();
    for (const query of ["sort=updated", "sort=created", "sort=title", "sort=title&order=desc", "text=a"]) {
      const path = `/workspaces/${home.workspaceId}/documents?${query}`;
      const all = (await owner.call("GET", path)).body.items.map(({ id }: MadeDocument) => id);
      expect(
        (await pages(owner, path, 1)).items.map(({ id }) => id),
        query,
      ).toEqual(all);
    }
    const other = (await owner.call("GET", `/workspaces/${home.workspaceId}/documents?limit=1`)).body.next_cursor;
    const moved = await owner.call(
      "GET",
      `/workspaces/${home.workspaceId}/documents?sort=title&limit=1&cursor=${encodeURIComponent(other)}`,
    );
    expect(moved.body.code).toBe("invalid_cursor");
  });

  test("brings along people, labels and Projects, under the reader's rights, and no content", async () => {
    const { home, owner, one, label, beta, delta } = await library();
    const { body } = await owner.call("GET", `/workspaces/${home.workspaceId}/documents?include=people,labels,project`);
    expect(Object.keys(body.included.labels)).toEqual([label]);
    expect(body.included.projects[one.id]).toMatchObject({ id: one.id, key: one.key });
    expect(body.included.actors[owner.actorId]).toMatchObject({ kind: "human" });
    expect(Object.keys(body.items[0])).not.toContain("content");
    for (const path of [`/documents/${beta.id}`, `/workspaces/${home.workspaceId}/documents/by-path/beta`])
      expect((await owner.call("GET", `${path}?include=labels,people`)).body.included).toMatchObject({
        labels: { [label]: { id: label } },
      });
    expect((await owner.call("GET", `/documents/${delta.id}?include=parent`)).status).toBe(400);
  });

  test("of a native client is the same, and its labels are those of Tasks only", async () => {
    const { home, beta } = await library();
    const { access } = await nativeTokens(running, home.owner.userId);
    const headers = { "x-svc-workspace-id": home.workspaceId };
    const get = (path: string) => home.owner.bearer(access, "GET", path, { headers });
    expect((await get(`/workspaces/${home.workspaceId}/documents`)).body.items).toHaveLength(5);
    expect((await get(`/documents/${beta.id}`)).body.capabilities).toEqual(["documents:read"]);
    expect((await get(`/document/${beta.id}/labels`)).status).toBe(404);
  });
});

test("children are listed in their order, page by page, without those that are archived or in the trash", async () => {
  const home = await world(running);
  const { owner } = home;
  const parent = await newDocument(home);
  const made = [];
  for (const title of ["A", "B", "C", "D"]) made.push(await newDocument(home, { title, parent_id: parent.id }));
  const path = `/documents/${parent.id}/children`;
  expect((await pages(owner, path, 3)).items.map(({ title }) => title)).toEqual(["A", "B", "C", "D"]);
  await changeDocument(owner, made[1]?.id as string, { archived: true });
  await owner.call("DELETE", `/documents/${made[2]?.id}`);
  expect((await pages(owner, path, 1)).items.map(({ title }) => title)).toEqual(["A", "D"]);
  expect((await owner.call("GET", `${path}?archived=true`)).body.items.map(({ title }: MadeDocument) => title)).toEqual(
    ["B"],
  );
});
