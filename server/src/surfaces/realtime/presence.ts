// Presence of people, as far as this process knows: those who renewed here, and those in other processes, which
// exchange them through the database's NOTIFY. A person is online from a presence_renew until it lapses or the socket
// ends. While other processes are not heard, the state is unknown, and observers receive that. See
// docs/design/surfaces.md.
import type { ServerFrame } from "@svc/contract/surfaces/realtime/frames.ts";
import { type Channel, HEARD_MS, openChannel } from "../../platform/database/channel.ts";
import { newId } from "../../platform/wire/ids.ts";
import { Tally } from "../../platform/wire/limits/tally.ts";
import type { Guest } from "./door.ts";
import { unknown } from "./frames.ts";

/** Window in which changes are batched for observers. */
const TELL_MS = 100;
const SWEEP_MS = 1000;
/** Names per message: a NOTIFY payload of PostgreSQL is shorter than 8,000 bytes. */
const MOST_SAID = 95;

/** Key of a person in a Workspace. */
type Name = `${string} ${string}`;
const nameOf = (workspaceId: string, userId: string): Name => `${workspaceId} ${userId}`;
interface Said {
  /** All names of the sender, possibly in several messages. */
  all?: Name[];
  first?: boolean;
  on?: Name[];
  off?: Name[];
  /** Requests everybody's complete names. */
  asks?: boolean;
}

/** Observed people, and the subscription that allows it. */
export interface Observed {
  subscriptionId: string;
  userIds: ReadonlySet<string>;
}
/** A socket, which renews the presence of its person and may observe that of others. */
interface Observer {
  readonly guest: Guest;
  observes: Observed | null;
  say(frame: ServerFrame): void;
}

export class PresenceTracker {
  private readonly ttlMs: number;
  private readonly channel: Channel;
  /** Expiry of each renewal, in order. */
  private readonly renewed = new Map<Observer, number>();
  private readonly here = new Tally();
  private readonly elsewhere = new Map<string, Set<Name>>();
  private readonly observers = new Map<Name, Set<Observer>>();
  private readonly sweeping: NodeJS.Timeout;
  private epoch = newId();
  private revision = 0;
  private known = false;
  private settling: NodeJS.Timeout | undefined;
  private dirty = new Set<Observer>();
  private news = new Map<Name, boolean>();
  private telling: NodeJS.Timeout | undefined;

  constructor(databaseUrl: string, seconds: number) {
    this.ttlMs = seconds * 1000;
    this.channel = openChannel(databaseUrl, "presence", {
      heard: (message, process) => this.hear(message as Said, process),
      left: (process) => this.forget(process),
      joined: () => this.introduce(),
      up: () => {
        this.introduce();
        this.settling = setTimeout(() => this.trust(), HEARD_MS).unref();
      },
      down: () => this.doubt(),
    });
    this.sweeping = setInterval(() => this.sweep(), SWEEP_MS).unref();
  }

  // ---- renewals -----------------------------------------------------------------------------------------------------

  renew(socket: Observer) {
    const { workspaceId, userId } = socket.guest;
    if (workspaceId === null) return;
    if (!this.renewed.delete(socket)) this.count(nameOf(workspaceId, userId), 1);
    this.renewed.set(socket, performance.now() + this.ttlMs);
  }
  private sweep() {
    const now = performance.now();
    for (const [socket, until] of this.renewed) {
      if (until > now) return;
      this.lapse(socket);
    }
  }
  private lapse(socket: Observer) {
    const { workspaceId, userId } = socket.guest;
    if (this.renewed.delete(socket) && workspaceId !== null) this.count(nameOf(workspaceId, userId), -1);
  }
  private count(name: Name, by: 1 | -1) {
    this.here.add(name, by);
    const count = this.here.of(name);
    if (count > 1 || (count === 1 && by < 0)) return;
    this.news.set(name, by > 0);
    this.changed(name);
  }
  leave(socket: Observer) {
    this.lapse(socket);
    this.observe(socket, null);
  }

  // ---- observers ----------------------------------------------------------------------------------------------------

  observe(socket: Observer, observes: Observed | null) {
    for (const name of namesOf(socket)) {
      const observing = this.observers.get(name);
      observing?.delete(socket);
      if (observing?.size === 0) this.observers.delete(name);
    }
    this.dirty.delete(socket);
    socket.observes = observes;
    for (const name of namesOf(socket)) {
      const observing = this.observers.get(name);
      if (observing) observing.add(socket);
      else this.observers.set(name, new Set([socket]));
    }
    if (observes) socket.say(this.known ? this.snapshot(socket, ++this.revision) : unknown("source"));
  }
  private snapshot({ guest, observes }: Observer, revision: number): ServerFrame {
    const online: Record<string, boolean> = {};
    for (const userId of observes?.userIds ?? [])
      online[userId] = this.isOnline(nameOf(guest.workspaceId as string, userId));
    return { type: "presence", epoch: this.epoch, revision: String(revision), online };
  }
  private isOnline(name: Name): boolean {
    if (this.here.of(name) > 0) return true;
    for (const people of this.elsewhere.values()) if (people.has(name)) return true;
    return false;
  }
  private changed(name: Name) {
    for (const socket of this.observers.get(name) ?? []) this.dirty.add(socket);
    this.telling ??= setTimeout(() => this.tell(), TELL_MS).unref();
  }
  private tell() {
    this.telling = undefined;
    const news = [...this.news];
    this.news.clear();
    for (const [on, field] of [
      [true, "on"],
      [false, "off"],
    ] as const)
      for (const part of parts(news.flatMap(([name, isOn]) => (isOn === on ? [name] : []))))
        this.channel.say({ [field]: part });
    const told = [...this.dirty];
    this.dirty.clear();
    if (!this.known || told.length === 0) return;
    this.revision++;
    for (const socket of told) socket.say(this.snapshot(socket, this.revision));
  }
  private everyObserver = () => new Set([...this.observers.values()].flatMap((sockets) => [...sockets]));

  // ---- other processes ----------------------------------------------------------------------------------------------

  private hear({ all, first, on, off, asks }: Said, process: string) {
    if (asks) this.sayAll();
    if (first) this.forget(process);
    const people = this.elsewhere.get(process) ?? new Set<Name>();
    this.elsewhere.set(process, people);
    for (const name of [...(all ?? []), ...(on ?? [])]) {
      people.add(name);
      this.changed(name);
    }
    for (const name of off ?? []) {
      people.delete(name);
      this.changed(name);
    }
  }
  private forget(process: string) {
    const people = this.elsewhere.get(process) ?? [];
    this.elsewhere.delete(process);
    for (const name of people) this.changed(name);
  }
  /** Exchanges complete names with every other process. */
  private introduce() {
    this.channel.say({ asks: true });
    this.sayAll();
  }
  private sayAll() {
    const names = new Set(
      [...this.renewed.keys()].map(({ guest }) => nameOf(guest.workspaceId as string, guest.userId)),
    );
    const [head = [], ...rest] = parts([...names]);
    this.channel.say({ first: true, all: head });
    for (const part of rest) this.channel.say({ all: part });
  }
  /** Every running process has been heard by now: the state is known. */
  private trust() {
    this.known = true;
    this.epoch = newId();
    this.revision = 1;
    for (const socket of this.everyObserver()) socket.say(this.snapshot(socket, this.revision));
  }
  private doubt() {
    clearTimeout(this.settling);
    const wasKnown = this.known;
    this.known = false;
    this.elsewhere.clear();
    if (wasKnown) for (const socket of this.everyObserver()) socket.say(unknown("source"));
  }

  /** Called once every socket has left. */
  async close() {
    clearInterval(this.sweeping);
    clearTimeout(this.settling);
    clearTimeout(this.telling);
    this.sayAll();
    await this.channel.close();
  }
}

const namesOf = ({ guest, observes }: Observer): Name[] =>
  guest.workspaceId === null ? [] : [...(observes?.userIds ?? [])].map((id) => nameOf(guest.workspaceId as string, id));

function parts(names: readonly Name[]): Name[][] {
  return Array.from({ length: Math.ceil(names.length / MOST_SAID) }, (_, at) =>
    names.slice(at * MOST_SAID, (at + 1) * MOST_SAID),
  );
}
