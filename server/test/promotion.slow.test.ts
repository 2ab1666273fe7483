// What followers of the journal do when a standby is promoted: they continue where they stopped and skip nothing that
// is there. Only who has seen what was lost begins anew. With a real primary and a real streaming standby. Decision
// 0214.
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { tellProviders } from "../src/connect/integrations/send/outbound-notifications.ts";
import { followEvents } from "../src/connect/webhooks/enqueue-events.ts";
import { tellEvents } from "../src/history/inbox/fill-inboxes.ts";
import { indexSearch } from "../src/knowledge/search/jobs.ts";
import type { JobParts } from "../src/platform/background/jobs.ts";
import { type JournalPosition, openPlace } from "../src/platform/database/journal.ts";
import { cursorSigner } from "../src/platform/wire/cursor.ts";
import { say } from "./discuss.ts";
import { eventually } from "./eventually.ts";
import { plantBinding, plantInstallation, plantResource, reachingFrom } from "./integrations.ts";
import { indexAll, letKnow } from "./knowledge.ts";
import { type Listener, leaveAll, welcomedAt } from "./realtime.ts";
import { type ReplicatedDatabase, replicatedDatabase } from "./replicated-database.ts";
import { newTask, workshopOn } from "./work.ts";
import { type Person, service, type TestService, testKeys } from "./world.ts";

afterEach(leaveAll);

function replicated(synchronous: boolean) {
  let database: ReplicatedDatabase | undefined;
  // Registered first, so that it runs after the service has ended.
  afterAll(() => database?.close());
  const running = service({}, {}, async () => {
    database = await replicatedDatabase({ synchronous });
    return database.url;
  });
  return { running, database: () => database as ReplicatedDatabase };
}

const toldOf = (listener: Listener) =>
  new Set(listener.of("change").flatMap(({ changes }) => changes.map(({ id }) => id)));
const hears = (listener: Listener, ids: readonly string[]) =>
  listener.until("it is told of all", () => ids.every((id) => toldOf(listener).has(id)));
const lastCursor = (listener: Listener, id = "workspace") =>
  listener
    .of("change")
    .filter(({ subscription_id }) => subscription_id === id)
    .at(-1)?.cursor as string;

/**
 * Resolves once the journal has a mark that is younger than this cursor of Discuss, as it has within three seconds,
 * whatever else is written.
 */
async function marked(database: ReplicatedDatabase, { workspaceId, owner }: Followed, cursor: string) {
  const { userId, session } = owner;
  const CREDENTIAL = "select id from credentials where secret_hash = sha256($1::bytea)";
  const [credential] = await database.query<{ id: string }>(CREDENTIAL, [session]);
  const bound = { workspaceId, userId, holderId: credential?.id as string, scope: "discuss", resourceId: null };
  const place = openPlace(cursorSigner(testKeys), bound, cursor) as JournalPosition;
  await eventually(async () =>
    expect(await database.query("select from journal_marks where marked_at > $1::timestamptz", [place.at])).not.toEqual(
      [],
    ),
  );
}

/** A Workspace with an endpoint, and someone who follows it. */
async function followed(running: TestService) {
  const shop = await workshopOn(running);
  const { owner, workspaceId, project } = shop;
  const body = { name: "Reports", url: "https://hooks.example.com/", actions: ["task.created"] };
  const made = await owner.call("POST", `/workspaces/${workspaceId}/webhook-endpoints`, { body });
  expect(made.status, made.text).toBe(201);
  const member = await shop.home.member("member");
  await letKnow(running, shop.home, { included_projects: [project.id] });
  const { id: installationId } = await plantInstallation(running, workspaceId, owner.actorId, { provider: "slack" });
  const { id: resourceId } = await plantResource(running, workspaceId, installationId, "C1");
  const bound = { installationId, resourceId, projectId: project.id, kinds: ["task_created"] };
  await plantBinding(running, workspaceId, owner.actorId, bound);
  const live = await welcomedAt(running, owner);
  await live.subscribe("workspace");
  const task = async (title: string) =>
    (await newTask(owner, project.id, { title, assignee_actor_id: member.actorId })).id as string;
  return { ...shop, member, live, task, endpointId: made.body.id as string };
}
type Followed = Awaited<ReturnType<typeof followed>>;

const idsOf = async (database: ReplicatedDatabase, sql: string, workspaceId: string) =>
  (await database.query<{ id: string }>(sql, [workspaceId])).map(({ id }) => id).sort();
const QUEUED = `select e.task_id as id from webhook_deliveries d
  join domain_events e on e.workspace_id = d.workspace_id and e.id = d.event_id where d.workspace_id = $1`;
const TASKS = "select id from tasks where workspace_id = $1";
const INBOX = "select task_id as id from inbox_items where workspace_id = $1 and category = 'assigned'";
const SEARCH = "select id from search_entries where workspace_id = $1 and kind = 'task'";
const KNOWLEDGE = "select source_id as id from knowledge_passages where workspace_id = $1 and kind = 'task_title'";
const PROVIDERS = `select e.task_id as id from integration_actions a
  join domain_events e on e.workspace_id = a.workspace_id and a.cause = concat_ws(' ', 'event', e.id, a.resource_id)
  where a.workspace_id = $1`;

/** Each follower of the journal in the background, except webhooks, reads on. */
async function follow(running: TestService) {
  await tellEvents(running.database);
  await indexSearch(running.database);
  await indexAll(running);
  await tellProviders(reachingFrom(running) as unknown as JobParts);
}

/** Every follower in the background reads on; then nothing that is there was skipped or doubled. */
async function expectNothingSkipped(running: TestService, database: ReplicatedDatabase, { workspaceId }: Followed) {
  const tasks = await idsOf(database, TASKS, workspaceId);
  await eventually(async () => {
    await followEvents(running.database);
    expect(await idsOf(database, QUEUED, workspaceId)).toEqual(tasks);
  });
  await follow(running);
  for (const found of [INBOX, SEARCH, KNOWLEDGE, PROVIDERS])
    expect(await idsOf(database, found, workspaceId), found).toEqual(tasks);
  return tasks;
}

/** Until the service has connections to the new primary. */
const ready = (person: Person) =>
  eventually(async () => {
    const { status } = await person.call("GET", "/me", { once: true }).catch(() => ({ status: 0 }));
    expect(status).toBe(200);
  });

describe("a promotion that loses nothing", () => {
  const { running, database } = replicated(true);

  test("continues every follower where it stopped, also if the new clock is behind: no reset, and nothing skipped or queued twice", async () => {
    const shop = await followed(running);
    const { owner, live, task, workspaceId } = shop;
    const early = [await task("One"), await task("Two")];
    await eventually(async () => {
      await followEvents(running.database);
      expect(await idsOf(database(), QUEUED, workspaceId)).toHaveLength(2);
    });
    await follow(running);
    // These are committed, told, and not queued yet.
    const late = [await task("Three"), await task("Four")];
    await hears(live, [...early, ...late]);
    const cursor = lastCursor(live);
    const [{ timeline }] = (await database().query<{ timeline: string }>("select journal_timeline() as timeline")) as [
      { timeline: string },
    ];
    await database().promote();
    await ready(owner);
    expect(await database().query("select journal_timeline() as timeline")).not.toEqual([{ timeline }]);
    // As if the clock of the new primary were five minutes behind that of the old one.
    await database().query("update event_readers set read_to = read_to + interval '5 minutes'");
    const after = [await task("Five"), await task("Six")];
    await hears(live, after);
    expect(live.of("reset")).toEqual([]);
    const again = await welcomedAt(running, owner);
    await again.subscribe("workspace", { cursor });
    await hears(again, after);
    expect(again.of("reset")).toEqual([]);
    expect(await expectNothingSkipped(running, database(), shop)).toEqual(
      expect.arrayContaining([...early, ...late, ...after]),
    );
  });
});

describe.each([
  { last: "a message", id: "discuss" },
  { last: "a message that no mark follows", id: "discuss", isMarked: false },
  { last: "a subscription after a Task", id: "later" },
])("a promotion of a quiet service, in which $last comes last", ({ id, isMarked = true }) => {
  const { running, database } = replicated(true);

  test("resets no subscription: Discuss, account and inbox continue, on open sockets and on new ones", async () => {
    const shop = await followed(running);
    const { owner, live, task } = shop;
    const cursors = {
      account: (await live.subscribe("account")).cursor,
      inbox: (await live.subscribe("inbox")).cursor,
      discuss: (await live.subscribe("discuss")).cursor,
    };
    await hears(live, [await task("One")]);
    await marked(database(), shop, cursors.discuss);
    // The last mark is young, and nothing is written later that would bring the next one.
    if (id === "discuss") {
      const { user_message } = await say(owner, shop, "Is anybody here?");
      await hears(live, [user_message.id]);
      cursors.discuss = lastCursor(live, id);
    } else cursors.discuss = (await live.subscribe("discuss", { id })).cursor;
    if (isMarked) await marked(database(), shop, cursors.discuss);
    await database().promote();
    await ready(owner);
    const again = await welcomedAt(running, owner);
    for (const scope of ["account", "inbox", "discuss"] as const)
      await again.subscribe(scope, { cursor: cursors[scope] });
    const { user_message } = await say(owner, shop, "And now?");
    await hears(live, [user_message.id]);
    await hears(again, [user_message.id]);
    expect([...live.of("reset"), ...again.of("reset")]).toEqual([]);
  });
});

describe("a promotion that loses the last commits and gives out their numbers again", () => {
  const { running, database } = replicated(false);

  test("resets who was told of them and nobody else; everything that is there is queued once", async () => {
    const [shop, quiet] = [await followed(running), await followed(running)];
    const { owner, live, task, workspaceId } = shop;
    const kept = [await task("One"), await task("Two")];
    const untouched = [await quiet.task("Else")];
    await live.subscribe("discuss");
    const { user_message: answered } = await say(owner, shop, "Is anybody here?");
    await hears(live, [...kept, answered.id]);
    await hears(quiet.live, untouched);
    const discussBefore = lastCursor(live, "discuss");
    const [before, quietBefore] = [lastCursor(live), lastCursor(quiet.live)];
    await database().caughtUp();
    await database().separate();
    // So that the new primary does not use up these numbers before its first event.
    await database().query("do $$ begin for i in 1..500 loop perform pg_current_xact_id(); commit; end loop; end $$");
    const lost = [await task("Lost"), await task("Gone")];
    const { user_message: unanswered } = await say(owner, shop, "Lost");
    await hears(live, [...lost, unanswered.id]);
    const [after, discussAfter] = [lastCursor(live), lastCursor(live, "discuss")];
    // The positions that are lost had passed those events.
    await eventually(async () => {
      await followEvents(running.database);
      expect(await idsOf(database(), QUEUED, workspaceId)).toHaveLength(4);
    });
    await follow(running);
    const LAST = "select max(tx::text::bigint)::int as tx from domain_events where workspace_id = $1";
    const [numbers] = await database().query<{ tx: number }>(LAST, [workspaceId]);
    await database().promote();
    await ready(owner);
    for (const scope of ["workspace", "discuss"]) {
      const reset = await live.next("reset", ({ subscription_id }) => subscription_id === scope);
      expect(reset.reason, scope).toBe("epoch_changed");
    }
    await say(owner, shop, "With the number of the message that was lost");
    const made = [await task("New")];
    const [again] = await database().query<{ tx: number }>(LAST, [workspaceId]);
    expect(again?.tx, "numbers are given out again").toBeLessThanOrEqual(numbers?.tx as number);
    made.push(await task("Newer"));

    const resumed = await welcomedAt(running, owner);
    resumed.send({ type: "subscribe", subscription_id: "after", scope: "workspace", cursor: after });
    expect((await resumed.next("reset")).reason).toBe("epoch_changed");
    resumed.send({ type: "subscribe", subscription_id: "discuss", scope: "discuss", cursor: discussAfter });
    expect((await resumed.next("reset")).reason).toBe("epoch_changed");
    await resumed.subscribe("discuss", { cursor: discussBefore });
    await resumed.subscribe("workspace", { cursor: before });
    await hears(resumed, made);

    const quietLater = [await quiet.task("Later")];
    await hears(quiet.live, quietLater);
    expect(quiet.live.of("reset")).toEqual([]);
    const quietAgain = await welcomedAt(running, quiet.owner);
    await quietAgain.subscribe("workspace", { cursor: quietBefore });
    await hears(quietAgain, quietLater);

    expect(await expectNothingSkipped(running, database(), shop)).toEqual([...kept, ...made].sort());
    expect(await expectNothingSkipped(running, database(), quiet)).toEqual([...untouched, ...quietLater].sort());
  });
});
