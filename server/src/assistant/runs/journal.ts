// Journal of a run: every step is stored before it is performed, and its outcome after it. A run that resumes after a
// crash replays the same steps: a finished step returns its stored outcome, a started one is repeated under the same
// key, and nothing has two effects. The entries are sealed.
import type { Pool } from "../../platform/database/db.ts";
import type { SecretBox } from "../../platform/wire/secret-box.ts";
import { RunEnded } from "./rules.ts";
import type { RunLease, RunStore, StepRow } from "./store.ts";

export interface StepOutcome<T> {
  answer: T;
  usage?: { input: number; output: number };
  /** Whether the outcome contains text by others. */
  readOthers?: boolean;
}

export interface Desk {
  writer: Pool;
  secrets: SecretBox;
  store: RunStore;
  /** Kind of run: part of the seal's context and of the keys of its steps. */
  name: string;
  /** Maximum number of steps; absent: the caller counts them. */
  most?: number;
}

export class StepJournal {
  readonly held: RunLease;
  protected readonly desk: Desk;
  private readonly known: Map<number, StepRow>;
  protected number = 0;

  constructor(held: RunLease, steps: readonly StepRow[], desk: Desk) {
    this.held = held;
    this.desk = desk;
    this.known = new Map(steps.map((step) => [step.number, step]));
  }

  /** Performs a step, or returns the outcome that it had before. */
  async step<T>(
    kind: StepRow["kind"],
    asked: unknown,
    perform: (number: number) => Promise<StepOutcome<T>>,
  ): Promise<StepOutcome<T>> {
    const { writer, secrets, store, name, most = Number.POSITIVE_INFINITY } = this.desk;
    const number = ++this.number;
    if (number > most) throw new RunEnded("steps_exceeded");
    const row = `${name} ${this.held.id} ${number}`;
    const known = this.known.get(number);
    if (known?.answered) return this.opened<StepOutcome<T>>(known.answered, row);
    if (!known)
      await store.beginStep(writer, this.held, { number, kind, asked: secrets.seal(JSON.stringify(asked), row) });
    const outcome = await perform(number);
    const { usage = { input: 0, output: 0 }, readOthers = false } = outcome;
    const answered = secrets.seal(JSON.stringify(outcome), row);
    await store.endStep(writer, this.held, { number, answered, usage, readOthers });
    return outcome;
  }
  private opened<T>(sealed: string, row: string): T {
    const text = this.desk.secrets.open(sealed, row);
    if (text === null) throw new Error("a step was sealed with a key that was retired");
    return JSON.parse(text) as T;
  }
  /** Whether the next step has a stored outcome. */
  knowsNext = () => Boolean(this.known.get(this.number + 1)?.answered);
  keyOf = (number: number) => `${this.desk.name}-${this.held.id}-${number}`;
}
