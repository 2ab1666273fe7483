// The co-editing storm: people type in shared texts at two servers while servers, their connections and the database
// are killed. After each fault, before anybody reconnects, the stored text must contain every acknowledged word; after
// everybody has reconnected, every editor, the stored text and a new editor must agree. Bounded in count and time. It
// kills only the servers that it starts, connections to its own database, and the database if `killDatabase` is given.
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { migrate } from "../../server/src/platform/database/start/migrations.ts";
import { type Data, fill } from "../data.ts";
import type { Server } from "./killable.ts";
import { randomOf } from "./random.ts";
import { countWords, differences, type Furniture, furnish, wordsLost } from "./rooms.ts";
import { nothingFound, Site } from "./site.ts";
import type { Bug, StormOutcome } from "./storm.ts";
import type { Room } from "./typist.ts";

export interface CoEditing extends Furniture {
  /** Kills the database, which restarts by itself. */
  killDatabase?: () => Promise<void>;
  faults: number;
  limitMs: number;
  /** A planted bug; unset: the unmodified service. */
  bug?: Bug;
  progress?: (faults: number, cut: number) => void;
}
export type Kill = "one server" | "the other server" | "connections" | "both servers" | "database";

/** Range of typing time before each fault. */
const [LEAST_MS, MOST_MS] = [300, 1200];
const CUT = `select pg_terminate_backend(pid) from pg_stat_activity
where datname = current_database() and pid <> pg_backend_pid() and application_name like 'svc-%'`;

export async function coEditing(options: CoEditing): Promise<StormOutcome> {
  const began = performance.now();
  const { databaseUrl, bug, seed } = options;
  const site = new Site(databaseUrl, { ROLES: "api" }, bug);
  const found = nothingFound();
  const [broken, back]: [string[], number[]] = [[], []];
  let [faults, rooms]: [number, Room[]] = [0, []];
  const typists = () => rooms.flatMap((room) => room.typists);
  const random = randomOf(seed, "co-editing");
  const kinds: Kill[] = ["one server", "connections", "the other server", "both servers"];
  if (options.killDatabase) kinds.splice(2, 0, "database");
  try {
    await migrate(databaseUrl);
    const data = await fill(databaseUrl, [options.texts], "CO");
    const reader = data.people[0] as Data["people"][number];
    await site.start();
    rooms = await furnish(data, site, options);
    for (; faults < options.faults && performance.now() - began < options.limitMs; faults++) {
      const kind = kinds[faults % kinds.length] as Kill;
      for (const typist of typists()) typist.begin();
      await sleep(LEAST_MS + random() * (MOST_MS - LEAST_MS));
      for (const typist of typists()) typist.hold(true);
      await strike(kind, site.servers, options);
      await Promise.all(typists().map((typist) => typist.pause()));
      const since = performance.now();
      await Promise.all(site.servers.map((server) => server.port ?? server.start()));
      await site.untilReady();
      back.push(performance.now() - since);
      for (const room of rooms)
        found["acknowledged writes lost"].push(
          ...(await wordsLost(room)).map((word) => `${word} after a kill of ${kind}`),
        );
      for (const typist of typists()) typist.hold(false);
      for (const room of rooms)
        found["rows that do not match"].push(
          ...(await differences(room, site, reader, databaseUrl)).map((what) => `${what} after a kill of ${kind}`),
        );
      options.progress?.(faults + 1, 0);
    }
  } catch (error) {
    broken.push((error as Error).message);
  } finally {
    await Promise.all(typists().map((typist) => typist.end()));
    await site.remove();
  }
  const counts = countWords(rooms);
  const proves = counts["  acknowledged"] > 0 && counts["  editors that came back"] > 0;
  return {
    counts,
    found,
    broken,
    back,
    faults,
    directory: site.directory,
    cut: 0,
    killsDuringStart: 0,
    seen: {},
    ended: site.ended,
    enough: faults >= options.faults && proves,
    seconds: (performance.now() - began) / 1000,
  };
}

export async function strike(
  kind: Kill,
  [first, second]: readonly [Server, Server],
  { databaseUrl, killDatabase }: Pick<CoEditing, "databaseUrl" | "killDatabase">,
): Promise<void> {
  if (kind === "one server") return first.kill();
  if (kind === "the other server") return second.kill();
  if (kind === "both servers") return void (await Promise.all([first.kill(), second.kill()]));
  if (kind === "database") return killDatabase?.();
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query(CUT).finally(() => client.end());
}
