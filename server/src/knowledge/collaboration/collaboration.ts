// Assembles collaborative editing: the socket handler, the texts open in this process, and their checkpoints.
import type { WebSocket } from "ws";
import type { Database } from "../../platform/database/db.ts";
import type { LiveTexts as Written } from "../../platform/kernel/kernel.ts";
import { gate } from "../../platform/wire/limits/concurrency-limit.ts";
import { Meters } from "../../platform/wire/limits/processor-time.ts";
import { Tally } from "../../platform/wire/limits/tally.ts";
import type { Log } from "../../platform/wire/log.ts";
import { isPassing, isTooLarge, sealer } from "./checkpoint.ts";
import { type EditingPace, OpenTexts, PACE } from "./live/open-texts.ts";
import { attend, MOST_STRANGERS, PROCESSOR_TIME, type Rooms } from "./socket/editor-socket.ts";
import { SocketTurn } from "./socket/socket-turn.ts";

export interface Collaboration extends Written {
  attend(socket: WebSocket): void;
  /** Whether new sockets are refused for now. */
  isCrowded(): boolean;
  texts(): number;
  sockets(): number;
  close(): Promise<void>;
}

export function openCollaboration(
  database: Database,
  databaseUrl: string,
  log: Log,
  pace: Partial<EditingPace> = {},
): Collaboration {
  const writer = sealer(database);
  const texts = new OpenTexts(database, databaseUrl, writer, log, { ...PACE, ...pace });
  const time = { person: new Meters(PROCESSOR_TIME.person), workspace: new Meters(PROCESSOR_TIME.workspace) };
  const opening = gate(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, undefined, 1);
  const turn = new SocketTurn();
  const rooms: Rooms = { database, texts, log, time, opening, turn, people: new Tally(), strangers: new Set() };
  return {
    attend: (socket) => attend(rooms, socket),
    isCrowded: () => rooms.strangers.size >= MOST_STRANGERS,
    /** If the checkpoint fails, readers get the previous one; if the database is overloaded, they must retry. */
    seal: (workspaceId, targetId) =>
      writer.seal({ workspaceId, targetId }).catch((error) => {
        if (isPassing(error)) throw error;
        if (isTooLarge(error)) log.info({ target_id: targetId }, "a text is too large to be written down");
        else log.error({ err: error, target_id: targetId }, "a text was not written down");
      }),
    texts: texts.count,
    sockets: () => rooms.people.sum(),
    close: () => texts.close(),
  };
}
