// Generated histories of several people, each with a client that began with a snapshot and reads again what it was told
// of: it has what a fresh snapshot has. HISTORIES says how many (`npm run chaos -- --only realtime` takes 500), SEED
// where they begin.
import { expect, test } from "vitest";
import { hearing } from "../src/history/feed/audience.ts";
import { type Following, following } from "./following.ts";
import { History } from "./realtime-history.ts";
import { Model, seenBy } from "./realtime-model.ts";
import { type Person, service, world } from "./world.ts";

const running = service();
const { follow, placeNow } = following(running);
const HISTORIES = Number(process.env.HISTORIES ?? 40);
const SEED = Number(process.env.SEED ?? 17);
const AT_ONCE = 4;
const STEPS = 8;

type Place = Following["place"];
interface Client {
  person: Person;
  hears: Following;
  model: Model;
  /** Behind what it has applied. */
  place: Place;
}

/** Spoils what a client resumes from. */
type Planted = (place: Place, workspaceId: string) => Promise<Place>;
/** What somebody has otherwise than it is, at the end of a history. */
async function lived(seed: number, planted: Planted = async (place) => place) {
  const home = await world(running);
  const { workspaceId } = home;
  const people = [home.owner, await home.member("admin"), await home.member("member")];
  const begin = async (person: Person): Promise<Client> => {
    const place = await placeNow(workspaceId);
    const model = new Model();
    model.things = await seenBy(running, workspaceId, person);
    return { person, hears: await follow(workspaceId, person, "workspace", { place }), model, place };
  };
  const history = new History(home, people, seed);
  await history.go(STEPS);
  const clients = await Promise.all(people.map(begin));
  const faults: string[] = [];
  for (let part = 0; part < 2; part++) {
    await history.go(STEPS);
    for (const [at, client] of clients.entries()) {
      // Some go away in between and come back to where they were.
      const comesBack = (seed + part + at) % 2 === 0;
      if (comesBack) {
        client.hears.leave();
        await history.go(3);
        client.hears = await follow(workspaceId, client.person, "workspace", {
          place: await planted(client.place, workspaceId),
        });
      }
      const changes = await client.hears.settled();
      if (client.hears.resets.length > 0) {
        clients[at] = await begin(client.person);
        continue;
      }
      const now = await seenBy(running, workspaceId, client.person);
      client.model.apply(changes, now);
      client.place = client.hears.place;
    }
  }
  for (const [at, { hears, person, model }] of clients.entries()) {
    const changes = await hears.settled();
    if (hears.resets.length > 0) continue;
    const now = await seenBy(running, workspaceId, person);
    model.apply(changes, now);
    faults.push(...model.differs(now).map((fault) => `person ${at}: ${fault}`));
    hears.leave();
  }
  return { faults, steps: history.steps };
}

async function livedMany(count: number, seed: number, planted?: Planted) {
  const found: { seed: number; faults: string[]; steps: string[] }[] = [];
  let [next, done] = [seed, 0];
  const lane = async () => {
    while (next < seed + count) {
      const own = next++;
      const { faults, steps } = await lived(own, planted);
      done += steps.length;
      if (faults.length > 0) found.push({ seed: own, faults, steps });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return { found, done };
}

test("state and hints make the state, in every history", { timeout: 3_600_000 }, async () => {
  const { found, done } = await livedMany(HISTORIES, SEED);
  expect(found[0]).toBeUndefined();
  expect(done).toBeGreaterThan(8 * HISTORIES);
});

test("an event that is not sent is found", { timeout: 600_000 }, async () => {
  for (const type of ["task.updated", "project.configured"]) {
    const lines = hearing as Map<string, unknown>;
    const line = lines.get(type);
    lines.set(type, null);
    try {
      expect((await livedMany(AT_ONCE, 1)).found.length, type).toBeGreaterThan(0);
    } finally {
      lines.set(type, line);
    }
  }
});

test("a cursor that is one too far is found", { timeout: 600_000 }, async () => {
  // Behind the first event that it has not been told of.
  const further: Planted = async (place, workspaceId) => {
    const next = `select min(tx::text::bigint)::text as tx from domain_events
        where tx >= $1::xid8 and type not like 'workspace.%'`;
    const [{ tx = null } = {}] = await running.sql<{ tx: string | null }>(next, [place.position], workspaceId);
    return tx === null ? place : { ...place, position: String(BigInt(tx) + 1n) };
  };
  expect((await livedMany(AT_ONCE, 1, further)).found.length).toBeGreaterThan(0);
});
