// Measures a lifecycle migration of every Task in the large Workspace, and the remaining read throughput while it runs.
import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { csrfTokenOf, newId } from "../server/src/platform/wire/ids.ts";
import type { Data } from "./data.ts";
import type { Job, LoadResult } from "./load.ts";
import { nextMessage } from "./processes.ts";

const CONNECTIONS = 16;
const perSecond = ({ requests, seconds }: LoadResult) => requests / seconds;
const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;
const rounded = (number: number) => Math.round(number).toLocaleString("en");

export interface Migration {
  id: string;
  state: string;
  progress: { total: number; moved: number; percent: number };
  error_code: string | null;
}
interface Step {
  id: string;
  name: string;
}

/** Calls with the session of the Workspace's owner. */
export const ownerOn = (port: number, { people, workspaceId }: Data) => {
  const session = people[0]?.session ?? "";
  const headers = {
    cookie: `__Host-svc_session=${session}`,
    "x-csrf-token": csrfTokenOf(session),
    "content-type": "application/json",
  };
  return async <T>(method: string, path: string, body?: unknown, more: Record<string, string> = {}): Promise<T> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/workspaces/${workspaceId}/${path}`, {
      method,
      headers: { ...headers, ...more },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
};

/** Maps every Task that is not started to the backlog. */
export async function previewMapping(owner: ReturnType<typeof ownerOn>, data: Data) {
  const { items } = await owner<{ items: { id: string; revision: string; stages: { statuses: Step[] }[] }[] }>(
    "GET",
    "lifecycle-definitions?kind=task",
  );
  const [definition] = items;
  const statuses = definition?.stages.flatMap((stage) => stage.statuses) ?? [];
  const backlog = statuses.find(({ name }) => name === "Backlog")?.id ?? "";
  const mapping = { [data.statusId]: backlog };
  const path = `lifecycle-definitions/${definition?.id}`;
  const asked = performance.now();
  const { source_revision, destination_revisions } = await owner<Record<string, unknown>>(
    "POST",
    `${path}/mapping-previews`,
    { mapping },
    { "if-match": `"${definition?.revision}"` },
  );
  const previewMs = performance.now() - asked;
  const application = { mapping, source_revision, destination_revisions, acknowledged: true };
  const apply = () =>
    owner<Migration>("POST", `${path}/mapping-applications`, application, { "idempotency-key": newId() });
  return { previewMs, apply };
}

export async function measureLifecycle(port: number, data: Data, load: ChildProcess, seconds: number) {
  const owner = ownerOn(port, data);
  const reads = async () => {
    load.send({ scenario: "read a Task", port, data, connections: CONNECTIONS, seconds } satisfies Job);
    return perSecond(await nextMessage<LoadResult>(load));
  };
  const { previewMs, apply } = await previewMapping(owner, data);
  const quiet = [await reads(), await reads()];
  const started = performance.now();
  let job = await apply();
  const shown: string[] = [];
  let finished = 0;
  const watching = (async () => {
    while (["pending", "processing", "retry"].includes(job.state)) {
      const tenth = `${Math.floor(job.progress.percent / 10) * 10} %`;
      if (shown.at(-1) !== tenth) shown.push(tenth);
      await sleep(250);
      job = await owner<Migration>("GET", `lifecycle-migrations/${job.id}`);
    }
    finished = performance.now();
  })();
  const during: number[] = [];
  while (finished === 0) during.push(await reads());
  await watching;
  if (job.state !== "completed") throw new Error(`the migration is ${job.state}: ${job.error_code}`);
  // The last turn outlasted the migration.
  if (during.length > 1) during.pop();
  quiet.push(await reads(), await reads());
  const kept = median(during) / median(quiet);
  console.log(
    `A lifecycle migration of ${rounded(job.progress.moved)} Tasks took ` +
      `${((finished - started) / 1000).toFixed(0)} s (its preview ${previewMs.toFixed(0)} ms); ` +
      `the job showed ${[...shown, "100 %"].join(", ")}. ` +
      `Reads at ${CONNECTIONS} connections: ${rounded(median(quiet))} a second without it, ` +
      `${rounded(median(during))} while it ran (${during.length} stretches, ` +
      `the slowest ${rounded(Math.min(...during))}): ${(kept * 100).toFixed(0)} % kept, at least 80 % are wanted.`,
  );
}
