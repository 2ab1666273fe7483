// The benchmark's followers in a process of their own: sockets that subscribe to a Workspace. A few of them parse
// messages and record the time; the others discard them unread, so that their cost does not add to the service's.
import { followerSocket, type WebSocket } from "../server/test/realtime-socket.ts";

export interface Opening {
  port: number;
  sessions: string[];
  sockets: number;
  /** Period over which the sockets are opened, in ms. */
  overMs: number;
}
export type FollowersOrder = { open: Opening } | "heard" | "leave";
export interface Opened {
  opened: number;
  /** Refused connections by status: those that were asked to retry. */
  refused: Record<string, number>;
  seconds: number;
}
/** Arrival time of a Task's revision in ms: `id revision` and the time. */
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
