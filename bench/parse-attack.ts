// npm run bench -- --only parsing: a member who writes contents designed to be slow, as often as the rate limit of
// writes allows, next to a Workspace that writes small ones. Turns with and without the attack alternate in one run,
// and their ratio must be at most 2. The longest list that Markdown can hold must be accepted meanwhile.
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { csrfTokenOf } from "../server/src/platform/wire/ids.ts";
import { defaultRates } from "../server/src/platform/wire/limits/rate-limit.ts";
import type { Data } from "./data.ts";
import { fillDocuments } from "./documents-data.ts";
import { median, printColumns } from "./table.ts";

const ATTACKERS = 8;
/** The service runs without rate limits here, so the attackers apply this one. */
const { requests, seconds } = defaultRates.write;
const PACE_MS = (ATTACKERS * seconds * 1000) / requests;
const WRITES = 100;
/** Contents that a limit refuses, and the slowest that pass the limits. */
const ATTACKS: Readonly<Record<string, string>> = {
  "~~a, 87,381 times": "~~a".repeat(87_381),
  "*ab , 65,536 times": "*ab ".repeat(65_536),
  "- a, 65,536 times": "- a\n".repeat(65_536),
  "quotes, lazily continued": `${">".repeat(60)}${"\na".repeat(131_000)}`,
  "quotes, never continued, 16 kB": "> # a\nb\n".repeat(1638),
  "quotes, never continued, 262 kB": "> # a\nb\n".repeat(26_214),
};

export async function measureParsing(port: number, client: pg.Client, large: Data, small: Data, rounds: number) {
  const put = async ({ people }: Data, id: string, markdown: string) => {
    const session = people[0]?.session as string;
    const started = performance.now();
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/documents/${id}/markdown`, {
      method: "PUT",
      headers: {
        cookie: `__Host-svc_session=${session}`,
        "x-csrf-token": csrfTokenOf(session),
        "content-type": "application/json",
        "if-match": "*",
      },
      body: JSON.stringify({ markdown }),
    });
    await answer.arrayBuffer();
    return { status: answer.status, ms: performance.now() - started };
  };
  const [own, foreign] = [await fillDocuments(client, small, 1), await fillDocuments(client, large, ATTACKERS)];
  const writeSmall = async () => {
    const times: number[] = [];
    for (let at = 0; at < WRITES; at++) {
      const { status, ms } = await put(small, own.ids[0] as string, `Word *${at}* of ${Math.random()}.`);
      if (status !== 200) throw new Error(`a small write got ${status}`);
      times.push(ms);
    }
    return median(times);
  };
  const rows: string[][] = [];
  await writeSmall();
  for (const [name, markdown] of Object.entries(ATTACKS)) {
    const [alone, beside]: [number[], number[]] = [[], []];
    const statuses = new Map<number, number>();
    for (let round = 0; round < rounds; round++) {
      alone.push(await writeSmall());
      let attacking = true;
      const attackers = foreign.ids.map(async (id, at) => {
        while (attacking) {
          const pause = sleep(PACE_MS);
          const { status } = await put(large, id, `${markdown.slice(0, -1)}${at}`);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          await pause;
        }
      });
      beside.push(await writeSmall());
      attacking = false;
      await Promise.all(attackers);
    }
    const growth = median(beside.map((ms, at) => ms / (alone[at] as number)));
    rows.push([
      name,
      ...[median(alone), median(beside)].map((ms) => ms.toFixed(1)),
      growth.toFixed(2),
      [...statuses].map(([status, count]) => `${status}: ${count}`).join(", "),
    ]);
  }
  printColumns(["attack", "small PUT alone, ms", "beside, ms", "growth", "attackers got"], rows);
}
