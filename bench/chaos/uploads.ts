// People who upload files and attach them to Tasks, each step retried until a server answers. At the end every
// acknowledged file must be downloadable with its own bytes, and attached once.
import { createHash, randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { newId } from "../../server/src/platform/wire/ids.ts";
import type { Data } from "../data.ts";
import type { Verdict } from "./check.ts";
import { headersOf, type Site } from "./site.ts";

interface File {
  id: string;
  name: string;
  sha256: string;
}
interface Reserved {
  id: string;
  upload: { url: string; headers: Record<string, string> };
}
const BYTES = 20_000;
const PAUSE_MS = 500;
const ATTEMPT_MS = 15_000;
const sha256Of = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const ATTACHED = `select filename, count(*)::int as count from attachments where workspace_id = $1 and attached_at is not null
    group by filename`;

export function uploadFiles(client: pg.Pool, site: Site, data: Data, { people: count }: { people: number }) {
  const people = data.people.slice(0, count).map((person) => ({ ...data, people: [person] }));
  const files: File[] = [];
  const failed: string[] = [];
  let over = false;

  /** Sends a request to any server that is up, until its answer has one of these statuses. */
  const send = (
    person: Data,
    method: string,
    path: string,
    body: unknown,
    statuses: readonly number[],
    key = newId(),
  ) =>
    site.persist(person, async (_call, port) => {
      const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
        method,
        headers: {
          ...headersOf(person.people[0] as Data["people"][number]),
          "content-type": "application/json",
          "x-svc-workspace-id": data.workspaceId,
          "idempotency-key": key,
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(ATTEMPT_MS),
      });
      const text = await response.text();
      if (!statuses.includes(response.status)) throw new Error(`${method} ${path} answered ${response.status} ${text}`);
      return { status: response.status, body: JSON.parse(text) };
    });
  /** The URL names the server that issued it, which may be down: any server accepts the bytes. */
  const transfer = (person: Data, url: string, init: RequestInit) =>
    site.persist(person, async (_call, port) => {
      const own = url.replace(/\/\/[^/]+/, `//127.0.0.1:${port}`);
      const response = await fetch(own, { ...init, signal: AbortSignal.timeout(ATTEMPT_MS) });
      const bytes = new Uint8Array(await response.arrayBuffer());
      if (response.status >= 500) throw new Error(`storage answered ${response.status}`);
      return { status: response.status, bytes };
    });

  async function upload(person: Data, name: string, taskId: string) {
    const bytes = randomBytes(BYTES);
    const announced = {
      filename: name,
      content_type: "application/octet-stream",
      size: BYTES,
      sha256: sha256Of(bytes),
    };
    const { id, upload: target } = (await send(person, "POST", "/attachment-uploads", announced, [201]))
      .body as Reserved;
    // An attempt whose answer was lost may have stored the bytes: the completion decides.
    for (let status = 0; status !== 201; ) {
      await transfer(person, target.url, { method: "PUT", headers: target.headers, body: bytes });
      status = (await send(person, "POST", `/attachment-uploads/${id}/complete`, undefined, [201, 422])).status;
    }
    await send(person, "POST", `/tasks/${taskId}/attachments`, { attachment_id: id }, [201]);
    files.push({ id, name, sha256: announced.sha256 });
  }
  async function work(person: Data, at: number) {
    for (let number = 0; !over; number++) {
      const taskId = data.taskIds[(number * count + at) % data.taskIds.length] as string;
      await upload(person, `file-${at}-${number}.bin`, taskId);
      await sleep(PAUSE_MS);
    }
  }
  const working = people.map((person, at) =>
    work(person, at).catch((error) => void failed.push((error as Error).message)),
  );

  return {
    get count() {
      return files.length;
    },
    stop() {
      over = true;
    },
    /** Waits for the last upload. Returns the broken rules. */
    async judge(found: Verdict["found"]): Promise<string[]> {
      over = true;
      await Promise.all(working);
      const { rows } = await client.query(ATTACHED, [data.workspaceId]);
      const attached = new Map(rows.map(({ filename, count: times }) => [filename, times as number]));
      for (const { id, name, sha256 } of files) {
        const times = attached.get(name) ?? 0;
        if (times > 1) found["effects duplicated"].push(`${name} is attached ${times} times`);
        const { url } = (await send(people[0] as Data, "POST", `/attachments/${id}/download`, undefined, [200])).body;
        const { status, bytes } = await transfer(people[0] as Data, url, {});
        if (times === 0 || status !== 200 || sha256Of(bytes) !== sha256)
          found["acknowledged writes lost"].push(`${name}: attached ${times} times, storage answered ${status}`);
      }
      return failed;
    },
  };
}
