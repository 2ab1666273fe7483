// The storm of followers: many sockets at two servers receive writes while the servers are killed, one, the other and
// both in turn. Every follower resumes behind the last change that it applied. At the end each must have received the
// current revision of every Task that it may read, and no Task that it may not. Bounded in count and time. It kills
// only the servers that it starts.
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { migrate } from "../../server/src/platform/database/start/migrations.ts";
import { fill } from "../data.ts";
import { type Audience, seatFollowers } from "./followers.ts";
import type { Server } from "./killable.ts";
import { randomOf } from "./random.ts";
import { nothingFound, Site } from "./site.ts";
import type { Bug, StormOutcome } from "./storm.ts";

export interface Following extends Audience {
  databaseUrl: string;
  faults: number;
  limitMs: number;
  /** A planted bug; unset: the unmodified service. */
  bug?: Bug;
  progress?: (faults: number, cut: number) => void;
}
const [LEAST_MS, MOST_MS] = [400, 1500];

export async function following(options: Following): Promise<StormOutcome> {
  const began = performance.now();
  const { databaseUrl, seed } = options;
  const site = new Site(databaseUrl, { ROLES: "api,realtime" }, options.bug);
  const found = nothingFound();
  const [broken, back]: [string[], number[]] = [[], []];
  const random = randomOf(seed, "following");
  let faults = 0;
  let followers: Awaited<ReturnType<typeof seatFollowers>> | null = null;
  const client = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  try {
    await migrate(databaseUrl);
    const data = await fill(databaseUrl, [200, 200], "RT");
    await site.start();
    followers = await seatFollowers(client, site, data, options);
    for (; faults < options.faults && performance.now() - began < options.limitMs; faults++) {
      await sleep(LEAST_MS + random() * (MOST_MS - LEAST_MS));
      const struck = [[site.servers[0]], [site.servers[1]], site.servers][faults % 3] as readonly Server[];
      await Promise.all(struck.map((server) => server.kill()));
      const since = performance.now();
      await Promise.all(struck.map((server) => server.start()));
      await followers.everybodyIsThere();
      back.push(performance.now() - since);
      options.progress?.(faults + 1, followers.writing.failed);
    }
    await followers.stopWriting();
    await followers.judge(found);
  } catch (error) {
    broken.push((error as Error).message);
  } finally {
    followers?.end();
    await client.end();
    await site.remove();
  }
  const counts = followers?.counts();
  const cameBack = counts?.["  times that somebody came back"] ?? 0;
  const seconds = (performance.now() - began) / 1000;
  return {
    found,
    broken,
    back,
    faults,
    seconds,
    directory: site.directory,
    killsDuringStart: 0,
    seen: {},
    counts: { ...counts, "  a second": Math.round((counts?.["writes answered"] ?? 0) / seconds) },
    ended: site.ended,
    cut: followers?.writing.failed ?? 0,
    enough: faults >= options.faults && (counts?.["writes answered"] ?? 0) > 0 && cameBack > 0,
  };
}
