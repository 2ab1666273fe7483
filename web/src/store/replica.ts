// Replica of a Workspace in this browser, for one member: the store with its persistence, its send queue and its
// synchronisation. Pages read from `store` and write with `make`.
import { type Client, type ClientOptions, createClient, newKey, Problem, type Realtime } from "@svc/client";
import { type Brought, type Domain, type Domains, together } from "./domain.ts";
import { follow, type Hint } from "./hints.ts";
import { Notices } from "./notices.ts";
import { nameOf, openPersist, type Persist } from "./persistence.ts";
import { changeOf, type Making } from "./queue/build-change.ts";
import { decided } from "./queue/conflict.ts";
import { type Outcome, type Step, sender } from "./queue/sender.ts";
import { isBack, type Undoable, UndoStack, undoDomain } from "./queue/undo.ts";
import type { RowKind } from "./rows.ts";
import { Store } from "./store.ts";
import { type Connection, type TabMessage, type Tabs, tabs } from "./tabs.ts";
import { Writer } from "./writer.ts";

export interface ReplicaOwner {
  workspaceId: string;
  actorId: string;
  userId: string;
}
type Options = Pick<ClientOptions, "onProofNeeded" | "fetch">;

export class Replica {
  readonly member: ReplicaOwner;
  readonly api: Client;
  readonly store: Store;
  connection: Connection = "connecting";
  readonly notices: Notices;
  private readonly domains: Domains;
  private readonly writer: Writer;
  private readonly undos: UndoStack;
  private readonly mine = new Set<string>();
  private readonly sending: ReturnType<typeof sender>;
  private readonly hearers = new Set<(hints: readonly Hint[]) => void>();
  private tabs!: Tabs;
  private realtime: Realtime | null = null;
  /** True if this tab is the leader, which sends changes, follows hints and persists rows. */
  leads = false;
  private order = 0;
  /** Reads the rows of the pages again; the shell sets it. */
  refresh: () => Promise<void> = async () => {};

  /**
   * `options` contains the proof-of-identity callback and the fetch function. `prepare` runs before hints are followed.
   */
  static async open(
    member: ReplicaOwner,
    domains: readonly Domain[],
    options?: Options,
    prepare?: (replica: Replica) => void,
  ): Promise<Replica> {
    const name = nameOf(member.workspaceId, member.actorId);
    const replica = new Replica(member, domains, await openPersist(name), options);
    prepare?.(replica);
    await replica.begin(name);
    return replica;
  }

  private constructor(member: ReplicaOwner, domains: readonly Domain[], persist: Persist, options?: Options) {
    this.member = member;
    this.api = createClient({ workspaceId: member.workspaceId, ...options });
    this.domains = together([...domains, undoDomain(() => this.domains)]);
    this.store = new Store(this.domains);
    this.notices = new Notices(this.store);
    this.writer = new Writer(persist, (kind) => this.store.allSaid(kind));
    this.undos = new UndoStack(nameOf(member.workspaceId, member.actorId), {
      store: this.store,
      domains: this.domains,
      isMine: (key) => this.mine.has(key),
      queue: (kind, operation, making) => this.queue(kind, operation, making),
      waits: (change) => this.connection !== "live" && this.notices.tell({ kind: "wished", change }),
    });
    this.sending = sender({
      // The queue retries by itself without a limit.
      api: createClient({ attempts: 1, workspaceId: member.workspaceId }),
      workspaceId: member.workspaceId,
      store: this.store,
      domains: this.domains,
      take: (step) => this.step(step),
      report: (outcome) => this.everywhere({ type: "outcome", outcome }),
      reached: (how) => this.connect(how === "session" ? "session" : how === "reached" ? "live" : "connecting"),
    });
  }

  private async begin(name: string) {
    const early: TabMessage[] = [];
    let heard = (message: TabMessage) => {
      early.push(message);
    };
    let lead = () => {
      this.leads = true;
    };
    const tell = (message: TabMessage) => heard(message);
    this.tabs = tabs(name, tell, () => lead());
    const kept = await this.writer.load(this.store.fill).catch(() => null);
    this.store.quietly(() => {
      this.store.fill(kept?.rows ?? []);
      for (const [fact, value] of kept?.facts ?? []) this.store.setFact(fact, value);
      for (const change of kept?.queue ?? []) this.store.put(change);
    });
    this.store.onBase = (touched) => this.leads && this.writer.touch(touched);
    addEventListener("online", this.back);
    addEventListener("focus", this.back);
    const begin = () => {
      if (this.isClosed) return;
      this.isWhole = true;
      this.store.filled();
      heard = (message) => this.heard(message);
      for (const message of early) heard(message);
      this.tabs.post({ type: "hello" });
      lead = () => void this.lead();
      if (this.leads) lead();
    };
    if (!kept || kept.left.length === 0) begin();
    else this.whole = this.writer.whole.catch(() => {}).then(begin);
  }
  /** False while only the first rows of the page are loaded; `whole` resolves when all are. */
  isWhole = false;
  whole: Promise<void> = Promise.resolve();
  private isClosed = false;
  chunksOf = (kind: RowKind, ids: readonly string[]) => this.writer.chunksOf(kind, ids);

  close() {
    this.isClosed = true;
    removeEventListener("online", this.back);
    removeEventListener("focus", this.back);
    this.leads = false;
    this.sending.stop();
    this.realtime?.close();
    this.tabs.close();
    void this.writer.close();
  }

  /** Applies a change optimistically, persists and sends it. Returns the provisional id of a created row. */
  make(operation: string, making: Making): string {
    return this.queue(this.domains.operation(operation).kind, operation, making);
  }
  private queue(kind: RowKind, operation: string, making: Making): string {
    this.order = Math.max(Date.now(), this.order + 1);
    const change = changeOf(this.store, this.domains.operation(operation), kind, operation, making, this.order);
    this.mine.add(change.key);
    this.store.put(change);
    void this.writer.write({ put: [change] }).then(() => {
      this.tabs.post({ type: "queued", change });
      this.sending.wake();
    });
    return change.creates ?? (change.ids[0] as string);
  }

  /** Undoes the given change, or the last one of this tab; waits for the response if it is pending. */
  undo = (entry?: Undoable) => this.undos.undo(entry);
  redo = () => this.undos.redo();
  /** Changes of this tab that can be undone, the latest first. */
  recent = () => this.undos.all.toReversed();

  /** Resolves a conflict: rebases the change and overwrites the given conflicting fields. */
  keepMine(key: string, fields: readonly string[]) {
    const change = this.store.pending.find((each) => each.key === key);
    const kept = change && decided(change, fields);
    if (!kept) return;
    const next = { ...kept, key: newKey() };
    this.mine.add(next.key);
    void this.step({ keys: [key], replaced: [next], brought: {} }).then(() => this.sending.wake());
  }
  /** Removes a change that was not sent, or whose outcome is unknown. */
  discard(key: string) {
    void this.step({ keys: [key], replaced: [], brought: {} });
  }

  /** Stores fetched rows in this tab, in the other tabs and on disk. */
  take = (brought: Brought) => {
    const { gone, ...rows } = brought;
    // Rows to remove may not be loaded yet.
    if (gone && !this.isWhole) void this.whole.then(() => this.take({ gone }));
    this.store.accept(this.isWhole ? brought : rows);
    this.tabs.post({ type: "brought", brought });
  };
  /** `atOnce` persists the fact immediately: for input of the person that must survive the tab. */
  setFact(name: string, value: unknown, atOnce = false) {
    this.everywhere({ type: "fact", name, value });
    if (atOnce && this.leads) void this.writer.write({});
  }
  /** Subscribes to all hints, including those about rows that the store does not hold. */
  onHints(hearer: (hints: readonly Hint[]) => void) {
    this.hearers.add(hearer);
    return () => this.hearers.delete(hearer);
  }
  /** Call when a request has shown that there is no session. */
  signedOut() {
    this.connect("session");
  }
  /** Call when there may be a session again. */
  back = async () => {
    if (!this.leads) return;
    if (this.connection === "live" || this.connection === "connecting") return this.sending.wake();
    const me = await this.api.getMe().catch((problem: Problem) => problem);
    if (me instanceof Problem) return;
    if (me.workspace_id !== this.member.workspaceId) return this.connect("elsewhere");
    this.connect("connecting");
    this.sending.resume();
    this.listen();
  };

  private async lead() {
    this.leads = true;
    const queue = await this.writer.queue().catch(() => null);
    if (queue) {
      const keys = new Set(queue.map(({ key }) => key));
      const missing = queue.filter(({ key }) => !this.store.pending.some((change) => change.key === key));
      const gone = this.store.pending.filter(({ key }) => !keys.has(key) && !this.mine.has(key)).map(({ key }) => key);
      this.store.settle(gone, missing);
    }
    this.listen();
    this.sending.lead();
  }
  private listen() {
    this.realtime?.close();
    this.realtime = follow({
      api: this.api,
      store: this.store,
      domains: this.domains,
      cursor: this.store.fact<string>("cursor") ?? null,
      take: this.take,
      refresh: () => this.refresh(),
      applied: (cursor) => this.setFact("cursor", cursor),
      onState: (state, reason) => {
        if (state === "live") this.sending.wake();
        if (state !== "ended") this.connect(state);
        else if (reason === "workspace_changed") this.connect("elsewhere");
        else if (reason !== "closed") this.connect("session");
      },
      onHints: (hints) => this.everywhere({ type: "hints", hints }),
    });
  }
  private connect(state: Connection) {
    if (state === this.connection) return;
    // Only a new session leaves these states.
    const isStuck = this.connection === "session" || this.connection === "elsewhere";
    if (isStuck && state === "live") return;
    this.connection = state;
    this.store.tell();
    if (this.leads) this.tabs.post({ type: "connection", state });
  }

  /** Applies a message in this tab and posts it to the other tabs. */
  private everywhere(message: TabMessage) {
    this.heard(message);
    this.tabs.post(message);
  }
  private heard(message: TabMessage) {
    if (message.type === "brought") this.store.accept(message.brought);
    else if (message.type === "queued") {
      this.store.put(message.change);
      this.sending.wake();
    } else if (message.type === "step") this.apply(message.step);
    else if (message.type === "connection") this.connect(message.state);
    else if (message.type === "hints") for (const hearer of this.hearers) hearer(message.hints);
    else if (message.type === "hello") {
      if (this.leads) this.tabs.post({ type: "connection", state: this.connection });
    } else if (message.type === "fact") {
      this.store.setFact(message.name, message.value);
      if (this.leads) this.writer.fact(message.name, message.value);
    } else this.notice(message.outcome);
  }
  private notice(outcome: Outcome) {
    const { change } = outcome;
    const isWished = this.undos.isWished(change.key);
    if (outcome.kind === "done") {
      if (!this.mine.has(change.key) || this.domains.operation(change.operation).quiet?.(change)) return;
      const entry = outcome.commandId && !isBack(change) ? { commandId: outcome.commandId, change } : null;
      if (entry) this.undos.done(entry);
      if (entry && isWished) return this.undo(entry);
    }
    if (outcome.kind === "refused" && isBack(change)) this.undos.drop(change.input.command_id as string);
    this.notices.tell(outcome);
  }

  private apply({ keys, replaced, brought, alias }: Step) {
    for (const next of replaced) {
      const before = this.store.pending.find(({ key, order }) => keys.includes(key) && order === next.order);
      if (!before) continue;
      if (this.mine.has(before.key)) this.mine.add(next.key);
      this.undos.rekey(before.key, next.key);
    }
    this.store.settle(keys, replaced, brought, alias);
  }
  private async step(step: Step) {
    this.apply(step);
    this.tabs.post({ type: "step", step });
    await this.writer.write({ put: step.replaced, remove: step.keys });
  }
}
