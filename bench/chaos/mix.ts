// The mix: Tasks, editors, followers, turns, webhooks, uploads, mails and a lifecycle migration at two servers at once,
// while servers, connections and the database are killed and the network between them fails for 30 s and longer. After
// each fault the editors of every text must agree within a minute. At the end no acknowledged write may be lost or
// duplicated, followers and the webhook endpoint must have received every change, every turn must have ended, and every
// file must be readable. Work that a kill interrupted must resume within two seconds of ready. One text is at its
// limit. Bounded in time; it kills only what it starts.
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { migrate } from "../../server/src/platform/database/start/migrations.ts";
import { FaultyNetwork, faults as networkFaults, type Outage, outages } from "../../server/test/faulty-network.ts";
import { type Data, fill } from "../data.ts";
import { workBeside } from "./beside.ts";
import { violations } from "./check.ts";
import { type Kill, strike } from "./co-editing.ts";
import { seatFollowers } from "./followers.ts";
import { askQuestions, startModel } from "./questions.ts";
import { randomOf } from "./random.ts";
import { Resumptions } from "./resumption.ts";
import { countWords, differences, furnish, wordsLost } from "./rooms.ts";
import { nothingFound, Site } from "./site.ts";
import type { Bug, StormOutcome } from "./storm.ts";
import { loadTasks } from "./task-load.ts";
import type { Room } from "./typist.ts";
import { uploadFiles } from "./uploads.ts";
import { recordWebhooks, startReceiver } from "./webhook-ledger.ts";

export type MixFault = Kill | Outage | "swallow";
/** The faults of one pass. The first one happens during the lifecycle migration. */
export const mixFaults: readonly MixFault[] = [
  ...(["accept and close", "one server", "accept and hang", "both servers", "refuse"] as const),
  ...(["database", "flap", "the other server", "swallow", "connections"] as const),
];
export interface Mix {
  databaseUrl: string;
  killDatabase: () => Promise<void>;
  seed: number;
  /** The faults of one pass. */
  kinds: readonly MixFault[];
  /** No pass begins after this time; at least one is made. */
  limitMs: number;
  /** A planted bug; unset: the unmodified service. */
  bug?: Bug;
  progress?: (faults: number, cut: number) => void;
}
const [NETWORK_MS, NETWORK_MORE_MS] = [30_000, 5000];
/** Range of time without a fault before each fault. */
const [LEAST_MS, MOST_MS] = [1000, 3000];
const SIZE = { lanes: 3, texts: 3, room: 3000, editors: 4, sockets: 12, perSecond: 20, askers: 4, uploaders: 3 };

const isOutage = (kind: MixFault): kind is Outage => (outages as readonly string[]).includes(kind);
const isNetwork = (kind: MixFault) => isOutage(kind) || (networkFaults as readonly string[]).includes(kind);

export async function mix(options: Mix): Promise<StormOutcome> {
  const began = performance.now();
  const { databaseUrl, seed } = options;
  const random = randomOf(seed, "mix");
  const found = nothingFound();
  const [broken, back]: [string[], number[]] = [[], []];
  const counts: Record<string, number> = {};
  let [faults, rooms]: [number, Room[]] = [0, []];
  let cut = () => 0;
  const typists = () => rooms.flatMap((room) => room.typists);
  /** Cleanup functions, called newest first. */
  const ends: (() => unknown)[] = [];
  await migrate(databaseUrl);
  const client = new pg.Pool({ connectionString: databaseUrl, max: 4 });
  client.on("error", () => {});
  const resumptions = new Resumptions(client);
  const [network, { model, settings }, receiver] = await Promise.all([
    FaultyNetwork.to(databaseUrl),
    startModel(),
    startReceiver(),
  ]);
  ends.push(
    () => client.end(),
    () => network.close(),
    model.close,
    receiver.close,
  );
  const site = new Site(network.url, { ...settings, WEBHOOK_ALLOW: receiver.origin }, options.bug);
  ends.push(() => site.remove());
  try {
    const data = await fill(databaseUrl, [200, 200], "MIX");
    const reader = data.people[0] as Data["people"][number];
    const beside = await workBeside(databaseUrl, site.dataDir);
    ends.push(() => beside.close());
    for (const server of site.servers) server.env.SMTP_URL = beside.smtpUrl;
    await site.start();
    const tasks = await loadTasks(databaseUrl, site.directory, { seed, lanes: SIZE.lanes, pauseMs: 100 });
    ends.push(() => tasks.end());
    cut = tasks.cut;
    rooms = await furnish(data, site, {
      databaseUrl,
      seed,
      texts: SIZE.texts,
      editors: SIZE.editors,
      room: SIZE.room,
      pauseMs: 400,
    });
    const webhooks = await recordWebhooks(client, site, data, receiver);
    const followers = await seatFollowers(client, site, data, { seed, ...SIZE });
    ends.push(() => followers.end());
    const questions = await askQuestions(client, site, data, model, { people: SIZE.askers, pauseMs: 500 });
    ends.push(() => questions.stop());
    const uploads = uploadFiles(client, site, data, { people: SIZE.uploaders });
    ends.push(() => uploads.stop());
    tasks.route(site.portFor(0));
    await site.persist(data, (_call, port) => beside.begin(port));

    const kill = async (kind: Kill) => {
      for (const typist of typists()) typist.hold(true);
      await strike(kind, site.servers, options);
      tasks.route(site.portFor(0));
      await Promise.all(typists().map((typist) => typist.pause()));
      const restart = async () => {
        await Promise.all(site.servers.map((server) => server.port ?? server.start()));
        tasks.route(site.portFor(0));
        await site.untilReady();
      };
      // A kill of the database or of connections does not end the server processes, which continue their work.
      if (kind === "database" || kind === "connections") {
        const since = performance.now();
        await restart();
        back.push(performance.now() - since);
      } else back.push(await resumptions.after(restart));
      for (const room of rooms)
        found["acknowledged writes lost"].push(...(await wordsLost(room)).map((word) => `${word} after "${kind}"`));
      for (const typist of typists()) typist.hold(false);
    };
    const failNetwork = async (kind: Exclude<MixFault, Kill>) => {
      if (isOutage(kind)) network.beginOutage(kind);
      else network.begin(kind);
      await sleep(NETWORK_MS + random() * NETWORK_MORE_MS);
      await network.heal();
      const since = performance.now();
      await site.untilReady();
      back.push(performance.now() - since);
      await Promise.all(typists().map((typist) => typist.pause()));
    };
    const isOver = () => faults % options.kinds.length === 0 && performance.now() - began > options.limitMs;
    for (; faults === 0 || !isOver(); faults++) {
      const kind = options.kinds[faults % options.kinds.length] as MixFault;
      for (const typist of typists()) typist.begin();
      await sleep(LEAST_MS + random() * (MOST_MS - LEAST_MS));
      await (isNetwork(kind) ? failNetwork(kind as Exclude<MixFault, Kill>) : kill(kind as Kill));
      const differing = await Promise.all(rooms.map((room) => differences(room, site, reader, databaseUrl)));
      found["rows that do not match"].push(...differing.flat().map((what) => `${what} after "${kind}"`));
      await followers.everybodyIsThere();
      options.progress?.(faults + 1, cut());
    }

    const [verdict, letters, ...failures] = await Promise.all([
      tasks.settle(),
      beside.end(),
      questions.judge(found),
      uploads.judge(found),
      followers.stopWriting().then(() => []),
    ]);
    broken.push(...resumptions.broken, ...letters.broken, ...failures.flat());
    await followers.judge(found);
    await webhooks.judge(found);
    for (const name of violations) found[name].push(...verdict.found[name]);
    Object.assign(counts, verdict.counts, letters.counts, followers.counts(), webhooks.counts(), resumptions.counts());
    Object.assign(counts, { "questions answered": questions.count, "files uploaded": uploads.count });
  } catch (error) {
    broken.push((error as Error).message);
  } finally {
    await Promise.all(typists().map((typist) => typist.end()));
    for (const end of ends.reverse()) await end();
  }
  Object.assign(counts, countWords(rooms));
  const all = [
    "acknowledged",
    "  acknowledged",
    "changes heard",
    "webhook events",
    "questions answered",
    "files uploaded",
  ];
  return {
    counts,
    found,
    broken,
    back,
    faults,
    directory: site.directory,
    cut: cut(),
    killsDuringStart: 0,
    seen: {},
    ended: site.ended,
    enough: faults >= options.kinds.length && all.every((name) => (counts[name] ?? 0) > 0),
    seconds: (performance.now() - began) / 1000,
  };
}
