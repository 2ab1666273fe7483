// The followers of the benchmark, in a process of their own: sockets that follow a Workspace. A few of them read what they are told and note when; the others throw
// it away unread, so that what they cost is not taken for the service's.
import { followerSocket, type WebSocket } from "../server/test/realtime-socket.ts";

export interface Opening {
  port: number;
  sessions: string[];
  sockets: number;
  /** Spread over so long. */
  overMs: number;
}
export type FollowersOrder = { open: Opening } | "heard" | "leave";
export interface Opened {
  opened: number;
  /** By status: those that were told to come again. */
  refused: Record<string, number>;
  seconds: number;
}
/** When a revision of a Task was heard of, in ms of the clock: `id revision` and the time. */
export type Heard = [change: string, at: number][];

const READING = 50;
const now = () => performance.timeOrigin + performance.now();
let sockets: WebSocket[] = [];
let heard: Heard = [];

function open({ port, sessions, sockets: count, overMs }: Opening): Promise<Opened> {
  const began = performance.now();
  const refused: Record<string, number> = {};
  const every = Math.max(1, Math.floor(count / READING));
  let [opened, left] = [0, count];
  return new Promise((resolve) => {
    const done = () => {
      if (--left === 0) resolve({ opened, refused, seconds: (performance.now() - began) / 1000 });
    };
    const begin = (at: number) => {
      const socket = followerSocket(port, sessions[at % sessions.length] as string);
      const reads = at % every === 0;
      let following = false;
      socket.on("message", (data) => {
        if (following && !reads) return;
        const at = now();
        const frame = JSON.parse(String(data));
        if (frame.type === "welcome") socket.send('{"type":"subscribe","subscription_id":"w","scope":"workspace"}');
        if (frame.type === "subscribed") {
          following = true;
          opened++;
          done();
        }
        for (const { id, revision } of frame.changes ?? []) heard.push([`${id} ${revision}`, at]);
      });
      socket.once("unexpected-response", (_request, response) => {
        refused[String(response.statusCode)] = (refused[String(response.statusCode)] ?? 0) + 1;
        socket.terminate();
        done();
      });
      socket.on("error", () => {});
      sockets.push(socket);
    };
    for (let at = 0; at < count; at++) setTimeout(begin, (overMs * at) / count, at);
  });
}

process.on("message", async (order: FollowersOrder) => {
  if (order === "leave") {
    for (const socket of sockets) socket.terminate();
    sockets = [];
    process.send?.(true);
  } else if (order === "heard") {
    process.send?.(heard);
    heard = [];
  } else process.send?.(await open(order.open));
});
