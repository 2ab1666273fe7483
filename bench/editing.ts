// Cost of collaborative editing: latency of a keystroke to another editor's frame and to its acknowledgement, with many
// editors in one Document and in many Documents, the CPU per keystroke, the memory of an open Document, and the time to
// open a Document with 100,000 updates compared with a new one. On a database of its own.
import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import * as Y from "yjs";
import { type Data, fill } from "./data.ts";
import { fillDocuments } from "./documents-data.ts";
import type { Order, Scene, Typed } from "./editors.ts";
import { withOwnDatabase } from "./own-database.ts";
import {
  cpuOf,
  cpuOfTree,
  forkScript,
  nextMessage,
  postmasterOf,
  residentMegabytes,
  startService,
} from "./processes.ts";
import { median, printColumns } from "./table.ts";

/** Editors in one Document, or three in each of many. All but the first type at the given rate. */
const SCENES = [
  { name: "2 in one Document", documents: 1, each: 2 },
  { name: "20 in one Document", documents: 1, each: 20 },
  { name: "100 in one Document", documents: 1, each: 100 },
  { name: "3 in each of 200", documents: 200, each: 3 },
];
const A_SECOND = 2;
const SECONDS = 8;
const UPDATES = 100_000;
const NEW = 5;

interface Stage {
  url: string;
  client: pg.Client;
  data: Data;
  ids: string[];
  service: { pid: number; port: number };
  editors: ChildProcess;
}
const onStage = (work: (stage: Stage) => Promise<void>): Promise<void> =>
  withOwnDatabase(async ({ directory, url, client }) => {
    const data = await fill(url, [1], "EDT");
    const { ids } = await fillDocuments(client, data, 500);
    const service = await startService(url, { ROLES: "api", DATA_DIR: join(directory, "service") });
    await work({ url, client, data, ids, service, editors: forkScript("editors.ts") });
  });
async function order<T>(editors: ChildProcess, what: Order): Promise<T> {
  editors.send(what);
  return nextMessage<T>(editors);
}
const sceneOf = ({ data, service }: Stage, documentIds: string[], each: number): Scene => ({
  port: service.port,
  people: data.people,
  documentIds,
  each,
  aSecond: A_SECOND,
  seconds: SECONDS,
});

/** Keystrokes in a row before the cursor moves; every fifth row deletes as many characters instead. */
const IN_A_ROW = 50;
function typeLikePeople(text: Y.XmlText): void {
  for (let count = 0; count < UPDATES; count += IN_A_ROW) {
    const place = Math.floor(((count * 0.618) % 1_000_003) % (text.length + 1));
    const takes = (count / IN_A_ROW) % 5 === 4 && text.length >= place + IN_A_ROW;
    for (let key = 0; key < IN_A_ROW; key++) {
      if (takes) text.delete(place, 1);
      else text.insert(place + key, "x");
    }
  }
}

const at = (sorted: number[], part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN;
const both = (sorted: number[]) => `${at(sorted, 0.5).toFixed(1)} / ${at(sorted, 0.99).toFixed(1)}`;

export const measureEditing = () =>
  onStage(async (stage) => {
    const { service, editors, client } = stage;
    const postgres = await postmasterOf(client);
    const used = () => ({
      service: cpuOf(service.pid),
      database: cpuOfTree(postgres),
      editors: cpuOf(editors.pid as number),
    });
    const rows: string[][] = [];
    let next = 0;
    // Opens a Document first, so that compiled and loaded code does not count as its memory.
    await order(editors, { open: { ...sceneOf(stage, stage.ids.slice(-1), 3), seconds: 3 } });
    await order(editors, "type");
    await order(editors, "leave");
    for (const { name, documents, each } of SCENES) {
      const idle = residentMegabytes(service.pid);
      await order(editors, { open: sceneOf(stage, stage.ids.slice(next, next + documents), each) });
      next += documents;
      await sleep(500);
      const opened = residentMegabytes(service.pid);
      const before = used();
      const { seen, kept, keystrokes } = await order<Typed>(editors, "type");
      const after = used();
      const ms = (of: keyof typeof after) => ((1000 * (after[of] - before[of])) / keystrokes).toFixed(2);
      const lost = keystrokes - seen.length;
      rows.push([
        `${name}${lost > 0 ? ` (${lost} of ${keystrokes} never seen)` : ""}`,
        both(seen),
        both(kept),
        ms("service"),
        ms("database"),
        `${((100 * (after.editors - before.editors)) / SECONDS).toFixed(0)} %`,
        (((opened - idle) * 1024) / documents).toFixed(0),
      ]);
      await order(editors, "leave");
      await sleep(1500);
    }
    const head = ["", "seen ms, p50 / p99", "kept ms", "CPU ms a keystroke", "of the database", "core of the editors"];
    printColumns([...head, "kB a Document"], rows);
  });

const LATE = `
insert into collaboration_updates (workspace_id, target_id, seq, data, actor_ids)
select x.workspace_id, x.target_id, x.last_seq + u.n, decode(u.data, 'base64'), array[$3::uuid]
from collaboration_texts x, unnest($2::text[]) with ordinality u(data, n) where x.target_id = $1`;
const COUNTED = `
update collaboration_texts set last_seq = last_seq + $2, unsealed_since = now(), changed_at = now()
where target_id = $1`;

/**
 * A Document as if nobody had ever read or left it: the first opening merges its updates, and the second measures the
 * normal case.
 */
export const measureOpening = () =>
  onStage(async (stage) => {
    const { client, ids, editors, data } = stage;
    const opened = async (id: string) => {
      const [time] = await order<number[]>(editors, { open: sceneOf(stage, [id], 1) });
      await order(editors, "leave");
      await sleep(2000);
      return time as number;
    };
    const fresh: number[] = [];
    for (const id of ids.slice(0, NEW)) fresh.push(await opened(id));
    const [old] = ids.slice(NEW) as [string];
    await opened(old);
    const { rows } = await client.query("select state from collaboration_texts where target_id = $1", [old]);
    const doc = new Y.Doc();
    Y.applyUpdate(doc, rows[0].state);
    const updates: string[] = [];
    doc.on("update", (update: Uint8Array) => updates.push(Buffer.from(update).toString("base64")));
    const text = (doc.getXmlFragment("default").get(0) as Y.XmlElement).get(0) as Y.XmlText;
    typeLikePeople(text);
    await client.query(LATE, [old, updates, data.people[0]?.actorId]);
    await client.query(COUNTED, [old, updates.length]);
    const [first, second] = [await opened(old), await opened(old)];
    console.log(
      `Opening a Document: ${median(fresh).toFixed(0)} ms where it is new; ` +
        `with ${UPDATES.toLocaleString("en")} stored updates ${first.toFixed(0)} ms the first time ` +
        `and ${second.toFixed(0)} ms from then on.`,
    );
  });
