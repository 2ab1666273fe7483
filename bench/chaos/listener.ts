// A realtime subscriber in a storm: connects to any server that is up, resumes behind the last change that it applied,
// and records the last revision received of each Task.
import { followerSocket, type WebSocket } from "../../server/test/realtime-socket.ts";

export interface Chair {
  session: string;
  /** Port of a server that is up, or null. */
  port: () => number | null;
  cursor: string;
}
interface Frame {
  type: string;
  cursor?: string;
  reason?: string;
  code?: string;
  changes?: { kind: string; id: string; revision: string | null }[];
}
const AGAIN_MS = 100;

export class Listener {
  /** Last revision received, by Task. */
  readonly told = new Map<string, string | null>();
  /** Messages that should not have been sent. */
  readonly wrong: string[] = [];
  connections = 0;
  changes = 0;
  subscribed = false;
  /** The last message and its time. */
  last = "";
  private readonly chair: Chair;
  private cursor: string;
  private socket: WebSocket | null = null;
  private ended = false;
  constructor(chair: Chair) {
    this.chair = chair;
    this.cursor = chair.cursor;
    this.connect();
  }
  private connect() {
    if (this.ended) return;
    const port = this.chair.port();
    if (port === null) return void setTimeout(() => this.connect(), AGAIN_MS);
    const socket = followerSocket(port, this.chair.session);
    this.socket = socket;
    this.note("asks");
    socket.on("message", (data) => this.hear(socket, JSON.parse(String(data)) as Frame));
    socket.on("error", (error) => this.note(error.message));
    socket.once("close", () => {
      this.subscribed = false;
      setTimeout(() => this.connect(), AGAIN_MS * (1 + Math.random()));
    });
  }
  private note(what: string) {
    this.last = `${what} at ${(performance.now() / 1000).toFixed(1)} s`;
  }
  private hear(socket: WebSocket, { type, cursor, reason, code, changes = [] }: Frame) {
    this.note(type);
    if (type === "welcome") this.subscribe(socket);
    // The database did not answer in time: subscribe again, as the page does.
    const isUnavailable = type === "error" && code === "unavailable";
    if (isUnavailable) setTimeout(() => this.subscribe(socket), AGAIN_MS * (1 + Math.random()));
    if (type === "subscribed") {
      this.connections++;
      this.subscribed = true;
    }
    if (type === "reset" || (type === "error" && !isUnavailable)) this.wrong.push(`${type} ${reason ?? code}`);
    if (type !== "change") return;
    for (const { kind, id, revision } of changes) if (kind === "task") this.told.set(id, revision);
    this.changes += changes.length;
    this.cursor = cursor as string;
  }
  private subscribe(socket: WebSocket) {
    if (socket.readyState !== socket.OPEN) return;
    socket.send(JSON.stringify({ type: "subscribe", subscription_id: "w", scope: "workspace", cursor: this.cursor }));
  }
  end() {
    this.ended = true;
    this.socket?.removeAllListeners("close");
    this.socket?.terminate();
  }
}
