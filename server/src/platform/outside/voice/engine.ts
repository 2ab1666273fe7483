// What hears and what speaks. A test brings another one.
import { type Language, openEars, type Understood } from "./ears.ts";
import { openMouth } from "./mouth.ts";
import { checkWeights } from "./weights.ts";

export interface Engine {
  /** Fails where what it needs is missing or something else. */
  check(): void;
  ears(): Promise<(samples: Float32Array) => Promise<Understood>>;
  mouth(): Promise<(sentence: string) => Promise<Float32Array>>;
  /** What it speaks. What stands in another language is shown and not read aloud. */
  speaks: readonly Language[];
}
export const engine: Engine = { check: checkWeights, ears: openEars, mouth: openMouth, speaks: ["en"] };
