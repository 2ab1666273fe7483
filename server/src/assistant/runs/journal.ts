// The journal of a run: every step is written before it is acted on, and its outcome after it. A run that goes on after a crash walks through the same steps again: what is
// known of a step is taken from here, a step that was begun is made again under the same key, and nothing has two effects. What it holds is sealed.
import type { Pool } from "../../platform/database/db.ts";
import type { SecretBox } from "../../platform/wire/secret-box.ts";
import { RunEnded } from "./rules.ts";
import type { Held, RunStore, StepRow } from "./store.ts";

export interface Outcome<T> {
  answer: T;
  usage?: { input: number; output: number };
  /** It brought words that others wrote. */
  readOthers?: boolean;
}

export interface Desk {
  writer: Pool;
  secrets: SecretBox;
  store: RunStore;
  /** Under which its steps are sealed and its keys are made: of one kind of run. */
  name: string;
  /** How many it may take; left out: as many as whoever takes them counts. */
  most?: number;
}

export class Journal {
  readonly held: Held;
  protected readonly desk: Desk;
  private readonly known: Map<number, StepRow>;
  protected number = 0;

  constructor(held: Held, steps: readonly StepRow[], desk: Desk) {
    this.held = held;
    this.desk = desk;
    this.known = new Map(steps.map((step) => [step.number, step]));
  }

  /** What is to be done, and what came of it: now, or when it was done before. */
  async step<T>(
    kind: StepRow["kind"],
    asked: unknown,
    perform: (number: number) => Promise<Outcome<T>>,
  ): Promise<Outcome<T>> {
    const { writer, secrets, store, name, most = Number.POSITIVE_INFINITY } = this.desk;
    const number = ++this.number;
    if (number > most) throw new RunEnded("steps_exceeded");
    const row = `${name} ${this.held.id} ${number}`;
    const known = this.known.get(number);
    if (known?.answered) return this.opened<Outcome<T>>(known.answered, row);
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
  /** Whether the next step was made before. */
  knowsNext = () => Boolean(this.known.get(this.number + 1)?.answered);
  keyOf = (number: number) => `${this.desk.name}-${this.held.id}-${number}`;
}
