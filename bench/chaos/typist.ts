// Somebody who types in one text whatever happens to the servers: one word after the other in a paragraph of their own, and when the socket ends, a new session at
// the next server that lives, with the same text in hand. Keeps in mind which words were acknowledged.
import { setTimeout as sleep } from "node:timers/promises";
import * as Y from "yjs";
import { Editor, type Session } from "../../server/test/editing.ts";

export interface Desk {
  /** Of the Task or Document, below /api/v1. */
  path: string;
  headers: Record<string, string>;
  /** The block in which nobody else types. */
  block: number;
  name: string;
  /** Of a server that is up, or null. */
  port(): number | null;
  random(): number;
  /** Mean pause between two words; 35 ms unless set. */
  pauseMs?: number;
}

const AGAIN_MS = 50;
const PAUSE_MS = 35;

export class Typist {
  /** Acknowledged: they are in the database. */
  readonly sure: string[] = [];
  typed = 0;
  comebacks = -1;
  readonly desk: Desk;
  private readonly doc = new Y.Doc();
  private editor: Editor | null = null;
  private words: string[] = [];
  private before = 0;
  private refusals = 0;
  /** A word was refused and is being undone: what is acknowledged meanwhile is no word. */
  private undoing = false;
  private typing = false;
  private away = false;
  private over = false;
  private readonly working: Promise<void>[];

  constructor(desk: Desk) {
    this.desk = desk;
    this.working = [this.stay(), this.type()];
  }
  get text() {
    return this.editor?.text ?? "";
  }
  /** In the text, and everything acknowledged. */
  get settled() {
    const { editor } = this;
    return editor !== null && editor.closed === null && editor.acknowledged + editor.refused >= editor.sent;
  }
  /** State of the editor, for the report of texts that did not converge. */
  get told() {
    const { editor, desk, text } = this;
    if (!editor) return `${desk.name} is out`;
    const { closed, sent, acknowledged, refused, refusals } = editor;
    return `${desk.name} has ${text.length}, sent ${sent}, ${acknowledged} taken, ${refused} refused, ${refusals.length} told, closed ${closed?.code ?? "never"}`;
  }
  begin = () => {
    this.typing = true;
  };
  /** Once no word is half typed. */
  pause = async () => {
    this.typing = false;
    await sleep(0);
    this.note();
  };
  /** Whether it may come back by itself. */
  hold = (away: boolean) => {
    this.away = away;
  };
  async end() {
    this.over = true;
    await Promise.all(this.working);
    this.editor?.leave();
  }

  /** Each word is one update, acknowledged in its order. */
  private note() {
    const { editor } = this;
    if (editor && editor.refusals.length > this.refusals) {
      this.refusals = editor.refusals.length;
      this.undoing = true;
    }
    if (editor && this.undoing) {
      this.words = [];
      this.before = editor.acknowledged;
      this.undoing = !this.settled;
      return;
    }
    const count = (this.editor?.acknowledged ?? 0) - this.before;
    this.sure.push(...this.words.splice(0, count));
    this.before += count;
  }
  private async stay() {
    while (!this.over) {
      if (this.editor && this.editor.closed === null) this.note();
      else if (this.editor) this.left();
      else if (!this.away) await this.enter().catch(() => {});
      await sleep(AGAIN_MS * (0.5 + this.desk.random()));
    }
  }
  private left() {
    this.note();
    // They are in the text in hand, and come with it: whether they were kept is not known.
    this.words = [];
    this.editor?.leave();
    this.editor = null;
  }
  private async enter() {
    const port = this.desk.port();
    if (port === null) return;
    const response = await fetch(`http://127.0.0.1:${port}/api/v1${this.desk.path}/collaboration-sessions`, {
      method: "POST",
      headers: this.desk.headers,
      signal: AbortSignal.timeout(5000),
    });
    const session = (await response.json()) as Session;
    if (response.status !== 201) return;
    const url = session.url.replace(/\/\/[^/]+/, `//127.0.0.1:${port}`);
    const editor = new Editor({ ...session, url }, this.doc);
    editor.undoes = true;
    this.refusals = 0;
    try {
      await editor.ready();
      await editor.kept();
    } catch {
      return editor.leave();
    }
    this.before = editor.acknowledged;
    this.words = [];
    this.comebacks++;
    this.editor = editor;
  }
  private async type() {
    while (!this.over) {
      const { editor } = this;
      if (this.typing && editor && editor.closed === null && !this.undoing) {
        const word = `${this.desk.name}n${this.typed++}`;
        this.words.push(word);
        editor.type(` ${word}`, this.desk.block);
      }
      await sleep((0.3 + 1.4 * this.desk.random()) * (this.desk.pauseMs ?? PAUSE_MS));
    }
  }
}
