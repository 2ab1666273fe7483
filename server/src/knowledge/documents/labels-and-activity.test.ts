// Labels and activity of Documents: which labels a Document can have, what a deleted label leaves, and who sees its
// activity.
import { describe, expect, test } from "vitest";
import { any, changeDocument, type MadeDocument, newDocument, readDocument } from "../../../test/documents.ts";
import { eventsOf, joinProject, newProject, refusalOf } from "../../../test/work.ts";
import { newKey, type Person, service, type World, world } from "../../../test/world.ts";
import { labelJobs } from "../../planning/labels/jobs.ts";

const running = service();
const labelIn = async (person: Person, scope: string, purpose = "document") => {
  const body = { name: newKey(), purpose };
  return (await person.call("POST", `${scope}/label-definitions`, { body, key: newKey() })).body as { id: string };
};
const put = (person: Person, id: string, label_ids: string[]) =>
  person.call("PUT", `/document/${id}/labels`, { body: { label_ids }, ...any });

describe("labels", () => {
  test("of the Workspace and of its Project can be put on a Document, when they are for Documents", async () => {
    const home = await world(running);
    const { owner, workspaceId } = home;
    const [project, other] = [await newProject(home), await newProject(home)];
    const wide = await labelIn(owner, `/workspaces/${workspaceId}`);
    const general = await labelIn(owner, `/workspaces/${workspaceId}`, "general");
    const ofTasks = await labelIn(owner, `/workspaces/${workspaceId}`, "task");
    const own = await labelIn(owner, `/projects/${project.id}`);
    const foreign = await labelIn(owner, `/projects/${other.id}`);
    const inside = await newDocument(home, { project_id: project.id, label_ids: [own.id, wide.id] });
    expect(inside.label_ids).toEqual([own.id, wide.id]);
    const outside = await newDocument(home, { title: "Outside" });
    const answer = await put(owner, inside.id, [general.id, own.id]);
    expect(answer.body).toMatchObject({
      target_kind: "document",
      target_id: inside.id,
      label_ids: [general.id, own.id],
      revision: "2",
      capabilities: ["documents:read", "documents:write", "documents:manage"],
    });
    expect((await owner.call("GET", `/document/${inside.id}/labels`)).body.labels).toHaveLength(2);
    for (const [id, label] of [
      [inside.id, ofTasks.id],
      [inside.id, foreign.id],
      [outside.id, own.id],
    ] as const) {
      expect(refusalOf(await put(owner, id, [label]))).toEqual([422, "invalid_reference", "/body/label_ids/0"]);
      expect(refusalOf(await changeDocument(owner, id, { label_ids: [label] }))).toEqual([
        422,
        "invalid_reference",
        "/body/label_ids/0",
      ]);
    }
    const create = await owner.call("POST", `/workspaces/${workspaceId}/documents`, {
      body: { title: "N", label_ids: [own.id] },
      key: newKey(),
    });
    expect(refusalOf(create)).toEqual([422, "invalid_reference", "/body/label_ids/0"]);
    expect((await put(await home.member("viewer"), outside.id, [])).status).toBe(403);
    await owner.call("DELETE", `/documents/${outside.id}`);
    expect((await put(owner, outside.id, [wide.id])).body.code).toBe("document_trashed");
  });

  test("are counted as used by Documents, and a deleted one comes off them", async () => {
    const home = await world(running);
    const { owner, workspaceId } = home;
    const label = await labelIn(owner, `/workspaces/${workspaceId}`);
    const document = await newDocument(home, { label_ids: [label.id] });
    const thrown = await newDocument(home, { title: "Thrown", label_ids: [label.id] });
    await owner.call("DELETE", `/documents/${thrown.id}`);
    expect((await owner.call("DELETE", `/label-definitions/${label.id}`)).status).toBe(204);
    for (const { id } of [document, thrown]) expect((await readDocument(owner, id)).label_ids).toEqual([]);
    expect(await running.sql("select from label_assignments where label_id = $1", [label.id], workspaceId)).toEqual([]);
    expect((await eventsOf(running, home, document.id)).at(-1)).toMatchObject({
      type: "document.labels_changed",
      payload: { from: [label.id], to: [] },
    });
    // Gone from a Document, it cannot be brought back as if nothing had borne it.
    const [last] = await running.sql<{ payload: { stripped: boolean } }>(
      "select payload from domain_events where type = 'label.deleted'",
      [],
      workspaceId,
    );
    expect(last?.payload.stripped).toBe(true);
  });

  test("of more than a thousand Documents come off in the background, with an event each", async () => {
    const home = await world(running);
    const { owner, workspaceId } = home;
    const label = await labelIn(owner, `/workspaces/${workspaceId}`);
    const { id } = await newDocument(home, { label_ids: [label.id] });
    await running.sql(
      `insert into documents (workspace_id, id, depth, title, slug, path, position, created_by_actor_id, label_ids)
       select workspace_id, gen_random_uuid(), 1, 'D', 'd', 'd-' || n, n, created_by_actor_id, label_ids
       from documents, generate_series(1, 1200) n where id = $1`,
      [id],
      workspaceId,
    );
    expect((await owner.call("DELETE", `/label-definitions/${label.id}`)).status).toBe(204);
    const author = { actorId: owner.actorId, userId: owner.userId, source: "session", commandId: id };
    const payload = { workspace_id: workspaceId, label_id: label.id, author };
    await labelJobs(running.database).strip_label?.(payload, {} as never);
    const borne = "select count(*)::int as n from documents where label_ids <> '{}'";
    expect(await running.sql(borne, [], workspaceId)).toEqual([{ n: 0 }]);
    const told =
      "select count(*)::int as n from domain_events where type = 'document.labels_changed' and payload -> 'to' = '[]'";
    expect(await running.sql(told, [], workspaceId)).toEqual([{ n: 1201 }]);
  });
});

describe("activity", () => {
  interface Item {
    kind: string;
    actions: string[];
    affected: { kind: string; id: string; title: string | null; project_id: string | null }[];
    changes: { field: string; from: unknown; to: unknown }[];
  }
  const feed = async (person: Person, { workspaceId }: World, path = `/workspaces/${workspaceId}`): Promise<Item[]> =>
    (await person.call("GET", `${path}/activity?limit=100`)).body.items;
  const about = (items: Item[], { id }: Pick<MadeDocument, "id">) =>
    items.filter(({ affected }) => affected.some((each) => each.id === id));

  test("tells what was done to a Document, by names of now, and nothing of ordinary titles, order, labels and publication", async () => {
    const home = await world(running);
    const { owner } = home;
    const parent = await newDocument(home, { title: "Parent" });
    const document = await newDocument(home, { title: "Draft" });
    for (const body of [{ title: "Plan" }, { icon: "x" }, { published: true }, { published: false }])
      expect((await changeDocument(owner, document.id, body)).status).toBe(200);
    expect(about(await feed(owner, home), document).flatMap(({ actions }) => actions)).toEqual([
      "activity.document.created",
    ]);
    await changeDocument(owner, document.id, { parent_id: parent.id });
    await changeDocument(owner, parent.id, { title: "Renamed parent" });
    const [moved, created] = about(await feed(owner, home), document);
    expect(moved).toMatchObject({
      kind: "document",
      actions: ["activity.document.moved"],
      affected: [{ kind: "document", id: document.id, title: "Plan", code: null, project_id: null, task_id: null }],
      changes: [{ field: "parent", from: null, to: { id: parent.id, name: "Renamed parent" } }],
    });
    expect(created?.changes).toContainEqual({ resource_id: document.id, field: "title", from: null, to: "Draft" });
    await changeDocument(owner, document.id, { archived: true });
    await owner.call("DELETE", `/documents/${document.id}`);
    await owner.call("DELETE", `/documents/${document.id}/permanent`);
    const items = about(await feed(owner, home), document);
    expect(items.map(({ actions }) => actions[0])).toEqual(
      ["deleted", "trashed", "archived", "moved", "created"].map((verb) => `activity.document.${verb}`),
    );
    for (const { affected, changes } of items) expect([affected[0]?.title, changes]).toEqual([null, []]);
  });

  test("follows the Document: into a private Project only its people are told, of earlier things too, and out of it everybody", async () => {
    const home = await world(running);
    const { owner } = home;
    const [member, partner] = [await home.member("member"), await home.member("member")];
    const project = await newProject(home, { visibility: "private" });
    await joinProject(home, project.id, partner, "viewer");
    const document = await newDocument(home, { title: "Plan" });
    const seen = async () => [
      about(await feed(owner, home), document).length,
      about(await feed(partner, home), document).length,
      about(await feed(member, home), document).length,
    ];
    expect(await seen()).toEqual([1, 1, 1]);
    await changeDocument(owner, document.id, { project_id: project.id });
    expect(await seen()).toEqual([2, 2, 0]);
    expect(about(await feed(partner, home, `/projects/${project.id}`), document)).toHaveLength(1);
    await owner.call("DELETE", `/documents/${document.id}`);
    await owner.call("DELETE", `/documents/${document.id}/permanent`);
    expect(await seen()).toEqual([4, 4, 0]);
    const other = await newDocument(home, { title: "Other", project_id: project.id });
    await changeDocument(owner, other.id, { project_id: null });
    const [moved] = about(await feed(member, home), other);
    // Everybody sees it now; where it came from has no name for them.
    expect(moved?.changes).toContainEqual(
      expect.objectContaining({ field: "project", from: { id: null, code: null, name: null }, to: null }),
    );
    expect(about(await feed(partner, home, `/projects/${project.id}`), other)).toEqual([]);
  });
});
