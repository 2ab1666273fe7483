// A client of the realtime socket for tests: keeps every frame that it hears, checks each against the contract, and
// answers nothing by itself.
import { type ClientFrame, type ServerFrame, serverFrames } from "@svc/contract/surfaces/realtime/frames.ts";
import { PROTOCOL } from "@svc/contract/surfaces/realtime/limits.ts";
import { expect } from "vitest";
import { WebSocket } from "ws";
import { newSecret } from "../src/platform/wire/ids.ts";
import { answerFaults } from "../src/platform/wire/input/validation.ts";
import { waitMs } from "./wait-limit.ts";
import { insertCredential, type Person, sessionHeaders, type TestService } from "./world.ts";

type Of<T extends ServerFrame["type"]> = Extract<ServerFrame, { type: T }>;

export class Listener {
  readonly heard: ServerFrame[] = [];
  closed: { code: number; reason: string } | null = null;
  readonly channel: WebSocket;
  private wake = () => {};
  constructor(channel: WebSocket) {
    this.channel = channel;
    channel.on("message", (data) => {
      const frame = JSON.parse(String(data)) as ServerFrame;
      const known = serverFrames[frame.type];
      expect(known && answerFaults(known.schema, frame), String(data).slice(0, 300)).toEqual([]);
      this.heard.push(frame);
      this.wake();
    });
    channel.on("close", (code, reason) => {
      this.closed = { code, reason: String(reason) };
      this.wake();
    });
    channel.on("error", () => {});
  }
  send(frame: ClientFrame) {
    this.sendRaw(JSON.stringify(frame));
  }
  sendRaw(data: string | Buffer) {
    this.channel.send(data);
  }
  async until(what: string, holds: () => boolean): Promise<void> {
    for (const late = Date.now() + waitMs(); !holds(); ) {
      const left = late - Date.now();
      if (left <= 0) throw new Error(`waited in vain until ${what}; ${this.summary()}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(left, 100));
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
  /**
   * Details for the error of a failed wait: whether the socket is open, every frame that is no change, and the last
   * changes.
   */
  private summary(): string {
    const state = this.closed ? `closed with ${JSON.stringify(this.closed)}` : `in state ${this.channel.readyState}`;
    const others = this.heard.filter(({ type }) => type !== "change");
    return (
      `the socket is ${state}; other frames: ${JSON.stringify(others).slice(-2000)}; last: ` +
      `${JSON.stringify(this.heard).slice(-1000)}`
    );
  }
  of = <T extends ServerFrame["type"]>(type: T) => this.heard.filter((frame): frame is Of<T> => frame.type === type);
  /** The next frame of this type that was not taken yet. */
  async next<T extends ServerFrame["type"]>(type: T, fits: (frame: Of<T>) => boolean = () => true): Promise<Of<T>> {
    const found = () => this.heard.findIndex((frame) => frame.type === type && fits(frame as Of<T>));
    await this.until(`${type} is heard`, () => found() >= 0);
    return this.heard.splice(found(), 1)[0] as Of<T>;
  }
  /** What it was told when it subscribed. */
  async subscribe(
    scope: Extract<ClientFrame, { type: "subscribe" }>["scope"],
    more: { id?: string; cursor?: string; resource_id?: string } = {},
  ) {
    const { id = scope, ...rest } = more;
    this.send({ type: "subscribe", subscription_id: id, scope, ...rest });
    return this.next("subscribed", ({ subscription_id }) => subscription_id === id);
  }
  /** Follows the Workspace, and has applied all that there was. */
  async applied(id = "w") {
    const { cursor } = await this.subscribe("workspace", { id });
    this.send({ type: "ack", subscription_id: id, cursor });
    return { subscription_id: id, cursor };
  }
  /** Everything that was sent so far has been dealt with. */
  async settled() {
    this.send({ type: "ping" });
    await this.next("pong");
  }
  async bye() {
    const { code, retry_after } = await this.next("bye");
    await this.until("it is closed", () => this.closed !== null);
    return { code, retry_after, close: this.closed?.code };
  }
  leave() {
    this.channel.terminate();
  }
}

const open: Listener[] = [];
/** For afterEach. */
export function leaveAll() {
  for (const listener of open.splice(0)) listener.leave();
}

async function connect(address: string, headers: Record<string, string>): Promise<Listener> {
  const channel = new WebSocket(`${address.replace(/^http/, "ws")}/api/v1/realtime`, PROTOCOL, {
    headers,
    perMessageDeflate: false,
  });
  const listener = new Listener(channel);
  open.push(listener);
  await new Promise<void>((resolve, reject) => {
    channel.once("open", resolve);
    channel.once("error", reject);
    channel.once("unexpected-response", (_request, response) =>
      reject(new Error(`refused with ${response.statusCode}`)),
    );
  });
  return listener;
}

const hostOf = ({ url }: Pick<TestService, "url">) => url.replace("localhost", "127.0.0.1");
/** As a browser opens it. */
export const listenAs = (running: Pick<TestService, "url">, { session }: Pick<Person, "session">) =>
  connect(hostOf(running), { cookie: sessionHeaders(session).cookie, origin: running.url });
export async function welcomedAt(running: Pick<TestService, "url">, person: Pick<Person, "session">) {
  const listener = await listenAs(running, person);
  await listener.next("welcome");
  return listener;
}
export const listenWith = (running: Pick<TestService, "url">, token: string, workspaceId?: string) =>
  connect(hostOf(running), {
    authorization: `Bearer ${token}`,
    ...(workspaceId ? { "x-svc-workspace-id": workspaceId } : {}),
  });

/** Of one of the two clients that follow changes. */
export async function ideToken(running: TestService, userId: string, workspaceId: string): Promise<string> {
  const token = newSecret("dat");
  await insertCredential(running, "developer", token, userId, workspaceId, ["svc:read"]);
  return token;
}
