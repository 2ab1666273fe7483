// The journal of a run: every step is written before it is acted on, and its outcome after it. A run that goes on after a crash walks through the same steps again: what is
// known of a step is taken from here, a step that was begun is made again under the same key, and nothing has two effects. What it holds is sealed.
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "../database/db.ts";
import type { SecretBox } from "../wire/secret-box.ts";
import type { Part } from "./rules.ts";
import { partsWithin } from "./rules.ts";
import { beginStep, endStep, type Held, type RunEvent, type StepRow, writeParts } from "./run-store.ts";

export interface Outcome<T> {
  answer: T;
  usage?: { input: number; output: number };
  /** It brought words that others wrote. */
  readOthers?: boolean;
}

/** The same for the same run and step, whoever is at work on it. */
export function derivedId(runId: string, name: string): string {
  const hex = createHash("sha256").update(`${runId} ${name}`).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const SNAPSHOT_MS = 150;

export class Journal {
  /** Of what is shown, beside the text that is still written. */
  readonly parts: Part[] = [];
  readonly held: Held;
  private readonly writer: Pool;
  private readonly secrets: SecretBox;
  private readonly known: Map<number, StepRow>;
  private readonly stop: (reason: Error) => void;
  private readonly wake: () => void;
  private number = 0;
  private events: RunEvent[] = [];
  private text = "";
  private snapshots = 0;
  private dirty = false;
  private writing: Promise<void> | null = null;

  constructor(
    held: Held,
    steps: readonly StepRow[],
    outside: { writer: Pool; secrets: SecretBox; stop(reason: Error): void; wake(): void },
  ) {
    this.held = held;
    this.known = new Map(steps.map((step) => [step.number, step]));
    this.writer = outside.writer;
    this.secrets = outside.secrets;
    this.stop = outside.stop;
    this.wake = outside.wake;
  }

  /** What is to be done, and what came of it: now, or when it was done before. */
  async step<T>(
    kind: StepRow["kind"],
    asked: unknown,
    perform: (number: number) => Promise<Outcome<T>>,
  ): Promise<Outcome<T>> {
    const number = ++this.number;
    const row = `discuss ${this.held.id} ${number}`;
    const known = this.known.get(number);
    if (known?.answered) return this.opened<Outcome<T>>(known.answered, row);
    if (!known)
      await beginStep(this.writer, this.held, { number, kind, asked: this.secrets.seal(JSON.stringify(asked), row) });
    const outcome = await perform(number);
    const { usage = { input: 0, output: 0 }, readOthers = false } = outcome;
    const answered = this.secrets.seal(JSON.stringify(outcome), row);
    await endStep(this.writer, this.held, { number, answered, usage, readOthers });
    return outcome;
  }
  private opened<T>(sealed: string, row: string): T {
    const text = this.secrets.open(sealed, row);
    if (text === null) throw new Error("a step was sealed with a key that was retired");
    return JSON.parse(text) as T;
  }
  /** Whether the next step was made before. */
  knowsNext = () => Boolean(this.known.get(this.number + 1)?.answered);
  keyOf = (number: number) => `discuss-${this.held.id}-${number}`;

  // ---- what is shown -----------------------------------------------------------------------------------------------------------

  note(event: RunEvent) {
    this.events.push(event);
  }
  /** The text so far, whole; shown soon. */
  say(text: string) {
    this.text = text;
    this.dirty = true;
    this.writing ??= this.write().finally(() => {
      this.writing = null;
      if (this.dirty) this.say(this.text);
    });
  }
  said = () => this.text;
  /** Everything up to here is shown, and it is known whether somebody wants it to stop. */
  async show(): Promise<void> {
    await this.writing;
    await this.snapshot();
  }
  private async write() {
    while (this.dirty) {
      this.dirty = false;
      try {
        await this.snapshot();
      } catch (error) {
        this.stop(error as Error);
        return;
      }
      await sleep(SNAPSHOT_MS);
    }
  }
  private async snapshot() {
    const { id, fence } = this.held;
    const events = this.events.splice(0);
    const producer_sequence = ++this.snapshots;
    const text: Part[] =
      this.text === ""
        ? []
        : [
            {
              ...{
                kind: "runtime_text",
                part_id: derivedId(id, "text"),
                run_id: id,
                step_id: this.number,
                generation: fence,
              },
              ...{ revision: String(producer_sequence), producer_fence: fence, producer_sequence },
              ...{ offset: Buffer.byteLength(this.text), text: this.text },
            },
          ];
    const parts = [...text, ...partsWithin(this.parts).slice(0, 19)];
    if (await writeParts(this.writer, this.held, parts, events)) this.stop(new Error("cancelled"));
    this.wake();
  }
  async settled() {
    this.dirty = false;
    await this.writing;
  }
}
