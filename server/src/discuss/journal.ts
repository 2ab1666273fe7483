// The journal of an answer: its steps, and what is shown of it while it is made.
import { setTimeout as sleep } from "node:timers/promises";
import { Journal as Steps } from "../runs/journal.ts";
import { derivedId } from "../runs/rules.ts";
import type { Held, StepRow } from "../runs/store.ts";
import type { Kit } from "./kit.ts";
import { type Part, partsWithin } from "./rules.ts";
import { discussRuns, type RunEvent, writeParts } from "./run-store.ts";

const SNAPSHOT_MS = 150;

export class Journal extends Steps {
  /** Of what is shown, beside the text that is still written. */
  readonly parts: Part[] = [];
  private readonly stop: (reason: Error) => void;
  private readonly wake: () => void;
  private events: RunEvent[] = [];
  private text = "";
  private snapshots = 0;
  private dirty = false;
  private writing: Promise<void> | null = null;

  constructor(
    held: Held,
    steps: readonly StepRow[],
    { kit, stop, wake }: { kit: Pick<Kit, "writer" | "secrets">; stop(reason: Error): void; wake(): void },
  ) {
    super(held, steps, { writer: kit.writer, secrets: kit.secrets, store: discussRuns, name: "discuss" });
    this.stop = stop;
    this.wake = wake;
  }

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
    if (await writeParts(this.desk.writer, this.held, parts, events)) this.stop(new Error("cancelled"));
    this.wake();
  }
  async settled() {
    this.dirty = false;
    await this.writing;
  }
}
