// Editors for tests: the smallest one that y-protocols alone makes, and Hocuspocus' own provider. Both are opened the
// way a browser does it, with a session.
import { HocuspocusProvider, HocuspocusProviderWebsocket } from "@hocuspocus/provider";
import * as decoding from "lib0/decoding";
import * as encoding from "lib0/encoding";
import { WebSocket } from "ws";
import * as awarenessProtocol from "y-protocols/awareness";
import * as sync from "y-protocols/sync";
import * as Y from "yjs";
import { type Refused, trackUnsaved } from "../../web/src/editor/collaboration/unsaved-changes.ts";
import { waitMs } from "./wait-limit.ts";
import type { Person } from "./world.ts";

export interface Session {
  id: string;
  url: string;
  token: string;
  document_name: string;
  expires_at: string;
}
export async function newSession(person: Person, path: string): Promise<Session> {
  const { status, body, text } = await person.call("POST", `${path}/collaboration-sessions`);
  if (status !== 201) throw new Error(`POST ${path}/collaboration-sessions answered ${status} ${text}`);
  return { ...body, url: body.url.replace("localhost", "127.0.0.1") };
}

const within = <T>(what: string, ms: number, promise: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not happen within ${ms} ms`)), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};
/** Polls until the condition holds; the error names it. */
export async function until(what: string, isSo: () => unknown | Promise<unknown>, ms = waitMs()): Promise<void> {
  const end = Date.now() + ms;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`${what} did not happen within ${ms} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const [SYNC, AWARENESS, AUTH, STATELESS, SYNC_STATUS] = [0, 1, 2, 5, 8];
interface Refusal {
  code: string;
  clocks: Refused;
}

/**
 * Sixty lines on y-protocols: frames begin with the name of the text, the first one brings the token, and each update
 * is acknowledged.
 */
export class Editor {
  readonly doc = new Y.Doc();
  readonly awareness = new awarenessProtocol.Awareness(this.doc);
  scope: string | null = null;
  denied: string | null = null;
  closed: { code: number; reason: string } | null = null;
  sent = 0;
  acknowledged = 0;
  /**
   * Of these, changes made here and not answers to the service. Counts too few after a refusal, which does not tell
   * what was refused.
   */
  ownAcknowledged = 0;
  private unanswered: ("own" | "answer")[] = [];
  refused = 0;
  readonly refusals: Refusal[] = [];
  /** Undoes what is refused, as the page does. */
  undoes = false;
  synced = false;
  /** Takes in nothing any more, so that a hundred of them cost what a hundred browsers cost here. */
  deaf = false;
  private readonly socket: WebSocket;
  private readonly name: string;
  private readonly own: ReturnType<typeof trackUnsaved>;

  constructor({ url, token, document_name }: Session, doc?: Y.Doc) {
    if (doc) this.doc = doc;
    this.name = document_name;
    this.socket = new WebSocket(url);
    this.socket.binaryType = "arraybuffer";
    this.socket.on("open", () => {
      this.send(AUTH, (encoder) => {
        encoding.writeVarUint(encoder, 0);
        encoding.writeVarString(encoder, token);
      });
      this.send(SYNC, (encoder) => sync.writeSyncStep1(encoder, this.doc));
    });
    this.socket.on("message", (data: ArrayBuffer) => this.hear(new Uint8Array(data)));
    this.socket.on("close", (code, reason) => {
      this.closed = { code, reason: String(reason) };
    });
    this.socket.on("error", () => {});
    this.doc.on("update", this.pass);
    this.own = unsavedOf(this.doc);
    this.awareness.on("update", ({ added, updated, removed }: Record<string, number[]>, origin: unknown) => {
      if (origin === this) return;
      const clients = [...(added ?? []), ...(updated ?? []), ...(removed ?? [])];
      this.send(AWARENESS, (encoder) =>
        encoding.writeVarUint8Array(encoder, awarenessProtocol.encodeAwarenessUpdate(this.awareness, clients)),
      );
    });
  }
  private readonly pass = (update: Uint8Array, origin: unknown) => {
    if (origin === this) return;
    this.sent++;
    this.unanswered.push("own");
    this.send(SYNC, (encoder) => sync.writeUpdate(encoder, update));
  };
  private send(kind: number, write: (encoder: encoding.Encoder) => void) {
    const encoder = encoding.createEncoder();
    encoding.writeVarString(encoder, this.name);
    encoding.writeVarUint(encoder, kind);
    write(encoder);
    this.sendRaw(encoding.toUint8Array(encoder));
  }
  /** Whatever it is. */
  sendRaw(frame: Uint8Array) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(frame);
  }
  sendUpdate = (update: Uint8Array) => this.send(SYNC, (encoder) => sync.writeUpdate(encoder, update));
  sendPresence = (update: Uint8Array) =>
    this.send(AWARENESS, (encoder) => encoding.writeVarUint8Array(encoder, update));
  private hear(frame: Uint8Array) {
    // An acknowledgement is the shortest frame, and all that it listens to.
    if (this.deaf && frame.length !== this.name.length + 3) return;
    const decoder = decoding.createDecoder(frame);
    decoding.readVarString(decoder);
    const kind = decoding.readVarUint(decoder);
    if (kind === AUTH) {
      const outcome = decoding.readVarUint(decoder);
      if (outcome === 2) this.scope = decoding.readVarString(decoder);
      else this.denied = decoding.readVarString(decoder);
    } else if (kind === SYNC_STATUS) {
      this.hearAnswer(decoding.readVarInt(decoder) === 1);
    } else if (kind === STATELESS) this.hearRefusal(JSON.parse(decoding.readVarString(decoder)));
    else if (kind === AWARENESS)
      awarenessProtocol.applyAwarenessUpdate(this.awareness, decoding.readVarUint8Array(decoder), this);
    else if (kind === SYNC) {
      const answer = encoding.createEncoder();
      const step = sync.readSyncMessage(decoder, answer, this.doc, this);
      if (step === 0) {
        this.sent++;
        this.unanswered.push("answer");
        this.send(SYNC, (encoder) => encoding.writeUint8Array(encoder, encoding.toUint8Array(answer)));
      } else if (step === 1) this.synced = true;
    }
  }
  private hearAnswer(isTaken: boolean) {
    if (isTaken) {
      this.acknowledged++;
      if (this.unanswered.shift() === "own") this.ownAcknowledged++;
    } else this.refused++;
    if (this.acknowledged + this.refused >= this.sent) this.unanswered = [];
  }
  private hearRefusal(refusal: Refusal) {
    this.refusals.push(refusal);
    if (this.undoes && this.own.takeOut(refusal.clocks)) this.askState();
  }
  /** Asks for what is missing here; the service asks in return, and is sent all that it lacks. */
  askState = () => this.send(SYNC, (encoder) => sync.writeSyncStep1(encoder, this.doc));
  /** Let in, with the text as it is. */
  async ready(): Promise<this> {
    await until("an editor was let in", () => this.synced || this.closed !== null);
    if (this.closed) throw new Error(`the socket was closed with ${this.closed.code} ${this.closed.reason}`);
    return this;
  }
  async kept(): Promise<void> {
    const { closed: before } = this;
    await until(
      "everything was acknowledged",
      () => this.acknowledged + this.refused >= this.sent || this.closed !== before,
    );
    if (this.closed !== before) throw new Error(`the socket was closed with ${this.closed?.code}`);
  }
  ended = () => until("the socket was closed", () => this.closed !== null);
  leave() {
    this.awareness.destroy();
    this.doc.off("update", this.pass);
    this.socket.close();
  }
  /** As a cable that is pulled. */
  cut = () => this.socket.terminate();

  get part() {
    return this.doc.getXmlFragment("default");
  }
  /** Of all blocks, one on a line. */
  get text(): string {
    return linesOf(this.part);
  }
  /** Types at the end of a block, which is made where there is none. */
  type(text: string, block = 0) {
    typeIn(this.part, text, block);
  }
}

const unsaved = new WeakMap<Y.Doc, ReturnType<typeof trackUnsaved>>();
/** The page's own tracking of refused changes. It belongs to the document and outlives a socket. */
function unsavedOf(doc: Y.Doc) {
  const known = unsaved.get(doc) ?? trackUnsaved(doc);
  unsaved.set(doc, known);
  return known;
}

export const linesOf = (part: Y.XmlFragment): string => part.toArray().map(plain).join("\n");
const plain = (type: unknown): string => {
  if (type instanceof Y.XmlText) return (type.toDelta() as { insert: string }[]).map(({ insert }) => insert).join("");
  return type instanceof Y.XmlElement ? type.toArray().map(plain).join("") : "";
};
export function paragraphOf(text: string): Y.XmlElement {
  const paragraph = new Y.XmlElement("paragraph");
  paragraph.insert(0, [new Y.XmlText(text)]);
  return paragraph;
}
export function typeIn(part: Y.XmlFragment, text: string, block: number) {
  part.doc?.transact(() => {
    while (part.length <= block) part.insert(part.length, [new Y.XmlElement("paragraph")]);
    const paragraph = part.get(block) as Y.XmlElement;
    if (paragraph.length === 0) paragraph.insert(0, [new Y.XmlText()]);
    const last = paragraph.get(paragraph.length - 1) as Y.XmlText;
    // Nobody begins a block with a space.
    last.insert(last.length, last.length === 0 ? text.trimStart() : text);
  });
}

export const enter = async (person: Person, path: string): Promise<Editor> =>
  new Editor(await newSession(person, path)).ready();

/** Hocuspocus' own, in its own words. */
export async function enterWithProvider(session: Session, document = new Y.Doc()) {
  const websocketProvider = new HocuspocusProviderWebsocket({
    url: session.url,
    WebSocketPolyfill: WebSocket,
    delay: 100,
    minDelay: 100,
  });
  const provider = new HocuspocusProvider({
    websocketProvider,
    name: session.document_name,
    token: session.token,
    document,
  });
  provider.attach();
  await within(
    "the provider was in step",
    waitMs(),
    new Promise<void>((resolve) => {
      if (provider.synced) resolve();
      else provider.on("synced", () => resolve());
    }),
  );
  return {
    provider,
    document,
    part: document.getXmlFragment("default"),
    leave() {
      provider.destroy();
      websocketProvider.destroy();
    },
  };
}
