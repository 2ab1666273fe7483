// Report on a text whose editors did not converge: the updates that each editor and the database lack, and the last
// events of each editor.
import { loadavg } from "node:os";
import pg from "pg";
import * as Y from "yjs";
import { docOf } from "../../server/src/knowledge/collaboration/yjs/rich-text.ts";
import type { Room } from "./typist.ts";

const STORED = `
select x.last_seq, x.state_seq, x.state, array(select u.data from collaboration_updates u
  where u.workspace_id = x.workspace_id and u.target_id = x.target_id and u.seq > x.state_seq order by u.seq) as updates
from collaboration_texts x where x.target_id = $1`;
interface Stored {
  last_seq: string;
  state_seq: string;
  state: Buffer;
  updates: Buffer[];
}

async function storedText(databaseUrl: string, path: string) {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const { rows } = await client.query<Stored>(STORED, [path.split("/").at(-1)]).finally(() => client.end());
  const [row] = rows;
  if (!row) return null;
  return { doc: docOf(row.state, ...row.updates), name: `database at ${row.last_seq}, checkpoint at ${row.state_seq}` };
}

interface Copy {
  name: string;
  doc: Y.Doc;
}
/**
 * Clock ranges of clients that one copy lacks and another has, and whether its content differs although it lacks none.
 */
export function differencesBetween(copies: readonly Copy[], authorOf: (client: number) => string): string[] {
  const most = new Map<number, number>();
  for (const { doc } of copies)
    for (const [client, clock] of Y.decodeStateVector(Y.encodeStateVector(doc)))
      most.set(client, Math.max(clock, most.get(client) ?? 0));
  return copies.map(({ name, doc }) => {
    const missing = [...most].flatMap(([client, clock]) => {
      const has = Y.getState(doc.store, client);
      return has < clock ? [`${authorOf(client)} from ${has} to ${clock}`] : [];
    });
    const { pendingStructs, pendingDs } = doc.store;
    const waits = pendingStructs || pendingDs ? ", and holds changes that build on what it lacks" : "";
    return `${name} lacks ${missing.join(", ") || "nothing"}${waits}; ${contentOf(doc)}`;
  });
}
const contentOf = (doc: Y.Doc) => {
  const content = doc.getXmlFragment("default").toString();
  return `${content.length} characters, ending in ${JSON.stringify(content.slice(-60))}`;
};

export async function explainDivergence({ path, typists }: Room, databaseUrl: string): Promise<string> {
  const copies: Copy[] = typists.map(({ doc, desk: { name } }) => ({ name, doc }));
  const stored = await storedText(databaseUrl, path).catch(() => null);
  if (stored) copies.push(stored);
  const authors = new Map(typists.map(({ doc, desk: { name } }) => [doc.clientID, name]));
  const differences = differencesBetween(copies, (client) => authors.get(client) ?? `client ${client}`);
  return [
    `the editors of ${path} do not agree at a load of ${loadavg()
      .map((load) => load.toFixed(1))
      .join(" ")}:`,
    ...differences.map((line) => `  ${line}`),
    ...typists.map(({ told }) => `  ${told}`),
  ].join("\n");
}
