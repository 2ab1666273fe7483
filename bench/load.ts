// The load generator in a process of its own: keep-alive connections over plain sockets, one request at a time on each,
// so that it uses as little as possible of the two cores that it shares with the measured processes.
import { connect, type Socket } from "node:net";
import { csrfTokenOf, newId } from "../server/src/platform/wire/ids.ts";
import type { Data } from "./data.ts";

export const scenarios = [
  "read a Task",
  "list 50 of a Project",
  "create a Task",
  "update a Task",
  "add a comment",
] as const;
/** Scenarios without a bare limit to compare with. */
export type Scenario =
  | (typeof scenarios)[number]
  | "read the CSRF token"
  | "sign in"
  | "refresh a token"
  | "read paths"
  | "read all paths at once"
  | "change 100 Tasks"
  | "write Markdown";

export interface Job {
  scenario: Scenario;
  port: number;
  data: Data;
  connections: number;
  seconds: number;
  /** Ends after this many requests, if that is sooner. */
  most?: number;
  /** Answers of the first seconds do not count, because connections are still being opened. */
  warm?: number;
}
export interface LoadResult {
  requests: number;
  faults: number;
  /** The first fault. */
  fault?: string;
  seconds: number;
  p50: number;
  p99: number;
  /** p99 of the successful answers. */
  accepted99: number;
}

/** Tasks that one connection changes in turn, and the maximum number of connections. */
const OWN = 16;
const MOST = 64;
/** ETags from the last answer of each Task, across jobs; each measured process has Tasks of its own. */
const etags = new Map<string, string>();
const measured: number[] = [];
function ownTasks({ port, data: { taskIds } }: Job, connection: number): string[] {
  if (!measured.includes(port)) measured.push(port);
  const first = (measured.indexOf(port) * MOST + connection) * OWN;
  return Array.from({ length: OWN }, (_, index) => taskIds[(first + index) % taskIds.length] as string);
}

/** Builds the next request of one connection from the ETag and the body of its last answer. */
type Next = (etag: string | null, body: string) => string;

function requests(job: Job, connection: number): Next {
  const { data, scenario } = job;
  const { session } = data.people[connection % data.people.length] as Data["people"][number];
  const credential =
    data.token === undefined
      ? `Cookie: __Host-svc_session=${session}\r\nX-CSRF-Token: ${csrfTokenOf(session)}`
      : `Authorization: Bearer ${data.token}`;
  const common = `Host: 127.0.0.1\r\n${credential}\r\n`;
  let count = 0;
  const get = (path: string) => `GET /api/v1${path} HTTP/1.1\r\n${common}\r\n`;
  const send = (method: string, path: string, body: string, headers = "") =>
    `${method} /api/v1${path} HTTP/1.1\r\n${common}Content-Type: application/json\r\nIdempotency-Key: ` +
    `${newId()}\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`;
  const task = () => data.taskIds[(connection + 64 * count++) % data.taskIds.length];
  const project = () => data.projectIds[(connection + count++) % data.projectIds.length];
  switch (scenario) {
    case "read a Task":
      return () => get(`/tasks/${task()}`);
    case "list 50 of a Project":
      return () => get(`/projects/${data.projectIds[0]}/tasks?limit=50`);
    case "create a Task":
      return () =>
        send(
          "POST",
          `/projects/${project()}/tasks`,
          `{"title":"Bench task ${count}","description_markdown":"Some words about what to do."}`,
        );
    // In turn, so that no revision is stale and no row is updated all the time.
    case "update a Task": {
      const own = ownTasks(job, connection);
      return (etag) => {
        if (count > 0) etags.set(own[(count - 1) % OWN] as string, etag ?? "");
        const next = own[count++ % OWN] as string;
        const known = etags.get(next);
        if (!known) return get(`/tasks/${next}`);
        return send("PATCH", `/tasks/${next}`, `{"title":"Changed ${count}"}`, `If-Match: ${known}\r\n`);
      };
    }
    case "read paths":
      return () => get(data.paths?.[count++ % data.paths.length] ?? "");
    // Pipelined, with answers in order: the requests of a screen that opens.
    case "read all paths at once":
      return () => data.paths?.map(get).join("") ?? "";
    case "change 100 Tasks": {
      // With few Tasks, several connections change the same ones.
      const from = 100 * (connection % Math.floor(data.taskIds.length / 100));
      const ids = JSON.stringify(data.taskIds.slice(from, from + 100));
      return () => {
        const priority = ["low", "medium", "high", "urgent"][count++ % 4];
        return send(
          "POST",
          `/workspaces/${data.workspaceId}/tasks/bulk`,
          `{"task_ids":${ids},"changes":{"priority":"${priority}"}}`,
        );
      };
    }
    // A different text of the same length each time: writing the same text again would change nothing.
    case "write Markdown": {
      const { ids, markdown } = data.writing as NonNullable<Data["writing"]>;
      const path = `/documents/${ids[connection % ids.length]}/markdown`;
      return (etag) => {
        if (etag !== null) etags.set(path, etag);
        const known = etags.get(path);
        if (known === undefined) return get(path);
        const text = `${String(++count).padStart(8, "0")}${markdown.slice(8)}`;
        return send("PUT", path, JSON.stringify({ markdown: text }), `If-Match: ${known}\r\n`);
      };
    }
    case "read the CSRF token":
      return () => get("/auth/csrf");
    case "sign in":
      return () => send("POST", "/auth/login", JSON.stringify(data.signIn));
    case "refresh a token": {
      let token = data.refreshTokens?.[connection] ?? "";
      return (_etag, answer) => {
        token = /"refresh_token":"([^"]+)"/.exec(answer)?.[1] ?? token;
        const form = `grant_type=refresh_token&client_id=svc-cli&refresh_token=${token}`;
        return (
          `POST /api/v1/dev/oauth/token HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: ` +
          `application/x-www-form-urlencoded\r\nContent-Length: ${form.length}\r\n\r\n${form}`
        );
      };
    }
    case "add a comment":
      return () =>
        send("POST", `/tasks/${task()}/comments`, `{"markdown":"A remark of the usual length, number ${count}."}`);
  }
}

async function run(job: Job): Promise<LoadResult> {
  const times: number[] = [];
  const accepted: number[] = [];
  let faults = 0;
  let fault: string | undefined;
  let begun = 0;
  const answers = job.scenario === "read all paths at once" ? (job.data.paths?.length ?? 1) : 1;
  const started = performance.now() + (job.warm ?? 0) * 1000;
  const end = started + job.seconds * 1000;
  const drive = (connection: number) =>
    new Promise<void>((resolve, reject) => {
      const socket: Socket = connect({ port: job.port, host: "127.0.0.1", noDelay: true });
      const next = requests(job, connection);
      let sentAt = 0;
      let buffered = "";
      let awaited = 0;
      const send = (etag: string | null, body = "") => {
        // Built even if it is not sent: the function records the last answer.
        const request = next(etag, body);
        sentAt = performance.now();
        if (sentAt >= end || begun++ >= (job.most ?? Infinity)) return void socket.end(resolve);
        awaited = answers;
        socket.write(request);
      };
      socket.setEncoding("latin1");
      socket.on("connect", () => send(null));
      socket.on("error", reject);
      socket.on("data", (chunk) => {
        buffered += chunk;
        for (;;) {
          const head = buffered.indexOf("\r\n\r\n");
          if (head < 0) return;
          const length = /\r\ncontent-length: (\d+)/i.exec(buffered.slice(0, head));
          const size = head + 4 + Number(length?.[1] ?? 0);
          if (buffered.length < size) return;
          const counts = performance.now() >= started && (job.warm === undefined || performance.now() <= end);
          if (counts && buffered[9] !== "2") {
            faults++;
            fault ??= buffered.slice(9, 13) + buffered.slice(head + 4, head + 400);
          }
          if (--awaited > 0) {
            buffered = buffered.slice(size);
            continue;
          }
          if (counts) times.push(performance.now() - sentAt);
          if (counts && buffered[9] === "2") accepted.push(performance.now() - sentAt);
          const etag = /\r\netag: ("\d+")/i.exec(buffered.slice(0, head))?.[1] ?? null;
          const body = buffered.slice(head + 4);
          buffered = "";
          return send(etag, body);
        }
      });
    });
  await Promise.all(Array.from({ length: job.connections }, (_, connection) => drive(connection)));
  const seconds = job.warm === undefined ? (performance.now() - started) / 1000 : job.seconds;
  for (const list of [times, accepted]) list.sort((a, b) => a - b);
  const at = (list: number[], share: number) => list[Math.min(list.length - 1, Math.floor(list.length * share))] ?? 0;
  const [p50, p99] = [at(times, 0.5), at(times, 0.99)];
  return { requests: times.length, faults, fault, seconds, p50, p99, accepted99: at(accepted, 0.99) };
}

process.on("message", async (job: Job) => process.send?.(await run(job)));
