// Realtime subscribers of a Workspace at two servers, and the writes that they receive: Tasks of a public and of a
// private Project, created and changed in lanes. At the end each subscriber must have the current revision of every
// Task that it may read, and must have received no other Task.
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { newId } from "../../server/src/platform/wire/ids.ts";
import type { Data } from "../data.ts";
import type { Verdict } from "./check.ts";
import { Listener } from "./listener.ts";
import { untilNone } from "./patience.ts";
import { randomOf } from "./random.ts";
import { headersOf, type Site } from "./site.ts";

export interface Audience {
  seed: number;
  sockets: number;
  /** Attempted writes. */
  perSecond: number;
}
const LANES = 24;

/** `data` has two Projects. The second becomes private: only its lead may receive its changes. */
export async function seatFollowers(client: pg.Pool, site: Site, data: Data, options: Audience) {
  await client.query("update projects set visibility = 'private' where id = $1", [data.projectIds[1]]);
  const { rows } = await client.query("select id from tasks where project_id = $1", [data.projectIds[1]]);
  const hidden = rows.map(({ id }) => id as string);
  const people = Array.from(
    { length: options.sockets },
    (_, at) => data.people[at % data.people.length] as Data["people"][number],
  );
  const cursors = await Promise.all(people.map((person) => cursorOf(site, data, person)));
  const listeners = people.map(
    ({ session }, at) => new Listener({ session, port: () => site.portFor(at), cursor: cursors[at] as string }),
  );
  const writing = { stopped: false, answered: 0, failed: 0 };
  const everyMs = (LANES * 1000) / options.perSecond;
  /** Followers that are not subscribed, with the last message that each received. */
  const missing = () => listeners.flatMap(({ subscribed, last }, at) => (subscribed ? [] : `${at}: ${last}`));
  const everybodyIsThere = async () => {
    if ((await untilNone(() => missing().length)) > 0)
      throw new Error(["followers did not come back", ...missing()].join("\n  "));
  };
  const end = () => {
    writing.stopped = true;
    for (const listener of listeners) listener.end();
  };
  await everybodyIsThere().catch((error) => {
    end();
    throw error;
  });
  const lanes = Array.from({ length: LANES }, (_, at) =>
    write({ ...data, hidden }, at, () => site.portFor(at), randomOf(options.seed, `lane ${at}`), everyMs, writing),
  );
  const sum = (of: (listener: Listener) => number) => listeners.reduce((total, one) => total + of(one), 0);
  return {
    writing,
    everybodyIsThere,
    async stopWriting() {
      writing.stopped = true;
      await Promise.all(lanes);
    },
    /** Waits until no subscriber lacks a change, and reports what is still missing when progress ends. */
    judge: (found: Verdict["found"]) => untilNone(async () => judge(await truthOf(client, data), listeners, found)),
    counts: () => ({
      "writes answered": writing.answered,
      "changes heard": sum(({ changes }) => changes),
      "  times that somebody came back": sum(({ connections }) => connections - 1),
    }),
    end,
  };
}
const cursorOf = (site: Site, data: Data, person: Data["people"][number]): Promise<string> =>
  site.persist(data, async (_call, port) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/realtime/baseline`, { headers: headersOf(person) });
    if (!response.ok) throw new Error(`the baseline answered ${response.status}`);
    return ((await response.json()) as { cursor: string }).cursor;
  });

/**
 * Creates and changes Tasks of both Projects in one lane, as somebody with access; a write that a kill cuts off is not
 * retried.
 */
async function write(
  data: Data & { hidden: string[] },
  lane: number,
  port: () => number | null,
  random: () => number,
  everyMs: number,
  writing: { stopped: boolean; answered: number; failed: number },
) {
  const headers = { ...headersOf(data.people[0] as Data["people"][number]), "content-type": "application/json" };
  await sleep((everyMs * lane) / LANES);
  for (let next = performance.now(); !writing.stopped; next += everyMs) {
    await sleep(Math.max(0, next - performance.now()));
    const at = port();
    if (at === null) continue;
    const secret = random() < 0.3;
    const made = random() < 0.5;
    const ids = secret ? data.hidden : data.taskIds;
    const id = ids[Math.floor(random() * ids.length)];
    const path = made ? `/projects/${data.projectIds[secret ? 1 : 0]}/tasks` : `/tasks/${id}`;
    await fetch(`http://127.0.0.1:${at}/api/v1${path}`, {
      method: made ? "POST" : "PATCH",
      headers: { ...headers, "idempotency-key": newId(), ...(made ? {} : { "if-match": "*" }) },
      body: JSON.stringify({ title: `Written ${newId()}` }),
      signal: AbortSignal.timeout(10_000),
    }).then(
      async (response) => {
        await response.arrayBuffer();
        if (response.ok) writing.answered++;
        else writing.failed++;
      },
      () => {
        writing.failed++;
      },
    );
  }
}

type Truth = Map<string, { revision: string; hidden: boolean }>;
const CHANGED = `
select t.id, t.revision::text, t.project_id = $2 as hidden from tasks t
where t.workspace_id = $1 and exists (
  select from domain_events e where e.workspace_id = $1 and e.resource_kind = 'task' and e.resource_id = t.id)`;
async function truthOf(client: pg.Pool, { workspaceId, projectIds }: Data): Promise<Truth> {
  const { rows } = await client.query(CHANGED, [workspaceId, projectIds[1]]);
  return new Map(rows.map(({ id, ...task }) => [id, task]));
}

/**
 * Compares the listeners with the database. The first one owns the Workspace and sees everything. Returns the number of
 * errors.
 */
function judge(truth: Truth, listeners: readonly Listener[], found: Verdict["found"]): number {
  const [missed, wrong]: [string[], string[]] = [[], []];
  for (const [at, { told, wrong: said }] of listeners.entries()) {
    wrong.push(...said.map((what) => `follower ${at} heard ${what}`));
    const seesAll = at % 64 === 0;
    for (const [id, { revision, hidden }] of truth)
      if ((seesAll || !hidden) && told.get(id) !== revision)
        missed.push(`follower ${at} has Task ${id} at ${told.get(id)}, and it is at ${revision}`);
    for (const id of told.keys())
      if (!truth.has(id) || (truth.get(id)?.hidden && !seesAll)) wrong.push(`follower ${at} heard of Task ${id}`);
  }
  found["changes missed"] = missed;
  found["changes told to the wrong"] = wrong;
  return missed.length + wrong.length;
}
