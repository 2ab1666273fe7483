// A commit requests a run when it changed what the knowledge repository exports: one run for many commits, and none
// while nothing is connected.
import pg from "pg";
import { describe, expect, test } from "vitest";
import { newDocument } from "../../../test/documents.ts";
import { eventually } from "../../../test/eventually.ts";
import { newProject, newTask } from "../../../test/work.ts";
import { type Person, service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";
import { MOST_EVENTS } from "./export-store.ts";
import { requestExports } from "./request-exports.ts";

const running = service({});
const read = ({ workspaceId }: World) => requestExports(running.database, [workspaceId]);
/** Transactions of other tests in this cluster may hold events back. */
const follow = (home: World) => eventually(async () => expect(await read(home)).toBe(false));
const at = ({ workspaceId }: World, rest = "") => `/workspaces/${workspaceId}/knowledge-repository${rest}`;
const requested = async (home: World) =>
  (
    (await home.owner.call("GET", at(home, "/runs"))).body.items as { state: string; requested_by_actor_id: string }[]
  ).filter(({ state, requested_by_actor_id }) => state === "queued" && requested_by_actor_id === null).length;

/** The state that a successful run leaves: the Documents of the Workspace and their files agree. */
const AGREE = [
  "update repository_runs set state = 'succeeded', finished_at = now() where workspace_id = $1",
  `insert into repository_files (workspace_id, document_id, path, oid, base, marked, revision, content_revision)
   select workspace_id, id, id || '.md', 'oid', '', true, revision, content_revision from documents
   where workspace_id = $1 and project_id is null
   on conflict (workspace_id, document_id) do update
   set revision = excluded.revision, content_revision = excluded.content_revision`,
];
async function agree(home: World): Promise<void> {
  for (const statement of AGREE) await running.asOwner(statement, [home.workspaceId]);
  await follow(home);
  expect(await requested(home), "in step").toBe(0);
}
async function connected(settings: object = {}) {
  const home = await world(running);
  const { owner } = home;
  const document = await newDocument(home, { title: "Known" });
  const url = "https://git.example.com/team/handbook.git";
  expect((await owner.call("PUT", at(home), { body: { url, ...settings } })).status).toBe(200);
  expect((await owner.call("POST", at(home, "/sync"), { body: {}, key: newId() })).status).toBe(202);
  await agree(home);
  return { home, owner, document };
}
const patch = async (person: Person, path: string, body: object) => {
  const { revision } = (await person.call("GET", path)).body;
  const answer = await person.call("PATCH", path, { body, ifMatch: revision });
  expect(answer.status, answer.text).toBe(200);
};
const set = (home: World, columns: string) =>
  running.asOwner(`update knowledge_repositories set ${columns} where workspace_id = $1`, [home.workspaceId]);

describe("what is exported changes with", () => {
  type Place = Awaited<ReturnType<typeof connected>>;
  const changes: [string, (place: Place) => Promise<unknown>][] = [
    ["a new Document", ({ home }) => newDocument(home, { title: "New" })],
    ["a title", ({ owner, document }) => patch(owner, `/documents/${document.id}`, { title: "Renamed" })],
    [
      "a text",
      ({ owner, document }) =>
        owner.call("PUT", `/documents/${document.id}/markdown`, {
          body: { markdown: "Changed" },
          ifMatch: String(document.content_revision),
        }),
    ],
    ["the trash", ({ owner, document }) => owner.call("DELETE", `/documents/${document.id}`)],
    ["a setting of the repository", ({ home, owner }) => patch(owner, at(home), { direction: "out" })],
    [
      "a Project that everybody sees",
      async ({ home, owner }) => patch(owner, `/projects/${(await newProject(home)).id}`, { visibility: "private" }),
    ],
    [
      "more events than are examined",
      ({ home }) =>
        running.asOwner(
          `insert into domain_events (workspace_id, id, command_id, type, resource_kind, resource_id)
           select $1, uuidv7(), uuidv7(), 'workspace.updated', 'mark', $1 from generate_series(1, $2::int)`,
          [home.workspaceId, MOST_EVENTS],
        ),
    ],
    ["a journal that was restored", ({ home }) => set(home, "followed_epoch = 'another'")],
    ["a position that a backup does not have", ({ home }) => set(home, "followed_tx = null")],
  ];
  test.each(changes)("%s: one run is requested", async (_, change) => {
    const place = await connected();
    await change(place);
    await Promise.all([follow(place.home), follow(place.home)]);
    await follow(place.home);
    expect(await requested(place.home)).toBe(1);
    await agree(place.home);
  });
});

describe("nothing changes with", () => {
  type Place = Awaited<ReturnType<typeof connected>>;
  const events: [string, (place: Place) => Promise<unknown>][] = [
    ["a Task", async ({ home, owner }) => newTask(owner, (await newProject(home)).id)],
    [
      "the name of a Project",
      async ({ home, owner }) => patch(owner, `/projects/${(await newProject(home)).id}`, { name: "Other" }),
    ],
    [
      "a Document of a private Project",
      async ({ home }) => newDocument(home, { project_id: (await newProject(home, { visibility: "private" })).id }),
    ],
    [
      "one event less than are examined",
      ({ home }) =>
        running.asOwner(
          `insert into domain_events (workspace_id, id, command_id, type, resource_kind, resource_id)
           select $1, uuidv7(), uuidv7(), 'workspace.updated', 'mark', $1 from generate_series(1, $2::int)`,
          [home.workspaceId, MOST_EVENTS - 1],
        ),
    ],
  ];
  test.each(events)("%s: no run is requested, and the events are read once", async (_, change) => {
    const place = await connected();
    await change(place);
    await follow(place.home);
    expect(await requested(place.home)).toBe(0);
    expect(await running.asOwner("select * from repository_backlog($1)", [[place.home.workspaceId]])).toEqual([]);
  });

  test("a Document outside of the root; one below it is exported", async () => {
    const { home, owner, document } = await connected();
    const inside = await newDocument(home, { title: "Inside", parent_id: document.id });
    await set(home, `root_document_id = '${document.id}'`);
    await running.asOwner("delete from repository_files where workspace_id = $1 and document_id = $2", [
      ...[home.workspaceId, document.id],
    ]);
    await newDocument(home, { title: "Outside" });
    await patch(owner, `/documents/${document.id}`, { title: "The root itself" });
    await follow(home);
    expect(await requested(home), "the new one below the root").toBe(1);
    await running.asOwner(AGREE[0] as string, [home.workspaceId]);
    await patch(owner, `/documents/${inside.id}`, { title: "Inside, renamed" });
    await follow(home);
    expect(await requested(home)).toBe(1);
    await running.asOwner(AGREE[0] as string, [home.workspaceId]);
    await newDocument(home, { title: "Outside, too" });
    await follow(home);
    expect(await requested(home)).toBe(0);
  });

  const states = [
    ...["state = 'paused'", "begun = false", "direction = 'in'", "error_code = 'unreachable'"],
    "state = 'disconnected', connection_id = null, url = null, branch = null, folder = null, direction = null, " +
      "connected_by_actor_id = null",
  ];
  test.each(states)("a Document while %s", async (columns) => {
    const { home } = await connected();
    await set(home, columns);
    await newDocument(home, { title: "New" });
    await follow(home);
    expect(await requested(home)).toBe(0);
  });

  test("a Document while the Workspace is archived", async () => {
    const { home } = await connected();
    await newDocument(home, { title: "New" });
    await running.asOwner("update workspaces set archived_at = now() where id = $1", [home.workspaceId]);
    await follow(home);
    await running.asOwner("update workspaces set archived_at = null where id = $1", [home.workspaceId]);
    expect(await requested(home)).toBe(0);
  });
});

test("a commit during a run requests one more once that has ended", async () => {
  const { home, owner } = await connected();
  await owner.call("POST", at(home, "/sync"), { body: {}, key: newId() });
  const state = (value: string) =>
    running.asOwner(
      `update repository_runs set state = '${value}' where workspace_id = $1 and state in ('queued', 'running')`,
      [home.workspaceId],
    );
  await state("running");
  await newDocument(home, { title: "New" });
  await follow(home);
  expect(await requested(home)).toBe(0);
  await state("succeeded");
  await follow(home);
  expect(await requested(home)).toBe(1);
});

test("what an open transaction holds back is read when it has ended", async () => {
  const { home } = await connected();
  const holder = new pg.Client(running.databaseUrl);
  await holder.connect();
  try {
    await holder.query("begin");
    await holder.query("select pg_current_xact_id()");
    await newDocument(home, { title: "New" });
    expect([await read(home), await requested(home)]).toEqual([true, 0]);
    await holder.query("commit");
    await follow(home);
    expect(await requested(home)).toBe(1);
  } finally {
    await holder.end();
  }
});

test("an open transaction that holds back the second of two events is reported, although the first was read", async () => {
  const { home } = await connected();
  await newDocument(home, { title: "First" });
  const holder = new pg.Client(running.databaseUrl);
  await holder.connect();
  try {
    await holder.query("begin; select pg_current_xact_id()");
    await newDocument(home, { title: "Second" });
    expect(await read(home)).toBe(true);
    await holder.query("commit");
    await follow(home);
    expect(await running.asOwner("select * from repository_backlog($1)", [[home.workspaceId]])).toEqual([]);
  } finally {
    await holder.end();
  }
});
