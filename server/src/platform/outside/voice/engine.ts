// The speech engine: recognition and synthesis. Tests provide another one.
import { type Language, openEars, type Understood } from "./ears.ts";
import { openMouth } from "./mouth.ts";
import { checkWeights } from "./weights.ts";

export interface Engine {
  /** Throws if a required file is missing or differs. */
  check(): void;
  ears(): Promise<(samples: Float32Array) => Promise<Understood>>;
  mouth(): Promise<(sentence: string) => Promise<Float32Array>>;
  /** Languages that can be synthesised. Text in another language is shown but not read aloud. */
  speaks: readonly Language[];
}
export const engine: Engine = { check: checkWeights, ears: openEars, mouth: openMouth, speaks: ["en"] };
