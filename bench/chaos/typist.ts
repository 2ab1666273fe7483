// A person who types in one text regardless of faults: one word after the other in their own paragraph. When the socket
// closes, the typist opens a new session at a server that is up, with the same local text. It records the acknowledged
// words.
import { setTimeout as sleep } from "node:timers/promises";
import * as Y from "yjs";
import { Editor, type Session } from "../../server/test/editing.ts";

export interface Desk {
  /** Path of the Task or Document, below /api/v1. */
  path: string;
  headers: Record<string, string>;
  /** Index of the block in which only this person types. */
  block: number;
  name: string;
  /** Port of a server that is up, or null. */
  port(): number | null;
  random(): number;
  /** Mean pause between two words; default 35 ms. */
  pauseMs?: number;
  /**
   * Toggles bold on the first word of the text now and then, so that several editors change the same formatting at
   * once.
   */
  formats?: boolean;
}

const AGAIN_MS = 50;
const PAUSE_MS = 35;
/** One in this many changes is formatting. */
const FORMAT_EVERY = 8;
/** Events that an editor records for the report of texts that did not converge. */
const MOST_EVENTS = 40;
/** First word of the first editor's paragraph. */
export const FORMATTED = "Paragraph";

export class Typist {
  /** Acknowledged words: they are in the database. */
  readonly sure: string[] = [];
  typed = 0;
  comebacks = -1;
  readonly desk: Desk;
  readonly doc = new Y.Doc();
  private editor: Editor | null = null;
  /** The word of each unacknowledged update; null for formatting. */
  private words: (string | null)[] = [];
  private word: string | null = null;
  private readonly events: string[] = [];
  private receivedAt = 0;
  private acknowledgedAt = 0;
  private before = 0;
  private refusals = 0;
  /** A refused word is being undone: acknowledgements meanwhile do not belong to words. */
  private undoing = false;
  private typing = false;
  private away = false;
  private over = false;
  private readonly working: Promise<void>[];

  constructor(desk: Desk) {
    this.desk = desk;
    this.doc.on("update", (_update: Uint8Array, origin: unknown) => {
      if (origin instanceof Editor) this.receivedAt = Date.now();
      else this.words.push(this.word);
    });
    this.working = [this.stay(), this.type()];
  }
  get text() {
    return this.editor?.text ?? "";
  }
  /** Text with formatting. */
  get content() {
    return this.editor?.part.toString() ?? "";
  }
  /** True if the editor is connected and every update is acknowledged or refused. */
  get settled() {
    const { editor } = this;
    return editor !== null && editor.closed === null && editor.acknowledged + editor.refused >= editor.sent;
  }
  /** State of the editor and its last events, for the report of texts that did not converge. */
  get told() {
    const { editor, desk } = this;
    const ago = (at: number) => (at === 0 ? "never" : `${Date.now() - at} ms ago`);
    const state = editor
      ? `sent ${editor.sent}, ${editor.acknowledged} taken (last ${ago(this.acknowledgedAt)}), ${editor.refused} ` +
        `refused, ${editor.refusals.length} told, closed ${editor.closed?.code ?? "never"}`
      : "is out";
    return `${desk.name}: ${state}, last change received ${ago(this.receivedAt)}\n    ${this.events.join("\n    ")}`;
  }
  private record(event: string) {
    if (this.events.push(`${new Date().toISOString().slice(11, 23)} ${event}`) > MOST_EVENTS) this.events.shift();
  }
  begin = () => {
    this.typing = true;
  };
  /** Resolves once no word is partly typed. */
  pause = async () => {
    this.typing = false;
    await sleep(0);
    this.note();
  };
  /** Allows or forbids reconnecting. */
  hold = (away: boolean) => {
    this.away = away;
  };
  async end() {
    this.over = true;
    await Promise.all(this.working);
    this.editor?.leave();
  }

  /**
   * Each word is one update, acknowledged in order. The service sometimes requests missing updates: its acknowledgement
   * of that answer belongs to no word.
   */
  private note() {
    const { editor } = this;
    if (editor && editor.refused > this.refusals) {
      this.refusals = editor.refused;
      this.undoing = true;
      this.record(`refused: ${editor.refusals.at(-1)?.code}`);
    }
    if (editor && this.undoing) {
      this.words = [];
      this.before = editor.ownAcknowledged;
      this.undoing = !this.settled;
      return;
    }
    const count = (this.editor?.ownAcknowledged ?? 0) - this.before;
    if (count > 0) this.acknowledgedAt = Date.now();
    this.sure.push(...this.words.splice(0, count).filter((word) => word !== null));
    this.before += count;
  }
  private async stay() {
    while (!this.over) {
      if (this.editor && this.editor.closed === null) this.note();
      else if (this.editor) this.left();
      else if (!this.away) await this.enter().catch((error: Error) => this.record(`no session: ${error.message}`));
      await sleep(AGAIN_MS * (0.5 + this.desk.random()));
    }
  }
  private left() {
    this.note();
    const { code, reason } = this.editor?.closed ?? {};
    this.record(`socket closed with ${code} ${reason}, ${this.words.length} updates not acknowledged`);
    // The local text contains these updates and delivers them on reconnect: whether the server stored them is unknown.
    this.words = [];
    this.editor?.leave();
    this.editor = null;
  }
  private async enter() {
    const port = this.desk.port();
    if (port === null) return;
    const began = Date.now();
    const took = () => `after ${Date.now() - began} ms at ${port}`;
    const response = await fetch(`http://127.0.0.1:${port}/api/v1${this.desk.path}/collaboration-sessions`, {
      method: "POST",
      headers: this.desk.headers,
      signal: AbortSignal.timeout(5000),
    });
    const session = (await response.json()) as Session;
    if (response.status !== 201) return this.record(`session answered ${response.status} ${took()}`);
    this.record(`session ${took()}`);
    const url = session.url.replace(/\/\/[^/]+/, `//127.0.0.1:${port}`);
    const editor = new Editor({ ...session, url }, this.doc);
    editor.undoes = true;
    this.refusals = 0;
    try {
      await editor.ready();
      this.record(`let in ${took()}`);
      await editor.kept();
      this.record(`in step ${took()}`);
    } catch (error) {
      this.record(`not in step ${took()}: ${(error as Error).message}`);
      editor.leave();
      // Cuts the socket: updates that it delivers while closing would count for the next editor.
      return editor.cut();
    }
    this.before = editor.ownAcknowledged;
    this.words = [];
    this.comebacks++;
    this.editor = editor;
  }
  private async type() {
    while (!this.over) {
      const { editor } = this;
      if (this.typing && editor && editor.closed === null && !this.undoing) {
        if (this.desk.formats && this.desk.random() * FORMAT_EVERY < 1) this.format(editor);
        else this.write(editor);
      }
      await sleep((0.3 + 1.4 * this.desk.random()) * (this.desk.pauseMs ?? PAUSE_MS));
    }
  }
  private write(editor: Editor) {
    this.word = `${this.desk.name}n${this.typed++}`;
    editor.type(` ${this.word}`, this.desk.block);
    this.word = null;
  }
  private format(editor: Editor) {
    const text = (editor.part.get(0) as Y.XmlElement).get(0) as Y.XmlText;
    text.format(0, FORMATTED.length, { bold: this.desk.random() < 0.5 ? {} : null });
  }
}

/** A text and the typists in it. */
export interface Room {
  path: string;
  typists: Typist[];
}
