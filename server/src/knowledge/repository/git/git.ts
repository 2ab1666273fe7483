// Client of a Git repository. The Git library runs in a worker thread, and its requests leave through the service's
// egress with the credential. A repository that exceeds the time of a run is abandoned together with its thread.
import { Worker } from "node:worker_threads";
import { EgressError, type EgressFault } from "../../../platform/outside/egress.ts";
import type { Egress } from "../../../platform/outside/external-systems.ts";
import { RepositoryFault } from "./fault.ts";
import { type Calls, type FromThread, handedOver, type Request, type Response, type ToThread } from "./messages.ts";
import { MOST_PACK } from "./pack-limits.ts";

export type Git = {
  [Name in keyof Calls]: (input: Parameters<Calls[Name]>[0]) => Promise<ReturnType<Calls[Name]>>;
} & { close(): Promise<void> };

export interface GitRemote {
  url: string;
  username: string | null;
  /** A password or a token; null for a public repository. */
  credential: string | null;
}

/** Timeout of one request: a server packs before it answers. */
const REQUEST_MS = 120_000;
/** Timeout of one call, with all its requests. */
const CALL_MS = 300_000;
/** The protocol adds a few bytes per 64 kB around the pack. */
const MOST_ANSWER = MOST_PACK + 1024 * 1024;
/** Heap for the objects that the library makes; unpacked data is outside of the heap and bounded by the pack. */
const MOST_HEAP_MB = 192;
/** Milliseconds in which another repository reuses an idle thread: starting one takes 0.16 s of a core. */
const IDLE_MS = 10_000;

/** The idle thread, of which there is at most one. */
let idle: { thread: Worker; late: NodeJS.Timeout } | null = null;

function takeThread(): Worker {
  const taken = idle;
  idle = null;
  clearTimeout(taken?.late);
  if (taken) {
    forget(taken.thread);
    taken.thread.ref();
    return taken.thread;
  }
  return new Worker(new URL("./git-thread.ts", import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MB, maxYoungGenerationSizeMb: 4 },
  });
}
/** Removes listeners by event name: a worker has internal listeners that it needs. */
const forget = (thread: Worker) => {
  for (const event of ["message", "error", "exit"]) thread.removeAllListeners(event);
};
function leaveThread(thread: Worker): void {
  forget(thread);
  const drop = () => {
    if (idle?.thread === thread) idle = null;
  };
  const late = setTimeout(() => {
    drop();
    void thread.terminate();
  }, IDLE_MS).unref();
  idle = { thread, late };
  thread.on("error", drop).on("exit", drop).unref();
}

export function openGit(egress: Egress, { url, username, credential }: GitRemote): Git {
  const authorization: Record<string, string> =
    credential === null
      ? {}
      : { authorization: `Basic ${Buffer.from(`${username ?? "git"}:${credential}`).toString("base64")}` };
  const thread = takeThread();
  let isReusable = true;
  let isClosed = false;
  let requests = 0;
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  const end = (error: Error) => {
    isReusable = false;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  const send = (message: ToThread, given: ArrayBuffer[] = []) => thread.postMessage(message, given);
  send({ repository: url });

  const answer = async ({ url: wanted, method, headers, body }: Request): Promise<Response> => {
    // Sends the credential only to the repository's own address.
    if (!wanted.startsWith(`${url}/`)) return { fault: "server_unsupported" };
    try {
      const answered = await egress(wanted, {
        method,
        bytes: MOST_ANSWER,
        ms: REQUEST_MS,
        headers: { ...headers, ...authorization, "user-agent": "git/svc" },
        ...(body && { body: Buffer.from(body.buffer, body.byteOffset, body.byteLength) }),
      });
      return { status: answered.status, headers: Object.fromEntries(answered.headers), body: answered.body };
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      return { fault: FAULTS[error.fault] };
    }
  };
  thread.on("message", async (message: FromThread) => {
    if ("request" in message) {
      requests++;
      try {
        const answered = await answer(message.asked);
        requests--;
        send({ response: message.request, answer: answered }, handedOver("body" in answered ? answered.body : null));
      } catch (error) {
        end(error as Error);
      }
      return;
    }
    const call = waiting.get(message.answer);
    waiting.delete(message.answer);
    if ("fault" in message) call?.reject(new RepositoryFault(message.fault as never, message.detail));
    else call?.resolve(message.result);
  });
  // Out of memory means a repository that is too large: nothing else here grows.
  thread.on("error", (error) =>
    end(
      (error as { code?: string }).code === "ERR_WORKER_OUT_OF_MEMORY"
        ? new RepositoryFault("repository_too_large")
        : (error as Error),
    ),
  );
  thread.on("exit", () => end(new RepositoryFault("internal")));

  let count = 0;
  // biome-ignore lint/suspicious/noExplicitAny: Git says what each call takes and gives.
  const call = (name: keyof Calls) => (input: any) =>
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    new Promise<any>((resolve, reject) => {
      count += 1;
      const late = setTimeout(() => end(new RepositoryFault("unreachable")), CALL_MS);
      const ended =
        <T>(settle: (value: T) => void) =>
        (value: T) => {
          clearTimeout(late);
          settle(value);
        };
      waiting.set(count, { resolve: ended(resolve), reject: ended(reject) });
      send({ call: count, name, input });
    });
  return {
    head: call("head"),
    pull: call("pull"),
    list: call("list"),
    read: call("read"),
    write: call("write"),
    push: call("push"),
    async close() {
      if (isClosed) return;
      isClosed = true;
      if (!isReusable || requests > 0 || waiting.size > 0 || idle) {
        await thread.terminate();
        return;
      }
      send({ repository: null });
      leaveThread(thread);
    },
  };
}

const FAULTS: Record<EgressFault, string> = {
  url: "address_refused",
  name: "address_refused",
  address: "address_refused",
  connection: "unreachable",
  time: "unreachable",
  size: "repository_too_large",
};
