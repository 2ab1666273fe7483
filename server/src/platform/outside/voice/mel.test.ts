// The spectrogram that the speech model receives: its scale, its floor eight decades below the loudest value, and its
// padding to thirty seconds.
import { expect, test } from "vitest";
import { BANDS, MOMENTS, melOf } from "./mel.ts";
import { HEARD_RATE } from "./utterances.ts";

const tone = (hertz: number, seconds = 0.5) =>
  Float32Array.from({ length: HEARD_RATE * seconds }, (_, at) => Math.sin((2 * Math.PI * hertz * at) / HEARD_RATE));
/** The bands of one moment. */
const bandsAt = (found: Float32Array, moment: number) =>
  Array.from({ length: BANDS }, (_, band) => found[band * MOMENTS + moment] as number);
const loudestBand = (hertz: number) => {
  const bands = bandsAt(melOf(tone(hertz)), 20);
  return bands.indexOf(Math.max(...bands));
};

test("silence has the lowest value in every band and moment", () => {
  const found = melOf(new Float32Array(HEARD_RATE / 10));
  expect(found).toHaveLength(BANDS * MOMENTS);
  expect(new Set(found)).toEqual(new Set([-1.5]));
});

test("a tone is loudest in the band of its pitch", () => {
  expect([250, 1000, 4000].map(loudestBand)).toEqual([6, 26, 62]);
});

test("values lie between the loudest one and eight decades below it", () => {
  const found = melOf(tone(1000));
  const [least, most] = [Math.min(...bandsAt(found, MOMENTS - 1)), Math.max(...bandsAt(found, 20))];
  expect(most).toBeGreaterThan(1);
  expect(least).toBeCloseTo(most - 2, 5);
});
