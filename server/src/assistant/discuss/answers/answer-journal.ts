// Journal of an answer: its steps, and the snapshots of its message while it is written.
import { setTimeout as sleep } from "node:timers/promises";
import { StepJournal } from "../../runs/journal.ts";
import { derivedId } from "../../runs/rules.ts";
import type { RunLease, StepRow } from "../../runs/store.ts";
import { type AnswerPart, partsWithin } from "../rules.ts";
import type { DiscussDependencies } from "./dependencies.ts";
import { discussRuns, type RunEvent, writeParts } from "./run-store.ts";

/**
 * Milliseconds between two snapshots. With many writers each waits longer, so that a process writes at most 40 a
 * second.
 */
const SNAPSHOT_MS = 150;
const SNAPSHOT_MS_EACH = 25;
let writers = 0;

export class AnswerJournal extends StepJournal {
  /** Parts shown beside the text that is still being written. */
  readonly parts: AnswerPart[] = [];
  /** Whether the run has received text that others wrote, by itself or through an earlier answer. */
  readOthers = false;
  private readonly stop: (reason: Error) => void;
  private readonly wake: () => void;
  private events: RunEvent[] = [];
  private text = "";
  private snapshots = 0;
  private dirty = false;
  private writing: Promise<void> | null = null;
  /** Cancels the pause before the next snapshot. */
  private pause: AbortController | null = null;

  constructor(
    held: RunLease,
    steps: readonly StepRow[],
    {
      kit,
      stop,
      wake,
    }: { kit: Pick<DiscussDependencies, "writer" | "secrets">; stop(reason: Error): void; wake(): void },
  ) {
    super(held, steps, { writer: kit.writer, secrets: kit.secrets, store: discussRuns, name: "discuss" });
    this.stop = stop;
    this.wake = wake;
  }

  note(event: RunEvent) {
    this.events.push(event);
  }
  /** Sets the whole text so far; the next snapshot shows it. */
  say(text: string) {
    this.text = text;
    this.dirty = true;
    this.writing ??= this.write().finally(() => {
      this.writing = null;
      if (this.dirty) this.say(this.text);
    });
  }
  said = () => this.text;
  /** Resolves once everything so far is shown, and a request to stop has been noticed. */
  async show(): Promise<void> {
    await this.settled();
    await this.snapshot();
  }
  private async write() {
    writers++;
    await this.writeOn().finally(() => writers--);
  }
  private async writeOn() {
    while (this.dirty) {
      this.dirty = false;
      try {
        await this.snapshot();
      } catch (error) {
        this.stop(error as Error);
        return;
      }
      const pause = new AbortController();
      this.pause = pause;
      const ms = Math.max(SNAPSHOT_MS, SNAPSHOT_MS_EACH * writers);
      await sleep(ms, null, { signal: pause.signal }).catch(() => {});
    }
  }
  private async snapshot() {
    const { id, fence } = this.held;
    const events = this.events.splice(0);
    const producer_sequence = ++this.snapshots;
    const text: AnswerPart[] =
      this.text === ""
        ? []
        : [
            {
              kind: "runtime_text",
              part_id: derivedId(id, "text"),
              run_id: id,
              step_id: this.number,
              generation: fence,
              revision: String(producer_sequence),
              producer_fence: fence,
              producer_sequence,
              offset: Buffer.byteLength(this.text),
              text: this.text,
            },
          ];
    const parts = [...text, ...partsWithin(this.parts).slice(0, 19)];
    if (await writeParts(this.desk.writer, this.held, parts, events)) this.stop(new Error("cancelled"));
    this.wake();
  }
  /** Waits for the snapshot in progress and drops the pending one. */
  async settled() {
    this.dirty = false;
    this.pause?.abort();
    await this.writing;
  }
}
