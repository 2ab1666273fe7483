// The storm over runs: people ask the assistant for changes at two servers, which are killed in turn while answers are
// generated (questions.ts). Each interrupted answer must resume within two seconds of ready (resumption.ts). Bounded in
// count and time; it kills only the servers that it starts.
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { migrate } from "../../server/src/platform/database/start/migrations.ts";
import { fill } from "../data.ts";
import type { Server } from "./killable.ts";
import { askQuestions, startModel } from "./questions.ts";
import { randomOf } from "./random.ts";
import { Resumptions } from "./resumption.ts";
import { nothingFound, Site } from "./site.ts";
import type { Bug, StormOutcome } from "./storm.ts";

export interface Runs {
  databaseUrl: string;
  seed: number;
  faults: number;
  /** People, who each ask one question after the other. */
  people: number;
  limitMs: number;
  /** A planted bug; unset: the unmodified service. */
  bug?: Bug;
  progress?: (faults: number, cut: number) => void;
}
const [LEAST_MS, MOST_MS] = [400, 1500];

export async function underRuns(options: Runs): Promise<StormOutcome> {
  const began = performance.now();
  const { databaseUrl, seed, bug } = options;
  const { model, settings } = await startModel();
  const site = new Site(databaseUrl, { ...settings, ROLES: "api,worker" }, bug);
  const found = nothingFound();
  const [broken, back]: [string[], number[]] = [[], []];
  const random = randomOf(seed, "runs");
  const client = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  const resumptions = new Resumptions(client);
  let [faults, underWay] = [0, 0];
  let questions: Awaited<ReturnType<typeof askQuestions>> | null = null;
  try {
    await migrate(databaseUrl);
    const data = await fill(databaseUrl, [10], "RUN");
    await site.start();
    questions = await askQuestions(client, site, data, model, options);
    for (; faults < options.faults && performance.now() - began < options.limitMs; faults++) {
      await sleep(LEAST_MS + random() * (MOST_MS - LEAST_MS));
      const struck = [[site.servers[0]], [site.servers[1]], site.servers][faults % 3] as readonly Server[];
      underWay += await questions.underWay();
      await Promise.all(struck.map((server) => server.kill()));
      const restart = async () => {
        await Promise.all(struck.map((server) => server.start()));
        await site.untilReady();
      };
      back.push(await resumptions.after(restart));
      options.progress?.(faults + 1, underWay);
    }
    broken.push(...resumptions.broken, ...(await questions.judge(found)));
  } catch (error) {
    broken.push((error as Error).message);
  } finally {
    questions?.stop();
    await site.remove();
    model.close();
    await client.end();
  }
  const asked = questions?.count ?? 0;
  return {
    found,
    broken,
    back,
    faults,
    directory: site.directory,
    cut: underWay,
    killsDuringStart: 0,
    seen: {},
    counts: {
      "questions answered": asked,
      "  runs at work when a server was killed": underWay,
      ...resumptions.counts(),
    },
    ended: site.ended,
    enough: faults >= options.faults && asked > 0 && underWay > 0,
    seconds: (performance.now() - began) / 1000,
  };
}
