// What is shown of a Document before the answer is what the service answers; and the tree is drawn as the service
// orders it.
import { createClient } from "@svc/client";
import { expect, test } from "vitest";
import { newDocument } from "../../../server/test/documents.ts";
import { newProject } from "../../../server/test/work.ts";
import { service, sessionHeaders, world } from "../../../server/test/world.ts";
import { type Operation, together } from "../store/domain.ts";
import type { QueuedChange } from "../store/queue/change.ts";
import type { Document } from "../store/rows.ts";
import { Store } from "../store/store.ts";
import { documentsDomain } from "./operations.ts";
import { ancestorsOf, linesOf } from "./tree-rows.ts";

const running = service();

async function bench() {
  const home = await world(running);
  const headers = sessionHeaders(home.owner.session);
  const api = createClient({ url: running.url, workspaceId: home.workspaceId, headers });
  async function both(name: string, row: Document | undefined, input: Record<string, unknown>, guess: object = {}) {
    const operation = documentsDomain.operations?.[name] as unknown as Operation<Document>;
    const ids = row ? [row.id] : [];
    const change = { input, guess, ids, creates: row ? null : "new-1", madeAt: Date.now() } as unknown as QueuedChange;
    const shown = operation.apply(row, change, row?.id ?? "new-1") as Document;
    const call = api[name as "updateDocument"] as unknown as (input: object, options: object) => Promise<object>;
    const answer = await call(input, { at: row?.revision });
    const brought = operation.took ? await operation.took(answer, change, api) : { document: [answer] };
    return { shown, answer: brought.document?.[0] as Document };
  }
  return { home, api, both };
}
/** What only the service knows; moments are compared by whether there is one. */
function known(row: Document) {
  const { id: _, revision: __, path: ___, position: ____, content_revision: _____, ...rest } = row;
  const { capabilities: ______, ...plain } = rest as typeof rest & { capabilities?: unknown };
  const moments = ["created_at", "updated_at", "published_at", "archived_at", "trashed_at"] as const;
  return { ...plain, ...Object.fromEntries(moments.map((name) => [name, row[name] !== null])) };
}

test("a Document is created, renamed, archived, thrown away and brought back", async () => {
  const { home, both } = await bench();
  const project = await newProject(home);
  const guess = { workspace_id: home.workspaceId, created_by_actor_id: home.owner.actorId };
  const place = { workspace_id: home.workspaceId, project_id: project.id };
  const created = await both("createDocument", undefined, { ...place, title: "Plan" }, guess);
  expect(known(created.shown)).toEqual(known(created.answer));
  const document_id = created.answer.id;
  const renamed = await both("updateDocument", created.answer, { document_id, title: "Plans", icon: "🗺" });
  expect(known(renamed.shown)).toEqual(known(renamed.answer));
  const archived = await both("updateDocument", renamed.answer, { document_id, archived: true });
  expect(known(archived.shown)).toEqual(known(archived.answer));
  const back = await both("updateDocument", archived.answer, { document_id, archived: false });
  expect(known(back.shown)).toEqual(known(back.answer));
  const published = await both("updateDocument", back.answer, { document_id, published: true });
  expect(published.answer.public_id, "which nobody can guess").not.toBeNull();
  const trashed = await both("trashDocument", published.answer, { document_id });
  expect(known(trashed.shown)).toEqual(known(trashed.answer));
  const restored = await both("restoreDocument", trashed.answer, { document_id });
  expect(known(restored.shown)).toEqual(known(restored.answer));
});

test("a Document that is moved stands below its new parent, in the parent's Project", async () => {
  const { home, both } = await bench();
  const project = await newProject(home);
  const parent = await newDocument(home, { title: "Parent", project_id: project.id });
  const row = (await newDocument(home, { title: "Child" })) as unknown as Document;
  const input = { document_id: row.id, parent_id: parent.id, after_document_id: null };
  const { shown, answer } = await both("updateDocument", row, input, { position: 0, project_id: project.id });
  expect(known(shown)).toEqual(known(answer));
});

test("the tree has the lines of what is open, in the order of the service, without what is archived or thrown away", async () => {
  const { home, api } = await bench();
  const top = await newDocument(home, { title: "Top" });
  const below = await newDocument(home, { title: "Below", parent_id: top.id });
  const deep = await newDocument(home, { title: "Deep", parent_id: below.id });
  const gone = await newDocument(home, { title: "Gone", parent_id: top.id });
  await home.owner.call("DELETE", `/documents/${gone.id}`);
  const last = await newDocument(home, { title: "Last" });
  const store = new Store(together([documentsDomain]));
  const { items } = await api.listDocuments({ workspace_id: home.workspaceId });
  store.accept({ document: items });
  const lines = (...open: string[]) =>
    linesOf(store, "workspace", new Set(open)).map(({ id, level, hasChildren }) => [id, level, hasChildren]);
  expect(lines()).toEqual([
    [top.id, 1, true],
    [last.id, 1, false],
  ]);
  expect(lines(top.id, below.id)).toEqual([
    [top.id, 1, true],
    [below.id, 2, true],
    [deep.id, 3, false],
    [last.id, 1, false],
  ]);
  expect(ancestorsOf(store, deep.id).map(({ title }) => title)).toEqual(["Top", "Below"]);
});
