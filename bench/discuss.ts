// npm run bench -- --only discuss: latency of a model's first words, throughput and order of a thousand queued turns,
// and the remaining throughput of other requests while twenty runs are active. With a scripted provider on loopback,
// and a database of its own.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startEmbedded } from "../server/src/platform/database/embedded/postgres.ts";
import { migrate } from "../server/src/platform/database/start/migrations.ts";
import { newId } from "../server/src/platform/wire/ids.ts";
import { type ScriptedModel, scriptedModel } from "../server/test/scripted-model.ts";
import { type Data, fill } from "./data.ts";
import { ownerOn } from "./lifecycle.ts";
import type { Job, LoadResult } from "./load.ts";
import { endAll, forkScript, nextMessage, startService } from "./processes.ts";
import { median } from "./table.ts";

const ACTIVE = 20;
const QUEUED = 1000;
const SECONDS = 4;
const ROUNDS = 4;

interface Message {
  id: string;
  generation_state: string;
  parts: { kind: string; text?: string }[];
}
type Asking = ReturnType<typeof ownerOn>;
const say = async (person: Asking, content: string) =>
  (
    await person<{ assistant_message: Message }>(
      "POST",
      "discuss/messages",
      { content },
      { "idempotency-key": newId() },
    )
  ).assistant_message.id;
async function until(person: Asking, id: string, wanted: (message: Message) => boolean) {
  for (;;) {
    const message = await person<Message>("GET", `discuss/messages/${id}`);
    if (wanted(message)) return message;
    await sleep(5);
  }
}
const ended = ({ generation_state: state }: Message) => state === "completed" || state === "failed";
const percentile = (times: readonly number[], of: number) =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * of))] as number;

/** Time from the moment when the provider sends a word to the moment when it can be read. */
async function measureFirst(person: Asking, provider: ScriptedModel) {
  const [shown, read]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < 40; turn++) {
    let said = 0;
    provider.always(() => {
      said = performance.now();
      return { text: ["First ", "words ", "and ", "more "], pauseMs: 200 };
    });
    const id = await say(person, `Question ${turn}`);
    await until(person, id, ({ parts }) => parts.some(({ kind }) => kind === "runtime_text"));
    shown.push(performance.now() - said);
    await until(person, id, ended);
    const from = performance.now();
    await person("GET", `discuss/messages/${id}`);
    read.push(performance.now() - from);
  }
  console.log(
    `  First words, after the provider's: p50 ${median(shown).toFixed(0)} ms, ` +
      `p99 ${percentile(shown, 0.99).toFixed(0)} ms (wanted 300). Reading the message alone: ` +
      `${median(read).toFixed(1)} ms.`,
  );
}

async function measureQueue(person: Asking, provider: ScriptedModel) {
  provider.clear();
  const gate = Promise.withResolvers<void>();
  provider.always(() => ({ before: gate.promise, text: ["Answered."] }));
  let last = "";
  const from = performance.now();
  for (let turn = 0; turn < QUEUED; turn++) last = await say(person, `turn ${turn}`);
  const queued = performance.now() - from;
  const draining = performance.now();
  gate.resolve();
  await until(person, last, ended);
  const drained = performance.now() - draining;
  const order = provider.asked.map(({ body }) => body.messages.at(-1).content as string);
  const isInOrder = order.length === QUEUED && order.every((content, at) => content === `turn ${at}`);
  // Baseline: the same questions sent directly to the provider, one after the other.
  const url = `${provider.origin}/v1/chat/completions`;
  const bare = performance.now();
  for (let turn = 0; turn < 100; turn++)
    await (await fetch(url, { method: "POST", body: JSON.stringify(provider.asked[turn]?.body ?? {}) })).text();
  const alone = (performance.now() - bare) / 100;
  console.log(
    `  ${QUEUED.toLocaleString("en")} turns: queued in ${(queued / 1000).toFixed(1)} s, ` +
      `answered in ${(drained / 1000).toFixed(1)} s, ${(drained / QUEUED).toFixed(0)} ms each (the provider alone ` +
      `${alone.toFixed(1)} ms), ${isInOrder ? "in their order" : "NOT in their order"}.`,
  );
}

/** Short alternating turns with and without active runs, because the speed of a machine changes. */
async function measureBeside(port: number, data: Data, people: readonly Asking[], provider: ScriptedModel) {
  const load = forkScript("load.ts");
  const reads = async (scenario: Job["scenario"]) => {
    load.send({ scenario, port, data, connections: 16, seconds: SECONDS, warm: 1 } satisfies Job);
    const { requests, seconds } = await nextMessage<LoadResult>(load);
    return requests / seconds;
  };
  for (const scenario of ["read a Task", "create a Task"] as const) {
    await reads(scenario);
    const [kept, provided]: [number[], number[]] = [[], []];
    const [alone, beside]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      const without = await reads(scenario);
      const words = Array.from({ length: 400 }, (_, at) => `word ${at} `);
      provider.always(() => ({ text: words, pauseMs: 50 }));
      const ids = await Promise.all(people.map((person) => say(person, "Talk for a while")));
      await Promise.all(people.map((person, at) => until(person, ids[at] as string, ({ parts }) => parts.length > 0)));
      const during = await reads(scenario);
      const states = await Promise.all(
        people.map((person, at) => person<Message>("GET", `discuss/messages/${ids[at]}`)),
      );
      if (states.some(ended)) throw new Error("a run has ended too soon");
      await Promise.all(people.map((person, at) => person("POST", `discuss/messages/${ids[at]}/cancel`)));
      await Promise.all(people.map((person, at) => until(person, ids[at] as string, ended)));
      const stop = listening(provider);
      const bare = await reads(scenario);
      stop();
      alone.push(without);
      beside.push(during);
      kept.push(during / without);
      provided.push(bare / without);
    }
    console.log(
      `  ${scenario}, 16 connections: ${median(alone).toFixed(0)} a second alone, ${median(beside).toFixed(0)} ` +
        `beside ${ACTIVE} runs that stream 20 pieces a second each: ${(median(kept) * 100).toFixed(0)} % is left ` +
        "(wanted 90); beside as many streams of the provider that are only read, " +
        `${(median(provided) * 100).toFixed(0)} %. The provider is on this machine, too: of what it leaves, ` +
        `the runs leave ${((median(kept) / median(provided)) * 100).toFixed(0)} %.`,
    );
  }
}

/** Baseline: as many streams as there would be runs, with unread content, for the cost of the provider and the wire. */
function listening({ origin }: ScriptedModel): () => void {
  const stop = new AbortController();
  for (let count = 0; count < ACTIVE; count++)
    void fetch(`${origin}/v1/chat/completions`, { method: "POST", body: "{}", signal: stop.signal })
      .then(async ({ body }) => {
        for await (const _ of body ?? []) if (stop.signal.aborted) return;
      })
      .catch(() => {});
  return () => stop.abort();
}

/** `what`: measures only the parts whose names contain it. */
export async function measureDiscuss(what = ""): Promise<void> {
  console.log("\nDiscuss:");
  const directory = mkdtempSync(join(tmpdir(), "svc-bench-"));
  const database = await startEmbedded(directory);
  const provider = await scriptedModel();
  try {
    await migrate(database.url);
    const data = await fill(database.url, [10_000], "DIS");
    const start = (roles: string) => startService(database.url, { ...provider.env, ROLES: roles });
    const on = (port: number) =>
      data.people.slice(0, ACTIVE).map((person) => ownerOn(port, { ...data, people: [person] }));
    const others = { ...data, people: data.people.slice(ACTIVE) };
    if ("apart".includes(what)) {
      console.log("  With the worker in a process of its own:");
      const { port } = await start("api,realtime");
      await start("worker");
      await measureBeside(port, others, on(port), provider);
      await endAll();
    }
    const { port } = await start("api,worker,realtime");
    const [first] = on(port) as [Asking, ...Asking[]];
    if ("first".includes(what)) await measureFirst(first, provider);
    if ("beside".includes(what)) await measureBeside(port, others, on(port), provider);
    if ("queue".includes(what)) await measureQueue(first, provider);
  } finally {
    provider.close();
    await endAll();
    await database.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}
