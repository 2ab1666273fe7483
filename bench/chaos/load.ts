// The load process: lanes of writes with idempotency keys, each retried with its key until the answer is definite. Now
// and then a lane disconnects early, sends a duplicate, or replays a write that was already answered. When ordered to
// settle, it finishes open writes and replays every answered write once. It only records in the ledger; the checker
// judges.
import { setTimeout as sleep } from "node:timers/promises";
import { type AttemptResult, attempt, RECOVERY_MS } from "./attempt.ts";
import { type Definite, openLedger, type Write } from "./ledger.ts";
import { type PlannedTask, plans } from "./plan.ts";
import { randomOf } from "./random.ts";

export interface LoadTask {
  seed: number;
  lanes: number;
  /** Pause between two writes of a lane; default none. */
  pauseMs?: number;
  ledger: string;
  workspaceId: string;
  headers: Record<string, string>;
}
export type LoadOrder =
  | { order: "up"; port: number }
  | { order: "down" }
  /** A fault in the server's environment begins, and is over. */
  | { order: "fault" }
  | { order: "healed" }
  | { order: "settle"; patienceMs: number };
export type LoadReport =
  | { event: "cut" }
  /** Time from the end of a fault to the answer of the first write sent after it. */
  | { event: "answered"; ms: number }
  /** A refusal after the recovery time. */
  | { event: "late"; ms: number; why: string }
  | { event: "done" };

const TWIN = 0.05;
const GIVE_UP = 0.06;
const ASK_AGAIN = 0.1;
/** After this many "in progress" answers a lane postpones a write. */
const PARK_AFTER = 10;

const task = JSON.parse(process.argv[2] as string) as LoadTask;
const note = openLedger(task.ledger);
const report = (message: LoadReport) => process.send?.(message);
const random = randomOf(task.seed, "load");
const plan = plans(task);
const attempts = new Map<string, number>();
const parked: Write[] = [];
const acknowledged: Write[] = [];
let patienceMs = 0;
let deadline = Number.POSITIVE_INFINITY;
const settling = () => deadline < Number.POSITIVE_INFINITY;

let port: number | null = null;
let calm: { since: number; answered: boolean } | null = null;
const arrived: (() => void)[] = [];
process.on("message", (message: LoadOrder) => {
  if (message.order === "settle" && !settling()) {
    patienceMs = message.patienceMs;
    deadline = Date.now() + patienceMs;
  }
  if (message.order === "down") port = null;
  if (message.order === "fault") calm = null;
  if (message.order === "healed") calm = { since: performance.now(), answered: false };
  if (message.order === "up") {
    port = message.port;
    for (const resolve of arrived.splice(0)) resolve();
  }
});
process.on("disconnect", () => process.exit(0));

async function server(): Promise<number> {
  while (port === null) await new Promise<void>((resolve) => arrived.push(resolve));
  return port;
}

async function tryOnce(write: Write): Promise<Definite | string> {
  const to = await server();
  const number = (attempts.get(write.id) ?? 0) + 1;
  attempts.set(write.id, number);
  note({ at: "try", write: write.id, attempt: number });
  const giveUpMs = !settling() && random() < GIVE_UP ? random() * 8 : null;
  const [asked, during] = [performance.now(), calm];
  const result = await attempt(to, task.headers, write, number, giveUpMs);
  if (during !== null && during === calm) judge(during, asked, result);
  if (result.kind === "answer") {
    note({ at: "answer", write: write.id, attempt: number, ...result.answer });
    return result.answer;
  }
  const { kind, ...more } = result;
  note({ at: kind, write: write.id, attempt: number, ...more } as never);
  if (kind !== "ambiguous") return kind;
  if (result.killed) report({ event: "cut" });
  return result.why;
}

function judge(during: NonNullable<typeof calm>, asked: number, result: AttemptResult) {
  if (result.kind === "answer" && !during.answered) {
    during.answered = true;
    report({ event: "answered", ms: performance.now() - during.since });
  }
  const why = result.kind === "ambiguous" ? result.why : result.kind;
  const excused = ["answer", "gave up", "idempotency_in_progress"].includes(why);
  if (!excused && asked - during.since > RECOVERY_MS) report({ event: "late", ms: asked - during.since, why });
}

/** Retries until the answer is definite; null if the write is postponed, or abandoned when time is up. */
async function perform(write: Write): Promise<Definite | null> {
  for (let inProgress = 0; inProgress < PARK_AFTER || settling(); ) {
    const twin = !settling() && random() < TWIN ? tryOnce(write) : null;
    const results = [await tryOnce(write), await twin];
    const answer = results.find((result) => result !== null && typeof result === "object");
    if (answer) return answer as Definite;
    if (Date.now() > deadline) return null;
    if (results.includes("idempotency_in_progress")) inProgress++;
    await sleep(5 + random() * 45);
  }
  return null;
}

async function submit(write: Write): Promise<Definite | null> {
  note({ at: "write", ...write });
  const answer = await perform(write);
  if (answer === null) parked.push(write);
  else if (answer.status < 300) {
    acknowledged.push(write);
    if (random() < ASK_AGAIN) await perform(write);
  }
  return answer;
}

async function lane(index: number) {
  const choose = randomOf(task.seed, `lane ${index}`);
  let own: PlannedTask | null = null;
  while (!settling()) {
    const write = plan.next(index, choose, own);
    const answer = await submit(write);
    own = plan.learn(write, answer, own);
    if (task.pauseMs !== undefined) await sleep(task.pauseMs);
  }
}

async function inTurn(writes: Write[], work: (write: Write) => Promise<unknown>) {
  const queue = writes.values();
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const write of queue) if (Date.now() < deadline) await work(write);
    }),
  );
}

for (let write = plan.project(); write && !settling(); write = plan.project())
  if (!plan.begin(await submit(write))) await sleep(100);
for (const write of plan.contested()) plan.learn(write, await submit(write), null);
await Promise.all(Array.from({ length: task.lanes }, (_, index) => lane(index)));
await inTurn(parked.splice(0), async (write) => {
  const answer = await perform(write);
  if (answer && answer.status < 300) acknowledged.push(write);
});
deadline = Date.now() + patienceMs;
await inTurn(acknowledged, perform);
report({ event: "done" });
