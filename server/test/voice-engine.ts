// What a test hears and speaks with: tones. A low one is a question in English, a higher one in German, the highest a
// change; each sentence is said as a tone.
import type { Engine } from "../src/platform/outside/voice/engine.ts";

export const SAYINGS = [
  { hertz: 300, text: "What is overdue?", language: "en" },
  { hertz: 600, text: "Was ist überfällig?", language: "de" },
  { hertz: 1200, text: "Remind me tomorrow at 9 to call Grace", language: "en" },
] as const;
export const tone = (hertz: number, rate: number, seconds: number) =>
  Float32Array.from({ length: rate * seconds }, (_, at) => 0.3 * Math.sin((2 * Math.PI * hertz * at) / rate));

/** How often it goes through zero in the loud part. */
function hertzOf(samples: Float32Array): number {
  const loud = samples.filter((each) => Math.abs(each) > 0.02);
  let crossings = 0;
  for (let at = 1; at < loud.length; at++) if ((loud[at] as number) > 0 !== (loud[at - 1] as number) > 0) crossings++;
  return (crossings * 16_000) / (2 * samples.filter((each) => Math.abs(each) > 0.001).length);
}

export const engine: Engine = {
  check() {},
  async ears() {
    return async (samples) => {
      const hertz = hertzOf(samples);
      const distance = (of: number) => Math.abs(Math.log(of / hertz));
      const [{ text, language }] = SAYINGS.toSorted((one, other) => distance(one.hertz) - distance(other.hertz)) as [
        (typeof SAYINGS)[number],
      ];
      return { text, language };
    };
  },
  async mouth() {
    return async () => tone(440, 24_000, 0.5);
  },
  speaks: ["en"],
};
