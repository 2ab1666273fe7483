// What editing together costs: how long a keystroke takes to another editor's frame and to its acknowledgement, with so many in one text and in many
// texts, the CPU of each, the memory of an open text, and opening one that has 100,000 updates behind it. On a database of its own.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import * as Y from "yjs";
import { startEmbedded } from "../server/src/database/embedded.ts";
import { migrate } from "../server/src/database/migrate.ts";
import { csrfTokenOf } from "../server/src/wire/ids.ts";
import { Editor, type Session } from "../server/test/editing.ts";
import { type Data, fill } from "./data.ts";
import { cpuOf, residentMegabytes, startService } from "./processes.ts";

/** Editors in one text, or three in each of many. Each types so often in a second. */
const SCENES = [
  { name: "2 in one text", texts: 1, each: 2 },
  { name: "20 in one text", texts: 1, each: 20 },
  { name: "100 in one text", texts: 1, each: 100 },
  { name: "3 in each of 200 texts", texts: 200, each: 3 },
];
const A_SECOND = 2;
const SECONDS = 6;
const UPDATES = 100_000;

async function session(port: number, { people }: Data, person: number, taskId: string): Promise<Session> {
  const { session: secret } = people[person % people.length] as Data["people"][number];
  const token = csrfTokenOf(secret);
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/tasks/${taskId}/collaboration-sessions`, {
    method: "POST",
    headers: { cookie: `__Host-svc_session=${secret}; __Host-svc_csrf=${token}`, "x-csrf-token": token },
  });
  if (response.status !== 201) throw new Error(`a session answered ${response.status} ${await response.text()}`);
  const body = (await response.json()) as Session;
  return { ...body, url: body.url.replace(/\/\/[^/]+/, `//127.0.0.1:${port}`) };
}

const percentile = (sorted: number[], part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN;

async function play(port: number, pid: number, data: Data, scene: (typeof SCENES)[number], firstTask: number) {
  const before = residentMegabytes(pid);
  const rooms: Editor[][] = [];
  for (let text = 0; text < scene.texts; text++) {
    const editors: Editor[] = [];
    for (let at = 0; at < scene.each; at++) {
      const taskId = data.taskIds[firstTask + text] as string;
      const editor = await new Editor(await session(port, data, text * scene.each + at, taskId)).ready();
      editor.deaf = at > 0;
      editors.push(editor);
    }
    rooms.push(editors);
  }
  await sleep(500);
  const opened = residentMegabytes(pid);
  const [seen, acknowledged]: [number[], number[]] = [[], []];
  for (const editors of rooms) {
    // The first of a text looks at what the others type: by the client and its clock each keystroke is one.
    const started = new Map<string, number>();
    const [observer, ...others] = editors as [Editor, ...Editor[]];
    for (const { doc } of others)
      doc.on("update", (update: Uint8Array, _origin: unknown, _doc: Y.Doc, { local }: Y.Transaction) => {
        if (local)
          for (const { id } of Y.decodeUpdate(update).structs)
            started.set(`${id.client} ${id.clock}`, performance.now());
      });
    observer.doc.on("update", (update: Uint8Array) => {
      for (const { id } of Y.decodeUpdate(update).structs) {
        const since = started.get(`${id.client} ${id.clock}`);
        if (since !== undefined) seen.push(performance.now() - since);
      }
    });
  }
  const used = cpuOf(pid);
  const typists = rooms.flatMap((editors) => editors.slice(1));
  const end = performance.now() + SECONDS * 1000;
  await Promise.all(
    typists.map(async (editor, at) => {
      await sleep((1000 / A_SECOND) * ((at * 0.618) % 1));
      while (performance.now() < end) {
        const since = performance.now();
        editor.type("x", 0);
        // To look for an acknowledgement costs: of one in ten it is enough.
        if (at % 10 === 0)
          editor.kept().then(
            () => acknowledged.push(performance.now() - since),
            () => {},
          );
        await sleep(1000 / A_SECOND);
      }
    }),
  );
  await sleep(500);
  const cpu = (cpuOf(pid) - used) / Math.max(1, seen.length);
  for (const editors of rooms) for (const editor of editors) editor.leave();
  seen.sort((one, other) => one - other);
  acknowledged.sort((one, other) => one - other);
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  const kept = `kept ${ms(percentile(acknowledged, 0.5))} and ${ms(percentile(acknowledged, 0.99))}`;
  const memory = `${(((opened - before) * 1024) / scene.texts).toFixed(0)} kB a text with its sockets`;
  console.log(
    `${scene.name}: seen after ${ms(percentile(seen, 0.5))} (p50) and ${ms(percentile(seen, 0.99))} (p99), ${kept}; ${(cpu * 1000).toFixed(2)} ms of CPU a keystroke; ${memory}`,
  );
}

/** As if nobody had ever read or left: the first opening makes them one, and the second is what everybody else meets. */
async function openMany(port: number, data: Data, url: string, taskId: string) {
  const first = await new Editor(await session(port, data, 0, taskId)).ready();
  const updates: string[] = [];
  const doc = new Y.Doc();
  Y.applyUpdate(doc, Y.encodeStateAsUpdate(first.doc));
  first.leave();
  doc.on("update", (update: Uint8Array) => updates.push(Buffer.from(update).toString("base64")));
  const text = (doc.getXmlFragment("default").get(0) as Y.XmlElement).get(0) as Y.XmlText;
  for (let count = 0; count < UPDATES; count++) {
    if (count % 4 === 3) text.delete(text.length - 1, 1);
    else text.insert(text.length, "x");
  }
  const client = new pg.Client(url);
  await client.connect();
  await client.query(
    `insert into collaboration_updates (workspace_id, target_id, seq, data, actor_ids)
     select x.workspace_id, x.target_id, x.last_seq + u.n, decode(u.data, 'base64'), array[$3::uuid]
     from collaboration_texts x, unnest($2::text[]) with ordinality u(data, n) where x.target_id = $1`,
    [taskId, updates, data.people[0]?.actorId],
  );
  await client.query(
    "update collaboration_texts set last_seq = last_seq + $2, unsealed_since = now(), changed_at = now() where target_id = $1",
    [taskId, updates.length],
  );
  await client.end();
  for (const name of ["the first time", "the second time"]) {
    const granted = await session(port, data, 0, taskId);
    const since = performance.now();
    const editor = await new Editor(granted).ready();
    console.log(
      `${UPDATES.toLocaleString("en")} updates: open ${name} after ${(performance.now() - since).toFixed(0)} ms`,
    );
    editor.leave();
    await sleep(3000);
  }
}

export async function measureEditing(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "svc-bench-editing-"));
  const database = await startEmbedded(directory);
  try {
    await migrate(database.url);
    const data = await fill(database.url, [500], "EDT");
    const { pid, port } = await startService(database.url, { ROLES: "api", DATA_DIR: join(directory, "service") });
    let firstTask = 0;
    for (const scene of SCENES) {
      await play(port, pid, data, scene, firstTask);
      firstTask += scene.texts;
    }
    await openMany(port, data, database.url, data.taskIds[firstTask] as string);
  } finally {
    await database.stop();
    rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}
