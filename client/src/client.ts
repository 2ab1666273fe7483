// The client of the service, for browsers, Node, Deno and Bun: `createClient({ url, token })` has a method for each
// operation of the contract. It generates idempotency keys, retries, sends the revision that a change is based on, and
// turns every refusal into a Problem.
import { type Answered, type ClientOptions, newKey, perform } from "./call.ts";
import { pages } from "./pages.ts";
import { Problem } from "./problem.ts";
import { type Realtime, type RealtimeOptions, realtime } from "./realtime.ts";
import { routes } from "./routes.ts";
import type { CallOptions } from "./shapes.ts";
import type { Operations } from "./types.ts";
import { toAttach, toDiscuss, type UploadOptions, upload } from "./upload.ts";

export type { ClientOptions } from "./call.ts";
export { maybeSignedIn, newKey } from "./call.ts";
export { type Fault, type Outcome, Problem } from "./problem.ts";
export type { Channel, Followed, Following, Realtime, RealtimeOptions } from "./realtime.ts";
export type { CallOptions, Page, Pages } from "./shapes.ts";
export type { Operations } from "./types.ts";
export type { UploadOptions } from "./upload.ts";

export interface Client extends Operations {
  /** Id of the command that produced this answer: for its receipt, and to undo it. */
  commandOf(answer: object): string | undefined;
  /** Opens one socket for realtime changes; see client/README.md. */
  realtime(options?: RealtimeOptions): Realtime;
  /** Reserves, sends and completes an upload; the caller then attaches it. */
  uploadFile(file: Blob, options?: UploadOptions): ReturnType<Operations["completeAttachmentUpload"]>;
  /** Uploads into the caller's private conversation in this Workspace; a turn then refers to the file by id. */
  uploadDiscussFile(
    workspaceId: string,
    file: Blob,
    options?: UploadOptions,
  ): ReturnType<Operations["completeDiscussUpload"]>;
}

type Input = Record<string, unknown>;

export function createClient(options: ClientOptions = {}): Client {
  const heads = new WeakMap<object, Headers>();

  async function call(name: string, input: Input, given: CallOptions): Promise<unknown> {
    const route = routes[name];
    if (!route) throw new TypeError(`${name} is no operation`);
    const key = given.key ?? (route[3].includes("k") ? newKey() : undefined);
    const full = { ...given, key, ifMatch: route[3].includes("m") ? revisionOf(given.at) : undefined };
    const attempt = (attempts?: number) => perform(attempts ? { ...options, attempts } : options, route, input, full);
    return remember(await attempt().catch((error) => settled(error, input, () => attempt(1))));
  }

  function remember({ body, headers }: Answered): unknown {
    if (typeof body === "object" && body !== null) heads.set(body, headers);
    return body;
  }

  /** The ETag of the answer, or the revision of any given resource. */
  function revisionOf(at: CallOptions["at"]): string | undefined {
    if (at === undefined) return undefined;
    if (typeof at === "string") return quoted(at);
    return heads.get(at)?.get("etag") ?? (at.revision === undefined ? undefined : quoted(String(at.revision)));
  }

  /**
   * Resolves a write whose answer was lost: if its receipt shows that it was applied, requests the answer once more.
   */
  async function settled(error: unknown, input: Input, again: () => Promise<Answered>): Promise<Answered> {
    const workspaceId = (input.workspace_id as string | undefined) ?? options.workspaceId;
    if (!(error instanceof Problem) || error.outcome !== "unknown" || error.key === null || !workspaceId) throw error;
    const asked = { workspace_id: workspaceId, id: error.key };
    const found = await perform({ ...options, attempts: 2 }, routes.getOperationReceipt as never, asked, {}).catch(
      () => null,
    );
    if (!found) throw error;
    return again().catch(() => {
      const message = "It has been done, and only its answer was lost: read again what it was about.";
      throw new Problem({ ...error, message, outcome: "done", cause: error.cause });
    });
  }

  const own: Partial<Client> = {
    commandOf: (answer) => heads.get(answer)?.get("x-svc-command-id") ?? undefined,
    realtime: (given) => realtime(options, given),
    uploadFile: (file, given) => upload(toAttach(client), options, file, given),
    uploadDiscussFile: (workspaceId, file, given) => upload(toDiscuss(client, workspaceId), options, file, given),
  };
  const made = new Map<string, unknown>();
  const client: Client = new Proxy({} as Client, {
    get(_target, name) {
      if (typeof name !== "string" || !(name in routes)) return own[name as keyof Client];
      if (!made.has(name)) {
        const run = (input: Input = {}, given: CallOptions = {}) => call(name, input, given);
        made.set(
          name,
          routes[name]?.[3].includes("p") ? (input?: Input, given?: CallOptions) => pages(run, input, given) : run,
        );
      }
      return made.get(name);
    },
    has: (_target, name) => name in routes || name in own,
  });
  return client;
}

const quoted = (revision: string) => (/^(\*$|W\/|")/.test(revision) ? revision : `"${revision}"`);
