// Invariants of the tree under concurrent changes: no cycle, no duplicate path, nothing below a Document in the trash.
// Requests really overlap.
import { expect, test } from "vitest";
import type { Answer } from "../../../test/answer.ts";
import { changeDocument, type MadeDocument, newDocument, readDocument } from "../../../test/documents.ts";
import { newKey, service, type World, world } from "../../../test/world.ts";

const running = service();
/**
 * Whether the stored tree is whole: everybody reaches the top, at the level and with the path that follow from the way
 * there.
 */
async function expectWhole({ workspaceId }: World) {
  const rows = await running.sql<{
    id: string;
    parent_id: string | null;
    depth: number;
    slug: string;
    path: string;
    project_id: string | null;
    trashed: boolean;
  }>(
    "select id, parent_id, depth, slug, path, project_id, trashed_at is not null as trashed from documents",
    [],
    workspaceId,
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const row of rows.filter(({ trashed }) => !trashed)) {
    const line = [row];
    for (let above = row.parent_id; above !== null; above = line.at(-1)?.parent_id ?? null) {
      const parent = byId.get(above);
      expect(parent, "a parent that is there").toBeDefined();
      expect(line.length, "no circle").toBeLessThanOrEqual(20);
      expect(parent?.trashed, "nothing stands below what is in the trash").toBe(false);
      expect(parent?.project_id).toBe(row.project_id);
      line.push(parent as typeof row);
    }
    expect(row.depth).toBe(line.length);
    expect(row.path).toBe(
      line
        .map(({ slug }) => slug)
        .reverse()
        .join("/"),
    );
  }
  const paths = rows.filter(({ trashed }) => !trashed).map(({ path }) => path);
  expect(new Set(paths).size).toBe(paths.length);
}

test("two moves that together would make a circle are not both made", async () => {
  for (let round = 0; round < 8; round++) {
    const home = await world(running);
    const [a, b] = [await newDocument(home, { title: "A" }), await newDocument(home, { title: "B" })];
    const answers = await Promise.all([
      changeDocument(home.owner, a.id, { parent_id: b.id }),
      changeDocument(home.owner, b.id, { parent_id: a.id }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
    await expectWhole(home);
  }
});

test("whatever is moved, renamed, thrown away, restored and created at once, the tree stays whole", async () => {
  const home = await world(running);
  const { owner, workspaceId } = home;
  const documents: MadeDocument[] = [];
  for (let at = 0; at < 10; at++)
    documents.push(await newDocument(home, { title: `D${at % 4}`, parent_id: at > 4 ? documents[at - 5]?.id : null }));
  // Always the same ones: a generator of our own, so that a failure can be seen again.
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed % below;
  };
  const any = () => documents[random(documents.length)] as MadeDocument;
  const works: (() => Promise<Answer>)[] = [];
  for (let at = 0; at < 120; at++) {
    const [one, other, what] = [any(), any(), random(6)];
    works.push(
      what < 2
        ? () => changeDocument(owner, one.id, { parent_id: random(4) === 0 ? null : other.id })
        : what === 2
          ? () => changeDocument(owner, one.id, { title: `D${at % 4}` })
          : what === 3
            ? () => owner.call("DELETE", `/documents/${one.id}`)
            : what === 4
              ? () => owner.call("POST", `/documents/${one.id}/restore`, { headers: { "if-match": "*" } })
              : () =>
                  owner.call("POST", `/workspaces/${workspaceId}/documents`, {
                    body: { title: `D${at % 4}`, parent_id: one.id },
                    key: newKey(),
                  }),
    );
  }
  const answers: Answer[] = [];
  for (let at = 0; at < works.length; at += 12)
    answers.push(...(await Promise.all(works.slice(at, at + 12).map((work) => work()))));
  expect(answers.filter(({ status }) => status >= 500).map(({ text }) => text)).toEqual([]);
  expect(answers.filter(({ status }) => status < 300).length).toBeGreaterThan(40);
  await expectWhole(home);
  for (const { id } of documents)
    await owner.call("POST", `/documents/${id}/restore`, { headers: { "if-match": "*" } });
  await expectWhole(home);
});

test("of many changes at one revision one is made, and of many moves each is made or refused", async () => {
  const home = await world(running);
  const { id } = await newDocument(home);
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, at) =>
      home.owner.call("PATCH", `/documents/${id}`, { body: { title: `T${at}` }, ifMatch: "1" }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
  expect((await readDocument(home.owner, id)).revision).toBe("2");
});

test("a creation that is sent twice with one key makes one Document", async () => {
  const home = await world(running);
  const key = newKey();
  const send = () =>
    home.owner.call("POST", `/workspaces/${home.workspaceId}/documents`, { body: { title: "Once" }, key });
  const answers = await Promise.all([send(), send(), send()]);
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  expect((await home.owner.call("GET", `/workspaces/${home.workspaceId}/documents`)).body.items).toHaveLength(1);
});
