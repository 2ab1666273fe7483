// Every list, at 20,000 rows and more: no scan of a whole table, no sort of a whole set, and no page that looks at many more rows
// than it shows; and no operation on one thing that would read a table. The statements are those that the service sent while it
// answered, with the parameters that it sent, explained on its own connections: what is proved here cannot drift from what runs.
import { operations } from "@svc/contract/operations.ts";
import { expect, test } from "vitest";
import { newSecret } from "../src/kernel/ids.ts";
import { explaining } from "./explained.ts";
import { insertCredential, type Person } from "./world.ts";

const { running, seen, explain, faultsOf } = explaining();

const pageOf = operations.values().filter((operation) => operation.kind === "page");
for (const { id, auth, errors } of pageOf) {
  test(`${id} reads what it shows and little more, on the first page and further on`, async () => {
    const { home, reader, lists } = seen.loaded;
    expect(Object.keys(lists), "a list without a line here").toContain(id);
    // Some are for those who manage, and for nobody else.
    const readers = errors?.includes("forbidden") ? [home.owner] : [home.owner, reader];
    for (const path of lists[id] as string[])
      for (const person of readers) await expectShort(auth.includes("S") ? person : await asDeveloper(person), path);
  });
}

/** The same person with a developer client's token, for lists that no session reads. */
async function asDeveloper(person: Person): Promise<Person> {
  const token = newSecret("dat");
  await insertCredential(running, "developer", token, person.userId, seen.loaded.home.workspaceId, ["svc:read"]);
  return { ...person, call: (method, path, options) => person.bearer(token, method, path, options) };
}

async function expectShort(person: Person, path: string) {
  let cursor = "";
  for (const page of ["first", "second"]) {
    seen.recorded = [];
    const answer = await person.call("GET", `${path}${path.includes("?") ? "&" : "?"}limit=20${cursor}`);
    const statements = seen.recorded;
    expect([answer.status, answer.trips]).toEqual([200, 1]);
    for (const statement of statements) {
      const nodes = await explain(statement, seen.loaded.home.workspaceId);
      expect(faultsOf(nodes), `${page} page of ${path}: ${statement.sql}`).toEqual([]);
    }
    if (!answer.body.has_more) return;
    cursor = `&cursor=${encodeURIComponent(answer.body.next_cursor)}`;
  }
}

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
  for (const statement of [scan, sort]) expect(faultsOf(await explain(statement, workspaceId))).not.toEqual([]);
});
