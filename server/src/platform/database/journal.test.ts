// The journal: no event ever becomes visible behind a place that was handed out. Shown with a transaction that commits
// late, and with generated histories of writers that begin, write, commit and give up in any order.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testDatabase } from "../../../test/database.ts";
import { cursorSigner } from "../wire/cursor.ts";
import { NIL } from "../wire/ids.ts";
import { type Database, openDatabase, type Queries } from "./db.ts";
import {
  type CursorBinding,
  changesBetween,
  heldBack,
  type JournalPosition,
  markJournal,
  openPlace,
  placeOf,
  REACH_HOURS,
  resetOf,
  sealPlace,
  timelineOf,
} from "./journal.ts";

let url: string;
let drop: () => Promise<void>;
let database: Database;
const clients: pg.Client[] = [];
beforeAll(async () => {
  const made = await testDatabase();
  ({ url, drop } = made);
  database = openDatabase(url);
});
afterAll(async () => {
  for (const client of clients) await client.end();
  await database.end();
  await drop();
});

async function connect(): Promise<pg.Client> {
  const client = new pg.Client(url);
  clients.push(client);
  await client.connect();
  return client;
}
const WRITE = `insert into domain_events (workspace_id, id, type, command_id, resource_kind, resource_id)
  values ($1, $2, 'task.updated', $2, 'task', $2)`;
async function write(client: pg.Client, workspaceId: string): Promise<string> {
  const id = randomUUID();
  await client.query(WRITE, [workspaceId, id]);
  return id;
}
/** In one snapshot, as the service reads. */
const reading = <T>(workspaceId: string, work: (tx: Queries) => Promise<T>): Promise<T> =>
  database.reader.use(async (tx) => {
    await tx.rows("begin isolation level repeatable read, read only");
    try {
      await tx.rows("select set_config('svc.workspace', $1, true)", [workspaceId]);
      return await work(tx);
    } finally {
      await tx.rows("commit");
    }
  });
/** What is told from there on, page by page, and where the next look begins. */
const told = (workspaceId: string, position: string, limit = 3) =>
  reading(workspaceId, async (tx) => {
    const to = (await placeOf(tx)).position;
    const found: { tx: string; id: string }[] = [];
    for (let after = { tx: position, id: NIL }; ; ) {
      const page = await changesBetween(tx, after, to, limit);
      found.push(...page);
      if (page.length < limit) return { found, to };
      after = page.at(-1) as typeof after;
    }
  });
/** Others use this cluster too, and may hold the journal back for a moment. */
async function toldPast(workspaceId: string, position: string, last: string) {
  for (;;) {
    const { found, to } = await told(workspaceId, position);
    if (BigInt(to) > BigInt(last)) return found.map(({ id }) => id);
    // Wait: a pause between two looks.
    await sleep(20);
  }
}
const current = async (client: pg.Client): Promise<string> =>
  (await client.query("select pg_current_xact_id()::text as tx")).rows[0].tx;

test("a transaction that began before a place and commits after it is told from there; from one further it would be missed", async () => {
  const workspaceId = randomUUID();
  const [a, b] = [await connect(), await connect()];
  await a.query("begin");
  const late = await write(a, workspaceId);
  const own = await current(a);
  const early = await write(b, workspaceId);
  const place = await reading(workspaceId, (tx) => placeOf(tx));
  const seen = await reading(workspaceId, (tx) => tx.rows<{ id: string }>("select id from domain_events"));
  expect(seen.map(({ id }) => id)).toEqual([early]);
  expect(BigInt(place.position)).toBeLessThanOrEqual(BigInt(own));
  await a.query("commit");
  const end = await current(b);
  expect(await toldPast(workspaceId, place.position, end)).toContain(late);
  expect(await toldPast(workspaceId, String(BigInt(own) + 1n), end)).not.toContain(late);
});

test("an event from before there was a journal is before every place", async () => {
  const workspaceId = randomUUID();
  const client = await connect();
  const id = await write(client, workspaceId);
  await client.query("update domain_events set tx = null where id = $1", [id]);
  expect(await toldPast(workspaceId, "0", await current(client))).toEqual([]);
});

// A small generator with a seed, so that a history that fails can be run again.
const random = (seed: number) => () => {
  seed = (seed * 1_664_525 + 1_013_904_223) % 4_294_967_296;
  return seed / 4_294_967_296;
};

interface Taken {
  place: JournalPosition;
  tooFar: string;
  seen: Set<string>;
}
const XMAX = "select pg_snapshot_xmax(pg_current_snapshot())::text as xmax";
/** Five writers, in any order, and cursors taken all the while. */
async function history(seed: number, writers: readonly pg.Client[]) {
  const workspaceId = randomUUID();
  const next = random(seed);
  const pick = <T>(from: readonly T[]) => from[Math.floor(next() * from.length)] as T;
  const open = new Map<pg.Client, string[]>();
  const committed = new Set<string>();
  const taken: Taken[] = [];
  const end = async (writer: pg.Client, kept: boolean) => {
    await writer.query(kept ? "commit" : "rollback");
    if (kept) for (const id of open.get(writer) ?? []) committed.add(id);
    open.delete(writer);
  };
  for (let step = 0; step < 40; step++) {
    const writer = pick(writers);
    const what = next();
    if (what < 0.25)
      taken.push(
        await reading(workspaceId, async (tx) => ({
          place: await placeOf(tx),
          tooFar: (await tx.one<{ xmax: string }>(XMAX)).xmax,
          seen: new Set((await tx.rows<{ id: string }>("select id from domain_events")).map(({ id }) => id)),
        })),
      );
    else if (!open.has(writer)) {
      await writer.query("begin");
      open.set(writer, [await write(writer, workspaceId)]);
    } else if (what < 0.6) open.get(writer)?.push(await write(writer, workspaceId));
    else await end(writer, what < 0.92);
  }
  for (const writer of open.keys()) await end(writer, true);
  return { workspaceId, committed, taken };
}

describe("in generated histories", () => {
  test("every place tells exactly what its snapshot did not show, and perhaps some of the rest again; one too far misses some", async () => {
    const writers = await Promise.all(Array.from({ length: 5 }, connect));
    const counted = { places: 0, missed: 0, repeated: 0 };
    for (let seed = 1; seed <= 40; seed++) {
      const { workspaceId, committed, taken } = await history(seed, writers);
      const end = await current(writers[0] as pg.Client);
      for (const { place, tooFar, seen } of taken) {
        counted.places++;
        const found = await toldPast(workspaceId, place.position, end);
        expect(new Set(found).size, `seed ${seed}: each once`).toBe(found.length);
        expect(
          found.filter((id) => !committed.has(id)),
          `seed ${seed}: what was given up is never told`,
        ).toEqual([]);
        const unseen = [...committed].filter((id) => !seen.has(id));
        expect(
          unseen.filter((id) => !found.includes(id)),
          `seed ${seed}: nothing is missed`,
        ).toEqual([]);
        counted.repeated += found.length - unseen.length;
        const further = await toldPast(workspaceId, tooFar, end);
        counted.missed += unseen.filter((id) => !further.includes(id)).length;
      }
    }
    expect(counted.places).toBeGreaterThan(200);
    expect(counted.repeated).toBeGreaterThan(0);
    expect(counted.missed, "of the planted places").toBeGreaterThan(0);
  });

  test("who goes on from where it stopped hears everything that was kept, in order, and nothing twice", async () => {
    const writers = await Promise.all(Array.from({ length: 4 }, connect));
    const workspaceId = randomUUID();
    const next = random(99);
    let { position } = await reading(workspaceId, (tx) => placeOf(tx));
    const heard: { tx: string; id: string }[] = [];
    const kept: string[] = [];
    const look = async () => {
      const { found, to } = await told(workspaceId, position);
      heard.push(...found);
      position = to;
    };
    for (let round = 0; round < 60; round++) {
      const writer = writers[Math.floor(next() * writers.length)] as pg.Client;
      await writer.query("begin");
      kept.push(await write(writer, workspaceId));
      const other = writers.find((each) => each !== writer) as pg.Client;
      kept.push(await write(other, workspaceId));
      await look();
      await writer.query("commit");
      if (next() < 0.5) await look();
    }
    const end = await current(writers[0] as pg.Client);
    while (BigInt(position) <= BigInt(end)) await look();
    expect(heard.map(({ id }) => id).sort()).toEqual(kept.sort());
    const order = (one: { tx: string; id: string }, two: { tx: string; id: string }) =>
      Number(BigInt(one.tx) - BigInt(two.tx)) || (one.id < two.id ? -1 : 1);
    expect(heard).toEqual(heard.toSorted(order));
  });
});

/**
 * Places in these journals behind a transaction: others use this cluster too, and may hold the journal back for a
 * moment.
 */
async function settled(last: string, workspaceIds: string[]): Promise<JournalPosition[]> {
  for (;;) {
    const places = await Promise.all(workspaceIds.map((id) => reading(id, (tx) => placeOf(tx))));
    if (places.every(({ position }) => BigInt(position) >= BigInt(last))) return places;
    // Wait: a pause between two looks.
    await sleep(20);
  }
}

describe("a place is no good any more", () => {
  const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  const judged = (workspaceId: string, change: Partial<JournalPosition>) =>
    reading(workspaceId, async (tx) => resetOf(tx, { ...(await placeOf(tx)), ...change }));

  test("in another journal: another epoch, cluster or database; a promotion alone, which raises the timeline, continues it", async () => {
    const workspaceId = randomUUID();
    expect(await judged(workspaceId, {})).toBeNull();
    const { epoch, proof } = await reading(workspaceId, (tx) => placeOf(tx));
    const parts = epoch.split(".");
    expect(parts).toHaveLength(3);
    const promoted = proof.replace(timelineOf({ proof }), "0000000A");
    expect(await judged(workspaceId, { proof: promoted })).toBeNull();
    for (const [at] of parts.entries()) {
      const other = parts.with(at, "1").join(".");
      expect(await judged(workspaceId, { epoch: other }), other).toBe("epoch_changed");
    }
  });

  test(`after ${REACH_HOURS} hours, and not before`, async () => {
    const workspaceId = randomUUID();
    expect(await judged(workspaceId, { at: ago(REACH_HOURS - 0.1) })).toBeNull();
    expect(await judged(workspaceId, { at: ago(REACH_HOURS + 0.1) })).toBe("expired");
    expect(await judged(workspaceId, { at: ago(REACH_HOURS + 0.1), epoch: "x" })).toBe("epoch_changed");
  });

  test("where the database has lost something that it has seen, or has something else below it, in its own Workspace alone", async () => {
    const [workspaceId, otherId] = [randomUUID(), randomUUID()];
    const client = await connect();
    const event = await write(client, workspaceId);
    const change = `insert into private_changes (workspace_id, owner_id, kind, id, action, revision)
      values ($1, $1, 'inbox_item', $1, 'created', $2)`;
    await client.query(change, [workspaceId, 1]);
    const [place, other] = await settled(await current(client), [workspaceId, otherId]);
    const verdicts = async () => [
      await reading(workspaceId, (tx) => resetOf(tx, place as JournalPosition)),
      await reading(otherId, (tx) => resetOf(tx, other as JournalPosition)),
    ];
    expect(await verdicts()).toEqual([null, null]);
    const lost: [string, unknown[]][] = [
      ["delete from domain_events where id = $1", [event]],
      ["update domain_events set id = gen_random_uuid() where id = $1", [event]],
      ["delete from private_changes where workspace_id = $1", [workspaceId]],
      ["update private_changes set revision = 2 where workspace_id = $1", [workspaceId]],
      [
        `insert into domain_events (workspace_id, id, type, command_id, resource_kind, resource_id, tx)
          select workspace_id, gen_random_uuid(), type, command_id, resource_kind, resource_id, tx from domain_events
          where id = $1`,
        [event],
      ],
    ];
    for (const [sql, values] of lost) {
      await client.query("begin");
      await client.query(sql, values);
      const proves = `select journal_proves($1) as proved`;
      const judge = async ({ proof }: JournalPosition) => (await client.query(proves, [proof])).rows[0].proved;
      const proved = [await judge(place as JournalPosition), await judge(other as JournalPosition)];
      expect(proved, sql).toEqual([false, true]);
      await client.query("rollback");
    }
    expect(await verdicts()).toEqual([null, null]);
  });

  test("where the last mark below it is lost: then everything since may be", async () => {
    const workspaceId = randomUUID();
    const client = await connect();
    const place = await reading(workspaceId, (tx) => placeOf(tx));
    await client.query("begin");
    await client.query("delete from journal_marks");
    expect((await client.query("select journal_proves($1) as proved", [place.proof])).rows).toEqual([
      { proved: false },
    ]);
    await client.query("rollback");
    expect(await reading(workspaceId, (tx) => resetOf(tx, place))).toBeNull();
    for (const proof of ["", "1", `${place.proof}.1`, "00000001"])
      expect(await judged(workspaceId, { proof }), proof).toBe("epoch_changed");
  });

  test("after a promotion, where a reader has seen more than its proof covers and no later mark survived", async () => {
    const workspaceId = randomUUID();
    const place = await reading(workspaceId, (tx) => placeOf(tx));
    const promoted = { ...place, proof: place.proof.replace(timelineOf(place), "0000000A") };
    const verdict = () => reading(workspaceId, (tx) => resetOf(tx, promoted, true));
    expect(await reading(workspaceId, (tx) => resetOf(tx, place, true))).toBeNull();
    expect(await verdict()).toBe("epoch_changed");
    await (await connect()).query("insert into journal_marks (timeline) values ('0000000A')");
    expect(await verdict()).toBeNull();
  });

  test("a mark ends what a proof has to cover, and all processes share marks", async () => {
    const workspaceId = randomUUID();
    const client = await connect();
    await write(client, workspaceId);
    const digestOf = ({ proof }: JournalPosition) => proof.split(".")[5];
    const [before] = await settled(await current(client), [workspaceId]);
    expect(digestOf(before as JournalPosition)).toMatch(/^1:/);
    await client.query("update journal_marks set marked_at = marked_at - interval '1 minute'");
    for (let time = 0; time < 3; time++) await markJournal(database.writer);
    expect(
      (await client.query("select from journal_marks where marked_at > now() - interval '30 seconds'")).rowCount,
    ).toBe(1);
    const after = await reading(workspaceId, (tx) => placeOf(tx));
    expect(digestOf(after)).toBe("0:0");
    expect(await reading(workspaceId, (tx) => resetOf(tx, before as JournalPosition))).toBeNull();
  });

  test("when an operator renews the epoch", async () => {
    const workspaceId = randomUUID();
    const before = await reading(workspaceId, (tx) => placeOf(tx));
    const client = await connect();
    await client.query("update journal set epoch = gen_random_uuid()");
    expect(await reading(workspaceId, (tx) => resetOf(tx, before))).toBe("epoch_changed");
  });
});

test("a cursor is good for its Workspace, person, session, scope and resource, and for nothing else", () => {
  const key = (byte: number) => ({ key: Buffer.alloc(32, byte) });
  const cursors = cursorSigner([key(1)]);
  const bound: CursorBinding = {
    workspaceId: randomUUID(),
    userId: randomUUID(),
    holderId: randomUUID(),
    scope: "task_comments",
    resourceId: randomUUID(),
  };
  const place = {
    ...{ epoch: "e".repeat(80), position: "18446744073709551615", at: "2026-11-16 10:00:00.123456+00" },
    proof: "p".repeat(200),
    token: randomUUID(),
  };
  const cursor = sealPlace(cursors, bound, place);
  expect(cursor.length).toBeLessThanOrEqual(4096);
  expect(openPlace(cursors, bound, cursor)).toEqual(place);
  for (const name of Object.keys(bound) as (keyof CursorBinding)[]) {
    expect(openPlace(cursors, { ...bound, [name]: randomUUID() }, cursor), name).toBeNull();
    if (name === "workspaceId" || name === "resourceId")
      expect(openPlace(cursors, { ...bound, [name]: null }, cursor), name).toBeNull();
  }
  expect(openPlace(cursors, bound, `${cursor.slice(0, -1)}${cursor.endsWith("A") ? "B" : "A"}`)).toBeNull();
  expect(openPlace(cursors, bound, "")).toBeNull();
  expect(openPlace(cursorSigner([key(2)]), bound, cursor), "signed with another key").toBeNull();
  expect(openPlace(cursorSigner([key(2), key(1)]), bound, cursor), "an older key still opens").toEqual(place);
});

test("what holds the journal back is told in seconds, and no more once it has ended", async () => {
  let now = 0;
  const ask = heldBack(database.reader, () => now);
  const [client, other] = [await connect(), await connect()];
  await client.query("begin");
  const own = await current(client);
  // What was written since is what waits.
  await write(other, randomUUID());
  // Until nothing older runs, which is of somebody else.
  for (;;) {
    const { position } = await reading(randomUUID(), (tx) => placeOf(tx));
    if (position === own) break;
    // Wait: a pause between two looks.
    await sleep(20);
  }
  expect(await ask()).toBe(0);
  now = 11_000;
  expect(await ask()).toBe(11);
  now = 30_000;
  expect(await ask()).toBe(30);
  await client.query("rollback");
  now = 31_000;
  expect(await ask()).toBe(0);
});
