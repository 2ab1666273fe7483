// Every list, at 100,000 Tasks and 20,000 rows and more of everything else: no scan of a whole table, no sort of a
// whole set, and no page that looks at many more rows than it shows; and no operation on one thing that would read a
// table. The statements are those that the service sent while it answered, with the parameters that it sent, explained
// on its own connections: what is proved here cannot drift from what runs.
import { operations } from "@svc/contract/operations.ts";
import { expect, test } from "vitest";
import { newSecret } from "../src/platform/wire/ids.ts";
import { managersAlone } from "./checks/access.ts";
import { explaining, type Statement } from "./explained.ts";
import { insertCredential, type Person } from "./world.ts";

const { running, seen, explain, explainInside, faultsOf, allFaultsOf } = explaining();

const pageOf = operations.values().filter((operation) => operation.kind === "page");
for (const { id, auth, errors, include } of pageOf) {
  test(`${id} reads what it shows and little more, on the first page and further on`, async () => {
    const { home, reader, lists } = seen.loaded;
    expect(Object.keys(lists), "a list without a line in `lists`").toContain(id);
    // Some are for those who manage, and for nobody else.
    const readers = errors?.includes("forbidden") || managersAlone.has(id) ? [home.owner] : [home.owner, reader];
    const [plain = "", ...others] = lists[id] as string[];
    const all = include ? [`${plain}${plain.includes("?") ? "&" : "?"}include=${include.join(",")}`] : [];
    for (const path of [plain, ...others, ...all])
      for (const person of readers) await expectShort(auth.includes("S") ? person : await asDeveloper(person), path);
  });
}

/** The same person with a developer client's token, for lists that no session reads. */
async function asDeveloper(person: Person): Promise<Person> {
  const token = newSecret("dat");
  await insertCredential(running, "developer", token, person.userId, seen.loaded.home.workspaceId, ["svc:read"]);
  return { ...person, call: (method, path, options) => person.bearer(token, method, path, options) };
}

/**
 * What was explained, with its values and for whom: who asks is looked up anew for every list, and no list changes a
 * row.
 */
const shown = new Set<string>();
async function expectShort(person: Person, path: string) {
  let cursor = "";
  for (const page of ["first", "second"]) {
    seen.recorded = [];
    const answer = await person.call("GET", `${path}${path.includes("?") ? "&" : "?"}limit=20${cursor}`);
    // A page that looks on asks the same for one stretch after the other: the last is as good as any.
    const statements = new Map(seen.recorded.map((statement) => [statement.sql, statement])).values();
    expect(answer.status).toBe(200);
    // One round-trip, unless a list has to look on until its page is full.
    expect(answer.trips).toBeLessThanOrEqual(answer.body.complete === undefined ? 1 : 25);
    for (const statement of statements) {
      const sent = JSON.stringify([person.session, statement]);
      if (shown.has(sent)) continue;
      const nodes = await explain(statement, seen.loaded.home.workspaceId);
      expect(allFaultsOf(nodes, statement.sql), `${page} page of ${path}: ${statement.sql}`).toEqual([]);
      shown.add(sent);
    }
    if (!answer.body.has_more) return;
    cursor = `&cursor=${encodeURIComponent(answer.body.next_cursor)}`;
  }
}

const not = (type: string) => (node: { "Node Type": string }) => node["Node Type"] !== type;

test("what a search asks within its functions, and what keeps its index, is found by an index too", async () => {
  const { home, lists } = seen.loaded;
  const statements: Statement[] = [
    { sql: "select index_search(100, null, null)", values: [] },
    { sql: "select sweep_search_words(100)", values: [] },
  ];
  for (const path of lists.search as string[]) {
    seen.recorded = [];
    await home.owner.call("GET", `${path}&limit=20`);
    statements.push(...seen.recorded.filter(({ sql }) => sql.includes("search_matches")));
  }
  expect(statements.length).toBe(2 + (lists.search as string[]).length);
  for (const statement of statements) {
    const inside = await explainInside(statement);
    expect(inside.length, statement.sql).toBeGreaterThan(2);
    // Of an inverted index the whole list of a word is read, without a look at its rows. Of those 400 are wanted that
    // match, which may be every twentieth.
    const looks = inside.map(({ sql, nodes }) => ({ sql, nodes: nodes.filter(not("Bitmap Index Scan")) }));
    const faults = looks.flatMap(({ sql, nodes }) =>
      faultsOf(nodes, "", 8_000).map((fault) => `${fault}: ${sql.slice(0, 100)}`),
    );
    expect.soft(faults, `${statement.sql.slice(0, 100)} ${statement.values.slice(0, 3)}`).toEqual([]);
  }
});

test("a statement without an index is caught", async () => {
  const { workspaceId, owner } = seen.loaded.home;
  const values = [workspaceId, owner.actorId];
  const scan = {
    sql: "select * from tasks where workspace_id = $1 and created_by_actor_id = $2 and title = ''",
    values,
  };
  const sort = {
    sql: "select * from tasks where workspace_id = $1 and title <> $2::text order by title limit 5",
    values,
  };
  // Every member beside every Task of a page: thrown away by the join, and by no filter.
  const joined = {
    sql: `select t.id from (select * from tasks where workspace_id = $1 limit 20) t
      join memberships m on m.workspace_id = $1 and m.actor_id::text = t.id::text`,
    values: [workspaceId],
  };
  expect(allFaultsOf(await explain(joined, workspaceId), joined.sql)).not.toEqual([]);
  for (const statement of [scan, sort]) expect(faultsOf(await explain(statement, workspaceId))).not.toEqual([]);
  const within = await explainInside({ sql: "do $$ begin perform from tasks where title = ''; end $$", values: [] });
  expect(within.flatMap(({ nodes }) => faultsOf(nodes))).not.toEqual([]);
});

// Last: what is written there would be in the lists.
await import("./explain-one.ts");
await import("./explain-board.ts");
await import("./explain-editing.ts");
await import("./explain-documents.ts");
await import("./explain-undoing.ts");
await import("./explain-changes.ts");
await import("./explain-knowledge.ts");
await import("./explain-repository.ts");
await import("./explain-realtime.ts");
await import("./explain-native.ts");
await import("./explain-private.ts");
await import("./explain-discuss.ts");
await import("./explain-agents.ts");
await import("./explain-agent-runs.ts");
await import("./explain-billing.ts");
await import("./explain-webhooks.ts");
await import("./explain-integrations.ts");
await import("./explain-operations.ts");
